from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from windrow.index.protocol import MAX_OFFSET, Order
from windrow.model.counted_fields import normalised_value
from windrow.model.query import NOTHING, And, Everything, Or, Range, Value, Word, all_of
from windrow.search.filters import FILTERS
from windrow.search.request import SENTENCES, SearchRequest, filter_address, read_request

COLLECTIONS = {"north": ("hay", "oats"), "south": ("straw",)}


def read(*pairs: tuple[str, str]) -> SearchRequest:
    return read_request(pairs, collections=COLLECTIONS)


def codes(question: SearchRequest) -> list[str]:
    return [note.code for note in question.notes]


def test_an_address_without_parameters_asks_for_everything_newest_first() -> None:
    question = read()
    assert question.query == Everything()
    assert (question.order, question.page, question.per_page) == (Order.NEWEST, 1, 20)
    assert question.address() == "/search"
    assert question.notes == ()


def test_words_are_sorted_by_relevance_unless_another_order_is_asked_for() -> None:
    assert read(("q", "hay")).order is Order.RELEVANCE
    assert read(("q", "hay"), ("sort", "oldest")).order is Order.OLDEST


def test_words_that_are_given_several_times_are_all_asked_for() -> None:
    question = read_request([("q", "hay"), ("q", " straw "), ("q", ""), ("q", "hay")])
    assert question.text == "hay straw"


def test_values_of_one_filter_are_alternatives_and_filters_hold_together() -> None:
    question = read(("type", "Book"), ("language", "fi"), ("language", "sv"), ("q", "hay"))
    languages = Or((Value("fi", "language"), Value("sv", "language")))
    assert question.query == all_of((Word("hay"), Value("Book", "type"), languages))


@pytest.mark.parametrize(
    ("span", "low", "high"),
    [
        ("2010..2014", "2010", "2014"),
        ("2010..", "2010", None),
        ("..2014", None, "2014"),
        ("2012", "2012", "2012"),
    ],
)
def test_a_span_of_years_is_a_range(span: str, low: str | None, high: str | None) -> None:
    assert read(("year", span)).query == Range("year", low, high)


def test_a_collection_is_its_sources() -> None:
    question = read(("collection", "north"))
    assert question.query == Or((Value("hay", "source"), Value("oats", "source")))
    assert question.query_without("collection") == Everything()


def test_a_filter_can_be_left_out_of_the_query() -> None:
    question = read(("type", "Book"), ("language", "fi"))
    assert question.query_without("type") == Value("fi", "language")
    assert question.query_without("type", "language") == Everything()


def test_mistakes_in_the_words_are_told_and_the_rest_is_searched() -> None:
    question = read(("q", 'hay "straw'))
    assert len(question.mistakes) == 1
    assert question.query != Everything()


@pytest.mark.parametrize(
    ("pair", "code"),
    [
        (("page", "many"), "bad_number"),
        (("page", "٣"), "bad_number"),
        (("page", "0"), "number_bounded"),
        (("page", "-1"), "number_bounded"),
        (("page", "9" * 5000), "number_bounded"),
        (("per_page", "101"), "number_bounded"),
        (("sort", "colour"), "bad_order"),
    ],
)
def test_an_order_or_a_page_that_makes_no_sense_is_noted_and_worked_around(
    pair: tuple[str, str], code: str
) -> None:
    question = read(pair)
    assert codes(question) == [code]
    assert question.query == Everything()
    assert str(question.notes[0])
    assert len(str(question.notes[0])) < 300


@pytest.mark.parametrize(
    ("pair", "code"),
    [
        (("year", "soon"), "bad_year"),
        (("year", ".."), "bad_year"),
        (("year", "20100..2014"), "bad_year"),
        (("year", "a..b"), "bad_year"),
        (("size", "huge"), "bad_size"),
        (("collection", "east"), "unknown_collection"),
        (("collection", "e" * 5000), "unknown_collection"),
    ],
)
def test_a_filter_that_makes_no_sense_is_noted_and_finds_nothing(pair: tuple[str, str], code: str) -> None:
    question = read(pair)
    assert codes(question) == [code]
    assert question.query == NOTHING
    assert len(str(question.notes[0])) < 300
    assert read(pair, ("q", "hay")).query == And((Word("hay"), NOTHING))


