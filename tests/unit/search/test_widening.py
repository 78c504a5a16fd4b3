"""What is searched instead where no record has everything, on the oracle's index and on the real one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.contracts.index.back_ends import in_one_segment
from tests.oracle.memory_index import MemoryIndex
from windrow.errors import QueryTooCostly
from windrow.index.protocol import FoundDocuments, Index
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Agent, Document, Text
from windrow.model.query import Query
from windrow.protocols.query.query_parser import parse_query
from windrow.search.request import SearchRequest, read_request
from windrow.search.results import look_up
from windrow.search.widening import FEW, Match, WidenedSearch, require_word, widen

TITLES = (
    "Drying hay in the northern meadow",
    "Drying hay in the barn",
    "Nurses and learning",
    "Photosynthesis of northern plants",
    "Meadow flowers -picking for beginners",
    "Harvest machines of the nineteenth century",
)
ENTRIES = [
    Entry(
        number,
        "hay" if number < 3 else "straw",
        f"oai:hay:{number}",
        (),
        Document(titles=(Text(title, "en"),), creators=(Agent("Mower, Ann"),), languages=("en",)),
    )
    for number, title in enumerate(TITLES)
]


@pytest.fixture(scope="module", params=["memory", "tantivy"])
def index(request: pytest.FixtureRequest) -> Index:
    return MemoryIndex(ENTRIES) if request.param == "memory" else in_one_segment(ENTRIES)


def asked(text: str, **filters: str) -> SearchRequest:
    return read_request([("q", text), *filters.items()])


def titles(index: Index, text: str) -> list[str]:
    return [hit.card.title for hit in look_up(index, asked(text)).hits]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("drying hay northern xyzzy", TITLES[0]),
        ("drying hay in the northern meadow nurses", TITLES[0]),
        ("harvest nineteenth flowers", TITLES[5]),
        ("nurses northern plants photosynthesis", TITLES[3]),
    ],
)
def test_the_record_with_most_of_the_words_comes_first(index: Index, text: str, first: str) -> None:
    results = look_up(index, asked(text))
    assert results.widened is not None
    assert results.widened.match is Match.MOST
    assert results.hits[0].card.title == first


def test_what_was_searched_instead_finds_the_same_by_itself(index: Index) -> None:
    results = look_up(index, asked("drying hay northern nurses"))
    assert results.widened is not None
    assert parse_query(results.widened.text).mistakes == ()
    again = look_up(index, asked(results.widened.text))
    assert [hit.card.number for hit in again.hits] == [hit.card.number for hit in results.hits]
    assert again.widened is None


def test_each_hit_says_what_it_lacks_and_the_page_what_none_has(index: Index) -> None:
    results = look_up(index, asked("drying hay nurses northern xyzzy"))
    assert results.dropped == ("xyzzy", "nurses")
    lacking = {hit.card.title: hit.missing for hit in results.hits}
    assert lacking[TITLES[0]] == ("nurses",)
    assert lacking.get(TITLES[1], ("nurses", "northern")) == ("nurses", "northern")


def test_a_word_after_a_plus_is_never_left_out(index: Index) -> None:
    assert require_word("drying hay nurses", "nurses") == "drying hay +nurses"
    assert titles(index, "drying hay +nurses") == [TITLES[2]]
    assert look_up(index, asked("drying hay +xyzzy")).total == 0


def test_a_misspelt_word_among_several_is_searched_as_corrected(index: Index) -> None:
    results = look_up(index, asked("photosyntesis northern"))
    assert results.widened == WidenedSearch(
        Match.CORRECTED, "photosynthesis northern", (("photosyntesis", "photosynthesis"),)
    )
    assert [hit.card.title for hit in results.hits] == [TITLES[3]]


def test_of_several_corrections_the_one_that_stands_beside_the_other_words_is_taken() -> None:
    made = ["Barn owls", "Barn doors", "Bark beetles"]
    index = MemoryIndex(
        Entry(number, "hay", f"oai:hay:{number}", (), Document(titles=(Text(title, "en"),)))
        for number, title in enumerate(made)
    )
    found = widen(index, asked("barb beetles"))
    assert found is not None
    assert found.text == "bark beetles"


def test_signs_are_part_of_a_title_only_where_a_record_has_just_that_title(index: Index) -> None:
    assert titles(index, TITLES[4]) == [TITLES[4]]
    found = widen(index, asked(TITLES[4]))
    assert found is not None
    assert found.match is Match.TITLE
    assert widen(index, asked("hay -drying")) is None


@pytest.mark.parametrize(
    "text",
    [
        '"drying xyzzy"',
        "title:drying title:xyzzy",
        "drying AND xyzzy",
        "drying AND nurses",
        "xyzzy OR plugh",
        "year:1999",
        "dryingx*",
        "drying -hay",
        "xyzzy",
        "",
    ],
)
def test_what_is_asked_for_by_signs_stays_as_it_is(index: Index, text: str) -> None:
    assert widen(index, asked(text)) is None


def test_a_fixed_condition_holds_for_every_partial_match(index: Index) -> None:
    results = look_up(index, asked('"in the barn" drying nurses xyzzy'))
    assert [hit.card.title for hit in results.hits] == [TITLES[1]]
    assert look_up(index, asked("drying meadow xyzzy -northern")).total > 0
    assert TITLES[0] not in titles(index, "drying meadow xyzzy -northern")


def test_a_filter_that_leaves_nothing_is_not_why_words_are_left_out(index: Index) -> None:
    assert widen(index, asked("drying hay", source="straw")) is None
    results = look_up(index, asked("drying hay xyzzy", source="hay"), facets=("source",))
    assert results.total == 2
    assert [value.address for value in results.facets[0].values] == ["/search?q=drying+hay+xyzzy"]


def test_an_exact_search_is_never_widened(index: Index) -> None:
    question = asked("drying hay xyzzy", match="all")
    assert question.address() == "/search?q=drying+hay+xyzzy&match=all"
    results = look_up(index, question)
    assert (results.total, results.widened) == (0, None)


def test_a_quoted_title_with_a_slip_is_found(index: Index) -> None:
    found = widen(index, asked('"Drying hay in the nothern meadow"'))
    assert found is not None
    assert (found.match, found.corrected) == (Match.CORRECTED, (("nothern", "northern"),))
    assert titles(index, '"Drying hay in the nothern meadow"') == [TITLES[0]]


def test_quoted_words_in_another_order_are_searched_as_words(index: Index) -> None:
    found = widen(index, asked('"northern meadow drying hay"'))
    assert found == WidenedSearch(Match.WORDS, "northern meadow drying hay")
    assert titles(index, '"northern meadow drying hay"') == [TITLES[0]]
    assert titles(index, '"northern meadow drying hay plugh"') == [TITLES[0]]


def test_a_word_in_quotation_marks_among_many_may_be_misspelt(index: Index) -> None:
    assert titles(index, 'Drying hay in the northern "meadoww"') == [TITLES[0]]


def test_a_minus_inside_a_title_does_not_exclude_it(index: Index) -> None:
    assert titles(index, f"{TITLES[4]} Mower") == [TITLES[4]]
    assert titles(index, TITLES[4].replace("flowers", "flowrs")) == [TITLES[4]]


def test_short_phrases_and_minuses_are_meant_as_written(index: Index) -> None:
    assert widen(index, asked('"hay drying"')) is None
    assert TITLES[0] not in titles(index, "hay meadow -drying -northern")


def test_a_word_that_no_record_has_is_corrected_where_another_is_dropped(index: Index) -> None:
    results = look_up(index, asked("photosyntesis northern xyzzy"))
    assert results.widened is not None
    assert results.widened.corrected == (("photosyntesis", "photosynthesis"),)
    assert results.dropped == ("xyzzy",)
    assert results.hits[0].card.title == TITLES[3]


LONG_TEXT = Document(
    titles=(Text("The Weekly Mirror"),),
    descriptions=(
        Text("Town council. " * 200 + "Nurses flowers meadow machines photosynthetic " + TITLES[5]),
    ),
)


@pytest.fixture(scope="module", params=["memory", "tantivy"])
def with_long_text(request: pytest.FixtureRequest) -> Index:
    entries = [*ENTRIES, Entry(7, "straw", "oai:straw:7", (), LONG_TEXT)]
    return MemoryIndex(entries) if request.param == "memory" else in_one_segment(entries)


def test_a_long_text_with_all_words_by_chance_does_not_hide_a_title_with_most(with_long_text: Index) -> None:
    results = look_up(with_long_text, asked("meadow flowers beginners council"))
    assert TITLES[4] in [hit.card.title for hit in results.hits]
    results = look_up(with_long_text, asked("nurses learning machines"))
    assert TITLES[2] in [hit.card.title for hit in results.hits]
    results = look_up(with_long_text, asked("meadow flowers nurses"))
    assert results.widened is not None
    assert results.widened.match is Match.MORE
    assert {hit.card.title: hit.missing for hit in results.hits} == {
        "The Weekly Mirror": (),
        TITLES[4]: ("nurses",),
    }


def test_a_title_with_most_words_comes_before_a_long_text_with_all() -> None:
    index = in_one_segment([*ENTRIES, Entry(7, "straw", "oai:straw:7", (), LONG_TEXT)])
    results = look_up(index, asked("meadow flowers nurses"))
    assert [hit.card.title for hit in results.hits][:1] == [TITLES[4]]


def test_words_that_only_join_others_are_no_words_that_a_record_must_have(index: Index) -> None:
    results = look_up(index, asked("what is known about the photosynthesis of plants?"))
    assert results.widened is not None
    assert results.widened.match is Match.MOST
    assert [hit.card.title for hit in results.hits] == [TITLES[3]]


def test_words_that_only_join_others_do_not_show_what_a_long_text_is_about() -> None:
    text = replace(LONG_TEXT, titles=(Text("What is the news of the day and of the year"),))
    index = in_one_segment([*ENTRIES, Entry(7, "straw", "oai:straw:7", (), text)])
    results = look_up(index, asked("the meadow and flowers and beginners of the year"))
    assert TITLES[4] in [hit.card.title for hit in results.hits]


def test_records_are_not_added_where_one_has_the_words_in_its_title(with_long_text: Index) -> None:
    assert look_up(with_long_text, asked("harvest machines century")).widened is None
    assert look_up(with_long_text, asked("nurses meadow")).widened is None


def test_a_filter_does_not_decide_whether_records_are_added(with_long_text: Index) -> None:
    results = look_up(with_long_text, asked("meadow flowers nurses", source="straw"))
    assert results.total == 2


def test_a_known_word_is_not_replaced_by_one_that_only_a_long_text_has() -> None:
    common = [Entry(n, "x", f"oai:x:{n}", (), Document(titles=(Text(f"Machine {n}"),))) for n in range(8, 30)]
    rare = Entry(40, "x", "oai:x:40", (), Document(titles=(Text("Machino"),)))
    index = in_one_segment([*ENTRIES, Entry(7, "straw", "oai:straw:7", (), LONG_TEXT), *common, rare])
    found = widen(index, asked("machino nurses council"))
    assert found is not None
    assert (found.match, found.corrected) == (Match.MOST, ())


def test_common_words_do_not_decide_what_has_most_of_the_words() -> None:
    common = [
        Entry(n, "x", f"oai:x:{n}", (), Document(titles=(Text(f"The song of the place and {n}"),)))
        for n in range(10, 400)
    ]
    index = in_one_segment([*ENTRIES, *common])
    results = look_up(index, asked("the photosynthesis and plants of xyzzy"))
    assert results.hits[0].card.title == TITLES[3]
    assert results.total == 1


def test_nothing_more_is_asked_where_more_than_a_few_records_are_found() -> None:
    class Untouched(MemoryIndex):
        def search(self, *_: object, **__: object) -> FoundDocuments:
            raise AssertionError("enough was found")

        def count(self, query: Query) -> int:
            raise AssertionError("enough was found")

    assert widen(Untouched(ENTRIES), asked("drying hay northern meadow"), FEW + 1) is None
    assert widen(Untouched(ENTRIES), asked("drying hay"), 2) is None


def test_records_at_hand_are_not_searched_again() -> None:
    class Counting(MemoryIndex):
        searched = 0

        def search(self, query: Query, **how: Any) -> FoundDocuments:
            self.searched += 1
            return super().search(query, **how)

    index = Counting(ENTRIES)
    assert look_up(index, asked("drying hay northern meadow")).widened is None
    assert index.searched == 1


def test_what_would_cost_too_much_is_not_searched_instead() -> None:
    class Costly(MemoryIndex):
        def count(self, query: Query) -> int:
            raise QueryTooCostly("words")

    assert widen(Costly(ENTRIES), asked("drying hay xyzzy")) is None
