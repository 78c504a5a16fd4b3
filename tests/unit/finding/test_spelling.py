from __future__ import annotations

import pytest

from tests.oracle.memory_index import MemoryIndex
from windrow.finding.question import read_question
from windrow.finding.spelling import suggest
from windrow.index.entry import Entry
from windrow.model.document import Document, Text

TITLES = ("Meadows in summer", "Meadows in winter", "Meadow flowers", "Nurses and learning")
INDEX = MemoryIndex(
    Entry(number, "hay", f"oai:hay:{number}", (), Document(titles=(Text(title, "en"),)))
    for number, title in enumerate(TITLES)
)


def meant(text: str) -> str | None:
    question = read_question([("q", text)])
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
    ],
)
def test_unknown_words_are_corrected_in_the_whole_text(text: str, better: str) -> None:
    assert meant(text) == better


@pytest.mark.parametrize(
    "text", ["meadows", "medo*", "meadwos~", "-medows", "xyzzyx", "", "source:medows", "in"]
)
def test_what_is_known_or_not_meant_by_its_letters_stays(text: str) -> None:
    assert meant(text) is None


def test_a_correction_that_finds_no_more_is_not_made() -> None:
    question = read_question([("q", "medows"), ("language", "xx")])
    assert suggest(INDEX, question, 0) is None


def test_where_enough_is_found_nothing_else_is_meant() -> None:
    assert suggest(INDEX, read_question([("q", "medows")]), 4) is None


def test_a_correction_keeps_the_filters_and_starts_on_the_first_page() -> None:
    question = read_question([("q", "medows"), ("source", "hay"), ("page", "2")])
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
    question = read_question([("q", "hundar")])
    assert index.count(question.query) == 1
    assert suggest(index, question, 1) is None


def test_the_last_word_of_a_long_title_is_corrected_too() -> None:
    title = "Seven long years of hay and straw on the islands of the north and winter"
    index = MemoryIndex([Entry(1, "hay", "oai:hay:1", (), Document(titles=(Text(title, "en"),)))])
    question = read_question([("q", title.replace("winter", "wniter"))])
    found = suggest(index, question, 0)
    assert found is not None
    assert found.text == title