def test_too_many_filters_are_cut_with_a_note() -> None:
    question = read(*(("keyword", f"word {number}") for number in range(60)))
    assert len(question.filters["keyword"]) == 40
    assert codes(question) == ["many_values"]


def test_parameters_that_mean_nothing_here_are_ignored_without_a_note() -> None:
    assert read(("utm_source", "mail"), ("type", ""), ("q", "  ")) == read()


def test_no_page_is_deeper_than_the_index_goes() -> None:
    for per_page in (1, 7, 20, 100):
        question = read(("page", "999999"), ("per_page", str(per_page)))
        assert question.offset + per_page <= MAX_OFFSET


def test_the_same_question_has_one_address_however_it_was_written() -> None:
    one = read(("language", "sv"), ("type", "Book"), ("language", "fi"), ("page", "1"), ("per_page", "20"))
    other = read(("type", "Book"), ("language", "fi"), ("language", "sv"), ("language", "fi"))
    assert one.address() == other.address() == "/search?type=Book&language=fi&language=sv"


def test_every_change_starts_from_the_first_page_but_for_turning_it() -> None:
    question = read(("q", "hay"), ("page", "3"), ("type", "Book"))
    assert question.adding("type", "map").page == 1
    assert question.removing("type", "Book").address() == "/search?q=hay"
    assert question.ordered(Order.TITLE).address() == "/search?q=hay&type=Book&sort=title"
    assert question.turning(4).address() == "/search?q=hay&type=Book&page=4"
    assert question.address("/search.csv", page=1) == "/search.csv?q=hay&type=Book"
    assert question.address(per_page=50) == "/search?q=hay&type=Book&per_page=50"


def test_a_collection_is_chosen_and_left_like_a_filter() -> None:
    question = read(("collection", "north"))
    assert question.adding("collection", "south").collection == "south"
    assert question.removing("collection", "north").collection is None


def test_a_year_is_chosen_where_a_span_has_it() -> None:
    question = read(("year", "2010..2014"))
    assert question.is_chosen("year", "2012")
    assert question.is_chosen("year", "2010..2014")
    assert not question.is_chosen("year", "2015")
    assert read(("year", "..2014")).is_chosen("year", "1")


def test_a_filter_finds_its_value_in_whatever_way_its_letters_are_written() -> None:
    assert read(("institution", "Ho\u0308gskolan  på Ängen")) == read(("institution", "Högskolan på Ängen"))


def test_every_note_there_can_be_has_an_english_sentence() -> None:
    assert {"deepest", "beyond_end"} <= set(SENTENCES)


def test_whoever_refuses_a_question_says_what_is_wrong_and_not_what_was_done() -> None:
    question = read(("collection", "east; west"), ("year", "soon"), ("sort", "colour"), ("page", "0"))
    assert {note.fault for note in question.notes} == {
        "There is no collection east; west.",
        "soon is neither a year nor years as in 2010..2014.",
        "Results cannot be sorted by colour.",
        "page cannot be 0.",
    }


words = st.text(max_size=40)
parameters = st.sampled_from((*FILTERS, "q", "collection", "sort", "page", "per_page", "nonsense"))
spans = st.sampled_from(("2010..2014", "2010", "..9", "x", "..", "north", "title", "3", "0", "fi"))


def test_control_characters_are_taken_out_of_the_words() -> None:
    assert read_request([("q", "\x00ha\x00y\x1f straw\x9b ")]).text == "hay straw"


@given(st.lists(st.tuples(parameters, words | spans), max_size=50))
def test_whatever_is_asked_its_address_asks_the_same_again(pairs: list[tuple[str, str]]) -> None:
    question = read(*pairs)
    address = question.address()
    again = read(*parse_qsl(urlsplit(address).query, keep_blank_values=True))
    assert again.address() == address
    assert again.query == question.query
    assert set(again.notes) <= set(question.notes)
    assert all(note.is_of_filter for note in again.notes)
    assert address.isascii()


@given(st.sampled_from((*FILTERS, "nothing")), st.text())
@example("access", "OPEN")  # one wording of a concept
def test_the_short_way_to_the_address_of_a_filter_is_that_of_the_question(name: str, value: str) -> None:
    assert (
        filter_address(name, value) == SearchRequest().adding(name, normalised_value(name, value)).address()
    )
