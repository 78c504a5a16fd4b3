"""How a search was read, in the language of the page."""

from __future__ import annotations

import pytest

from windrow.protocols.query.query_parser import parse_query
from windrow.web.i18n.query_notices import _MAX_READ_PARTS, explain_reading
from windrow.web.i18n.translation import get_translator


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
    assert explain_reading(parse_query(text).query, get_translator("en")) == said


def test_it_is_said_in_other_languages() -> None:
    assert explain_reading(parse_query("1A -1B").query, get_translator("sv")) == "utan ”1B”"


def test_a_long_row_is_cut() -> None:
    query = parse_query(" ".join(f"-{number}" for number in range(50))).query
    assert explain_reading(query, get_translator("en")).count("without") == _MAX_READ_PARTS
