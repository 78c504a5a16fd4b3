"""How a search was read, in the language of the page."""

from __future__ import annotations

import pytest

from windrow.faces.portal.read_as import MOST, read_as
from windrow.faces.shared.tongue import tongue
from windrow.wire.query.parse import parse_query


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hay straw", ""),
        ("class 1A -1B", "without “1B”"),
        ('hay NOT title:"of straw"', 'without “title:"of straw"”'),
        ("China?s hay", "“China?s” with any letters for * and ?"),
        ("time: hay", "“hay” in the field time"),
        ('title:"hay straw" "red barn"', "“hay straw” in the field title, “red barn” side by side"),
        ("event:(-hay)", "without “hay”"),
    ],
)
def test_what_was_made_of_signs_is_said(text: str, said: str) -> None:
    assert read_as(parse_query(text).query, tongue("en")) == said


def test_it_is_said_in_other_languages() -> None:
    assert read_as(parse_query("1A -1B").query, tongue("sv")) == "utan ”1B”"


def test_a_long_row_is_cut() -> None:
    query = parse_query(" ".join(f"-{number}" for number in range(50))).query
    assert read_as(query, tongue("en")).count("without") == MOST
