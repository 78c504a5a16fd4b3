"""Hits inside long texts lead to the page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.search.papers import TEXT, file_away
from windrow.model.document import HeldFile
from windrow.protocols.query.query_parser import parse_query
from windrow.search import results
from windrow.search.request import SearchRequest
from windrow.search.results import Passage, ShownHit, find_passage, look_up

BOOK = HeldFile(
    "book.pdf",
    "application/pdf",
    1,
    "",
    text=(
        "The barn.",
        "Scythes hang there. " + "Straw. " * 200 + "Rakes, too.",
        "",
        "A scythe and a rake lean on the barn.",
    ),
    is_paged=True,
)


def passage(file: HeldFile, text: str, language: str | None = None) -> Passage | None:
    return find_passage(file, parse_query(text).query, language)


def told(found: Passage | None) -> str:
    assert found is not None
    return "".join(f"[{text}]" if is_marked else text for text, is_marked in found.text)


def shown(catalogue: Catalogue, text: str) -> tuple[ShownHit, ...]:
    return look_up(catalogue.index(), SearchRequest(text=text), store=catalogue.store).hits


def test_the_page_with_most_of_what_was_looked_for_comes_first() -> None:
    found = passage(BOOK, "scythe rake")
    assert found is not None
    assert found.page == 4
    assert told(found) == "A [scythe] and a [rake] lean on the barn."


def test_of_pages_alike_the_first_counts_and_other_forms_are_marked() -> None:
    found = passage(BOOK, "scythe", "en")
    assert found is not None
    assert found.page == 2
    assert told(found).startswith("[Scythes] hang there. Straw.")
    assert told(found).endswith("…")


@pytest.mark.parametrize(
    ("text", "page"),
    [('"lean on"', 4), ("rak*", 2), ("syhte~2", 4), ('"barn scythe"~9', 4), ("text:barn", 1)],
)
def test_phrases_patterns_and_slips_are_found_as_the_index_finds_them(text: str, page: int) -> None:
    found = passage(BOOK, text, "en")
    assert found is not None
    assert found.page == page


@pytest.mark.parametrize("text", ["oats", '"on lean"', "title:barn", "-barn", "*"])
def test_what_is_not_in_the_text_has_no_passage(text: str) -> None:
    assert passage(BOOK, text) is None


def test_a_text_without_pages_has_a_passage_without_a_page() -> None:
    long = "chaff " * 30_000 + "needle in it " + "chaff " * 30_000
    found = passage(HeldFile("hay.txt", TEXT, 1, "", text=(long,)), "needle")
    assert found is not None
    assert found.page is None
    assert "chaff [needle] in it chaff" in told(found)


def test_a_phrase_across_two_pieces_of_a_long_page_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "PIECE_LETTERS", 13)
    file = HeldFile("hay.txt", TEXT, 1, "", text=("The long and winding road to the barn.",))
    assert "[winding road]" in told(passage(file, '"winding road"'))


def test_only_so_much_of_a_text_is_looked_through() -> None:
    file = replace_text(BOOK, "x " * 40, "needle")
    assert find_passage(file, parse_query("needle").query, most=80) is None
    assert find_passage(file, parse_query("needle").query, most=81) is not None


def replace_text(file: HeldFile, *pages: str) -> HeldFile:
    return file._replace(text=pages)


def test_a_result_says_where_in_its_text_it_was_found(catalogue: Catalogue) -> None:
    file_away(catalogue, "a.pdf", "Nothing here.", "The stubble was wet.", given=(("title", "Harvest"),))
    (hit,) = shown(catalogue, "stubble")
    assert hit.passage == Passage(2, (("The ", False), ("stubble", True), (" was wet.", False)))


def test_what_title_and_description_show_needs_no_passage(catalogue: Catalogue) -> None:
    told_of = (("title", "Harvest"), ("description", "On stubble."))
    file_away(catalogue, "a.pdf", "Harvest on stubble, and rain.", given=told_of)
    assert [hit.passage for hit in shown(catalogue, "harvest stubble")] == [None]
    assert [hit.passage is None for hit in shown(catalogue, "harvest rain")] == [False]


def test_a_title_alone_is_not_enough_where_there_is_no_description(catalogue: Catalogue) -> None:
    file_away(catalogue, "a.pdf", "Rain.", "All of the harvest is in.", given=(("title", "Harvest"),))
    (hit,) = shown(catalogue, "harvest")
    assert hit.title == (("Harvest", True),)
    assert hit.passage is not None
    assert (hit.passage.page, told(hit.passage)) == (2, "All of the [harvest] is in.")


def test_without_words_or_texts_nothing_is_read(catalogue: Catalogue) -> None:
    file_away(catalogue, "a.pdf", "Stubble.")
    catalogue.add("oai:hay.example:1", title="Stubble in a field", description="Much.")
    assert [hit.passage for hit in shown(catalogue, "")] == [None, None]
    assert {hit.card.identifier: hit.passage is None for hit in shown(catalogue, "stubble")} == {
        "oai:hay.example:1": True,
        "https://hay.example/a.pdf": False,
    }


def test_hits_are_read_until_there_is_too_much(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "LETTERS_OF_PAGE", 30)
    for number in range(4):
        file_away(catalogue, f"{number}.txt", "Some stubble in it.", media_type=TEXT)
    hits = shown(catalogue, "stubble")
    assert [hit.passage is not None for hit in hits] == [True, True, False, False]


def test_a_record_that_went_meanwhile_is_shown_without_a_passage(catalogue: Catalogue) -> None:
    identifier = file_away(catalogue, "a.pdf", "Stubble.")
    index = catalogue.index()
    catalogue.withdraw(identifier)
    (hit,) = look_up(index, SearchRequest(text="stubble"), store=catalogue.store).hits
    assert replace(hit, passage=None) == hit
