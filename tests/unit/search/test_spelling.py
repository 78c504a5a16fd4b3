from __future__ import annotations

import pytest

from tests.oracle.memory_index import MemoryIndex
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Document, Identifier, Text
from windrow.model.query import Word
from windrow.search.request import read_request
from windrow.search.spelling import suggest

TITLES = ("Meadows in summer", "Meadows in winter", "Meadow flowers", "Nurses and learning")
INDEX = MemoryIndex(
    Entry(number, "hay", f"oai:hay:{number}", (), Document(titles=(Text(title, "en"),)))
    for number, title in enumerate(TITLES)
)


def meant(text: str) -> str | None:
    question = read_request([("q", text)])
    found = suggest(INDEX, question, INDEX.count(question.query))
    return found.text if found else None


@pytest.mark.parametrize(
    ("text", "better"),
    [
        ("medows", "meadows"),
        ("Medows", "meadows"),
        ("medows wintre", "meadows winter"),
        ("title:medows", "title:meadows"),
        ('"medows in winter"', '"meadows in winter"'),
        ("medows AND -nurses", "meadows AND -nurses"),
        ("(medows OR xyzzy)", "(meadows OR xyzzy)"),
        ("Medows: winter", "meadows: winter"),
        ("title: medows", "title: meadows"),
        ("in winter: medows:", "in winter: meadows:"),
    ],
)
def test_unknown_words_are_corrected_in_the_whole_text(text: str, better: str) -> None:
    assert meant(text) == better


@pytest.mark.parametrize(
    "text", ["meadows", "medo*", "meadwos~", "-medows", "xyzzyx", "", "source:medows", "in", "medows:in"]
)
def test_what_is_known_or_not_meant_by_its_letters_stays(text: str) -> None:
    assert meant(text) is None


def test_a_correction_that_finds_no_more_is_not_made() -> None:
    question = read_request([("q", "medows"), ("language", "xx")])
    assert suggest(INDEX, question, 0) is None


def test_where_enough_is_found_nothing_else_is_meant() -> None:
    assert suggest(INDEX, read_request([("q", "medows")]), 4) is None


def test_a_correction_keeps_the_filters_and_starts_on_the_first_page() -> None:
    question = read_request([("q", "medows"), ("source", "hay"), ("page", "2")])
    found = suggest(INDEX, question, 0)
    assert found is not None
    assert found.question.address() == "/search?q=meadows&source=hay"
    assert found.total == INDEX.count(found.question.query)


def test_a_word_that_is_found_in_another_form_is_not_misspelt() -> None:
    titles = (Text("Hundarna i byn", "sv"), Text("Sundar", "en"), Text("Sundar again", "en"))
    index = MemoryIndex(
        Entry(number, "hay", f"oai:hay:{number}", (), Document(titles=(title,)))
        for number, title in enumerate(titles)
    )
    question = read_request([("q", "hundar")])
    assert index.count(question.query) == 1
    assert suggest(index, question, 1) is None


def test_the_last_word_of_a_long_title_is_corrected_too() -> None:
    title = "Seven long years of hay and straw on the islands of the north and winter"
    index = MemoryIndex([Entry(1, "hay", "oai:hay:1", (), Document(titles=(Text(title, "en"),)))])
    question = read_request([("q", title.replace("winter", "wniter"))])
    found = suggest(index, question, 0)
    assert found is not None
    assert found.text == title


def library(*titles: str, isbn: str = "") -> MemoryIndex:
    return MemoryIndex(
        Entry(
            number,
            "hay",
            f"oai:hay:{number}",
            (),
            Document(titles=(Text(title, "en"),), names=(Identifier("isbn", isbn),) if isbn else ()),
        )
        for number, title in enumerate(titles)
    )


SLIPPED = library("Behavier of oxen", *["Behavior of cows in barns"] * 5, "Barn owls")


@pytest.mark.parametrize(
    ("text", "better"),
    [("behavier of cows", "behavior of cows"), ("behavier cows brans", "behavior cows barns")],
)
def test_a_slip_that_some_record_has_too_is_corrected_where_nothing_is_found(text: str, better: str) -> None:
    question = read_request([("q", text)])
    found = suggest(SLIPPED, question, SLIPPED.count(question.query))
    assert found is not None
    assert (found.text, found.total) == (better, 5)


@pytest.mark.parametrize("text", ["behavier", "behavier oxen", "behavier owls", "behavior owls"])
def test_a_rare_word_stays_where_it_finds_something_or_nothing_better_does(text: str) -> None:
    question = read_request([("q", text)])
    assert suggest(SLIPPED, question, SLIPPED.count(question.query)) is None


def test_a_rare_word_stays_where_the_other_is_hardly_more_used() -> None:
    index = library("Behavier of oxen", *["Behavior of cows"] * 4)
    assert suggest(index, read_request([("q", "behavier cows")]), 0) is None


@pytest.mark.parametrize(
    ("written", "hyphened"),
    [("978 951 39 1234 5", "978-951-39-1234-5"), ("951 39 1234 X", None), ("951 39 12345 1", None)],
)
def test_an_isbn_with_spaces_is_offered_with_hyphens(written: str, hyphened: str | None) -> None:
    index = library("Hay", isbn="978-951-39-1234-5")
    found = suggest(index, read_request([("q", written)]), 0)
    assert (found.text if found else None) == hyphened


def test_a_slip_that_looks_like_another_form_of_a_word_is_corrected_where_nothing_is_found() -> None:
    index = library("A child", "Children of oxen")
    assert index.count(Word("childern")) == 1  # which has an ending to take off
    found = suggest(index, read_request([("q", "childern of oxen")]), 0)
    assert found is not None
    assert (found.text, found.total) == ("children of oxen", 1)
