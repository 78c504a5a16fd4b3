"""Every mistake that the parser finds is explained in every language."""

from __future__ import annotations

import pytest

from windrow.faces.shared.query_mistakes import DONE, WHAT, explain, known_as
from windrow.faces.shared.tongue import tongue
from windrow.wire.query.mistakes import Mistake
from windrow.wire.query.parse import parse_query

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
    assert [str(each) for each in found if explain(each, tongue(code)).language != code] == []


def test_in_english_it_is_what_the_parser_says() -> None:
    for mistake in mistakes():
        assert explain(mistake, tongue("en")).words == str(mistake)


def test_a_sentence_that_is_not_known_is_said_in_english() -> None:
    said = explain(Mistake(0, "something new", "it was left out"), tongue("fi"))
    assert (said.words, said.language) == ("at character 1: something new; it was left out", "en")


def test_no_sentence_is_known_that_the_parser_never_says() -> None:
    what = {_key(each.message, WHAT) for each in mistakes()}
    done = {_key(each.done, DONE) for each in mistakes()}
    assert (set(WHAT) - what, set(DONE) - done) == (set(), set())


def _key(sentence: str, known: tuple[str, ...]) -> str:
    found = known_as(sentence, known)
    assert found is not None, sentence
    return found[0]
