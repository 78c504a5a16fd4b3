from __future__ import annotations

import pytest

from tests.oracle.memory_index import MemoryIndex
from windrow.index.protocol import Index
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Agent, Document, Text
from windrow.search import request, results
from windrow.search.request import SearchRequest, read_request
from windrow.search.results import Results, look_up


def read(*pairs: tuple[str, str]) -> SearchRequest:
    return read_request(pairs, collections={"north": ("barn",)})


def numbers(found: Results) -> list[int]:
    return [hit.card.number for hit in found.hits]


def test_pages_together_are_everything_once(theses: Index) -> None:
    question = read(("per_page", "50"))
    seen = [number for page in range(1, 7) for number in numbers(look_up(theses, question.turning(page)))]
    assert sorted(seen) == list(range(1, 301))


def test_beyond_the_end_is_the_last_page_with_a_note(theses: Index) -> None:
    found = look_up(theses, read(("per_page", "50"), ("page", "99")))
    assert found.question.page == 6
    assert len(found.hits) == 50
    assert [note.code for note in found.notes] == ["beyond_end"]
    assert found.following is None


def test_nothing_found_is_no_page_and_no_note(theses: Index) -> None:
    found = look_up(theses, read(("q", "zyzzyva"), ("page", "3")))
    assert (found.total, found.hits, found.pages, found.notes) == (0, (), (), ())
    assert (found.first, found.last) == (0, 0)


def test_results_beyond_the_deepest_are_not_shown_and_a_note_says_so(
    theses: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request, "MAX_OFFSET", 100)
    monkeypatch.setattr(results, "MAX_OFFSET", 100)
    found = look_up(theses, read(("page", "5")))
    assert found.following is None
    assert [str(note) for note in found.notes] == [
        "Only the first 100 of 300 results are shown. A narrower search, or an export, shows the rest."
    ]
    assert look_up(theses, read(("page", "4"))).notes == ()


def test_the_first_the_last_and_the_neighbouring_pages_are_linked(theses: Index) -> None:
    found = look_up(theses, read(("per_page", "10"), ("page", "15")))
    assert [link.number for link in found.pages] == [1, 0, 13, 14, 15, 16, 17, 0, 30]
    assert [link.number for link in found.pages if link.is_current] == [15]
    assert found.previous == "/search?per_page=10&page=14"
    assert found.following == "/search?per_page=10&page=16"
    assert (found.first, found.last) == (141, 150)


def test_each_filter_has_a_chip_that_takes_it_away(theses: Index) -> None:
    found = look_up(
        theses, read(("q", "hay"), ("collection", "north"), ("year", "2010..2014"), ("type", "x"))
    )
    assert [(chip.field, chip.value, chip.address) for chip in found.chips] == [
        ("collection", "north", "/search?q=hay&year=2010..2014&type=x"),
        ("year", "2010..2014", "/search?q=hay&collection=north&type=x"),
        ("type", "x", "/search?q=hay&collection=north&year=2010..2014"),
    ]


def test_what_was_looked_for_is_marked_in_title_and_snippet(theses: Index) -> None:
    found = look_up(theses, read(("q", "hay interviews"), ("language", "en")))
    assert found.hits
    for hit in found.hits:
        marked = {text.casefold() for text, is_marked in hit.title + hit.snippet if is_marked}
        assert marked & {"hay", "interviews"}
        assert "".join(text for text, _ in hit.title) == hit.card.title


def test_a_word_that_stands_in_a_keyword_alone_is_shown_there() -> None:
    only, both = (
        Entry(
            1, "barn", "oai:barn:1", (), Document(titles=(Text("Rakes"),), keywords=("dry hay", "meadows"))
        ),
        Entry(2, "barn", "oai:barn:2", (), Document(titles=(Text("Hay"),), keywords=("dry hay",))),
    )
    found = {hit.card.number: hit for hit in look_up(MemoryIndex([only, both]), read(("q", "hay"))).hits}
    assert found[1].keywords == ((("dry ", False), ("hay", True)),)
    assert found[2].keywords == ()


@pytest.mark.parametrize("words", ["creator:grace", "grace"])
def test_a_name_that_was_looked_for_is_marked_and_shown_however_many_there_are(words: str) -> None:
    names = ("Mower, Ann", "Rake, Bo", "Stack, Eva", "Hopper, Grace", "Barn, Ida")
    few = Document(creators=(Agent("Hopper, Grace"),), titles=(Text("Hay"),))
    many = Document(creators=tuple(map(Agent, names)), titles=(Text("Hay"),))
    index = MemoryIndex([Entry(0, "barn", "a", (), few), Entry(1, "barn", "b", (), many)])
    found = {hit.card.number: hit.creators for hit in look_up(index, read(("q", words))).hits}
    grace = (("Hopper, ", False), ("Grace", True))
    assert found[0] == (grace,)
    assert found[1] == ((("Mower, Ann", False),), (("Rake, Bo", False),), grace)


def test_names_are_not_marked_for_words_that_were_looked_for_elsewhere() -> None:
    document = Document(creators=(Agent("Hay, Ann"),), titles=(Text("Hay"),))
    (hit,) = look_up(MemoryIndex([Entry(1, "barn", "1", (), document)]), read(("q", "title:hay"))).hits
    assert hit.creators == ((("Hay, Ann", False),),)


def test_without_words_nothing_is_marked(theses: Index) -> None:
    hits = look_up(theses, read(("language", "en"))).hits
    assert not [text for hit in hits for text, is_marked in hit.title + hit.snippet if is_marked]


def test_notes_of_the_question_are_among_those_of_its_results(theses: Index) -> None:
    assert [note.code for note in look_up(theses, read(("sort", "colour"))).notes] == ["bad_order"]
