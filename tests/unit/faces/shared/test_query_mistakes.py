"""Every mistake that the parser finds is explained in every language."""

from __future__ import annotations

import pytest

from windrow.protocols.query.query_parser import parse_query
from windrow.protocols.query.query_tokens import Mistake
from windrow.web.i18n.query_notices import MISTAKES, REMEDIES, explain_mistake, match_message
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
]


def mistakes() -> list[Mistake]:
    return [mistake for text in WRONG for mistake in parse_query(text).mistakes]


@pytest.mark.parametrize("code", ["en", "sv", "fi"])
def test_every_mistake_is_explained_in_the_language_of_the_page(code: str) -> None:
    found = mistakes()
    assert len({mistake.message for mistake in found}) > 15
    assert [str(each) for each in found if explain_mistake(each, get_translator(code)).language != code] == []


def test_in_english_it_is_what_the_parser_says() -> None:
    for mistake in mistakes():
        assert explain_mistake(mistake, get_translator("en")).words == str(mistake)


def test_a_sentence_that_is_not_known_is_said_in_english() -> None:
    said = explain_mistake(Mistake(0, "something new", "it was left out"), get_translator("fi"))
    assert (said.words, said.language) == ("at character 1: something new; it was left out", "en")


def test_no_sentence_is_known_that_the_parser_never_says() -> None:
    what = {_key(each.message, MISTAKES) for each in mistakes()}
    done = {_key(each.done, REMEDIES) for each in mistakes()}
    assert (set(MISTAKES) - what, set(REMEDIES) - done) == (set(), set())


def _key(sentence: str, known: tuple[str, ...]) -> str:
    found = match_message(sentence, known)
    assert found is not None, sentence
    return found[0]
