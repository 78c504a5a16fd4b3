"""Tokens: what their attributes say, and the guess that lets the next request start early."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.thorough import tries
from tests.unit.protocols.oai.generated import pages
from tests.unit.protocols.oai.pages import page, record
from windrow.protocols.oai.oai_page import Token, make_token, parse_attributes
from windrow.protocols.oai.page_parser import parse_page, peek_token

TOKENS = [
    "abc",
    "a/b+c=d!e|f",
    "&amp;&lt;x&gt;",
    " padded \n",
    "&#x41;&#0066;",
    "säde 日本",
    "",
    "a%20b&amp;c=1",
    "x" * 3000,
]


@pytest.mark.parametrize("text", TOKENS)
def test_the_token_guessed_is_the_token_parsed(text: str) -> None:
    body = page(record("a"), token=f'<resumptionToken cursor="0">{text}</resumptionToken>')
    found = parse_page(body).token
    assert found is not None
    assert peek_token(body) == (found.value or None)


@settings(deadline=None, max_examples=tries(150))
@given(pages())
def test_a_guess_is_never_a_token_that_is_not_there(body: bytes) -> None:
    guess, found = peek_token(body), parse_page(body).token
    assert guess is None or (found is not None and guess == found.value)


def test_no_token_is_guessed_where_there_is_none() -> None:
    assert peek_token(page(record("a"))) is None
    assert peek_token(page(record("a"), token="<resumptionToken/>")) is None
    assert peek_token(b"") is None


def test_a_token_far_from_the_end_is_not_guessed() -> None:
    token = "<resumptionToken>t</resumptionToken>"
    assert peek_token(page(record("a"), token=token + " " * 5000)) is None


def test_a_token_in_a_payload_is_not_guessed() -> None:
    assert peek_token(page(record("a", "<resumptionToken>no</resumptionToken>"))) is None


@pytest.mark.parametrize(
    ("cursor", "number"),
    [
        ("0", 0),
        (" 12 ", 12),
        ("", None),
        ("-1", None),
        ("1e3", None),
        ("٣", None),
        ("9" * 15, int("9" * 15)),
        ("9" * 16, None),
    ],
)
def test_a_count_is_a_number_or_nothing(cursor: str, number: int | None) -> None:
    assert make_token("t", {"cursor": cursor, "completeListSize": cursor}) == Token("t", number, number, None)


def test_attributes_are_told_apart_whatever_their_quotes() -> None:
    tag = b""" cursor='1'\n completeListSize = "2 &amp; 3" expirationDate="a'b\r\nc" x:cursor="9" """
    assert parse_attributes(tag) == {"cursor": "1", "completeListSize": "2 & 3", "expirationDate": "a'b c"}


def test_an_attribute_inside_another_s_value_is_none() -> None:
    assert parse_attributes(b""" note=' cursor="5" ' """) == {"note": 'cursor="5"'}
