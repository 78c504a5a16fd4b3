"""Every mistake that the parser finds is explained in every language."""

from __future__ import annotations

import pytest

from windrow.protocols.query.mistakes import Mistake, MistakeCode, Remedy
from windrow.protocols.query.query_parser import parse_query
from windrow.web.i18n.query_notices import explain_mistake
from windrow.web.i18n.translation import get_translator

WRONG = [
    '"hay',
    "(hay",
    "hay)",
    "()",
    "hay AND",
    "OR hay",
    "NOT",
    "titel:hay",
    "colour:hay",
    "title:",
    "year:soon",
    "year:[soon..2014]",
    "date:soon",
    "date:[soon..2014]",
    "year:[2010",
    '"' + "hay " * 60 + '"',
    '"hay straw"~9999',
    "hay~9",
    "ha*~1",
    "a*b*c*d*e*f",
    "hay^0",
    "hay title: straw",
    "hay^-1",
    '"hay"^x',
    "*a*b " * 30,
    "year:2014..2010",
    "x" * 600,
    "hay " * 3000,
    "(" * 300 + "hay" + ")" * 300,
    "hay " * 2600,
    "---",
    "title:,",
    '""',
    "%%%",
    "(hay straw)~3",
]


def mistakes() -> list[Mistake]:
    return [mistake for text in WRONG for mistake in parse_query(text).mistakes]


def test_in_english_it_is_what_the_api_and_the_command_line_say() -> None:
    for mistake in mistakes():
        assert explain_mistake(mistake, get_translator("en")) == str(mistake)


@pytest.mark.parametrize("language", ["sv", "fi"])
def test_every_mistake_is_explained_in_the_language_of_the_page(language: str) -> None:
    for mistake in mistakes():
        what, done = str(mistake).split(": ", 1)[1].rsplit("; ", 1)
        explained = explain_mistake(mistake, get_translator(language))
        assert what not in explained
        assert done not in explained


@pytest.mark.parametrize(
    ("language", "explained"),
    [
        ("en", "at character 2001: a query has at most 2,000 characters; it finds nothing"),
        ("sv", "vid tecken 2001: en sökning har högst 2\N{NO-BREAK SPACE}000 tecken; det ger inga träffar"),
    ],
)
def test_numbers_in_it_are_written_as_the_language_has_them(language: str, explained: str) -> None:
    (mistake,) = parse_query("x" * 3000).mistakes
    assert explain_mistake(mistake, get_translator(language)) == explained


def test_what_was_typed_is_neither_translated_nor_filled_in() -> None:
    mistake = Mistake(0, MistakeCode.NO_LETTERS, Remedy.LEFT_OUT, (("text", "{most}"),))
    assert explain_mistake(mistake, get_translator("en")) == str(mistake)
    assert '"{most}"' in str(mistake)


def test_the_parser_makes_every_mistake_and_knows_every_remedy() -> None:
    assert {mistake.code for mistake in mistakes()} == set(MistakeCode)
    assert {mistake.remedy for mistake in mistakes()} == set(Remedy)
