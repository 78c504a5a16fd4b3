"""Tokens: what goes in comes out, and nothing else does."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.protocols.oai.provider_request import MAX_NAME_CHARACTERS, RequestRefused, parse_arguments
from windrow.protocols.oai.resumption_token import MAX_TOKEN_CHARACTERS, Position, seal, unseal

KEY = bytes(range(32))
SCOPE = "theses"
USUAL = Position(
    "ListRecords",
    "oai_dc",
    since=1_700_000_000,
    until=1_800_000_000,
    set_spec="theses:com_10024_4",
    after=1_234_567,
    cursor=400_000,
    size=412_345,
    top=9_999_999,
)
ALPHABET = string.ascii_letters + string.digits + "-_"

_NUMBER = st.integers(0, 2**70)
_MOMENT = st.none() | st.integers(-62_135_596_800, 253_402_300_799)
_TEXT = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
POSITIONS = st.builds(
    Position,
    verb=st.sampled_from(["ListRecords", "ListIdentifiers", "ListSets"]),
    prefix=_TEXT,
    since=_MOMENT,
    until=_MOMENT,
    is_by_day=st.booleans(),
    set_spec=_TEXT,
    after=_NUMBER,
    cursor=_NUMBER,
    size=_NUMBER,
    top=_NUMBER,
)


def is_refused(text: str, *, key: bytes = KEY, scope: str = SCOPE, verb: str | None = None) -> bool:
    try:
        unseal(text, key=key, scope=scope, verb=verb)
    except RequestRefused as refused:
        return [error.code for error in refused.errors] == ["badResumptionToken"]
    return False


@settings(deadline=None)
@given(POSITIONS, st.binary(min_size=1, max_size=64), st.text(max_size=10))
def test_a_token_holds_its_position(position: Position, key: bytes, scope: str) -> None:
    assert unseal(seal(position, key=key, scope=scope), key=key, scope=scope) == position


@settings(deadline=None)
@given(POSITIONS, st.data())
def test_a_token_with_one_character_changed_added_or_missing_is_refused(
    position: Position, data: st.DataObject
) -> None:
    token = seal(position, key=KEY, scope=SCOPE)
    place = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.sampled_from(ALPHABET + "=+/ .\n") | st.characters(codec=None))
    assert is_refused(token[:place] + other + token[place:])
    assert is_refused(token + other)
    assert is_refused(token[:place] + token[place + 1 :])
    assert is_refused(token[:place])
    if other != token[place]:
        assert is_refused(token[:place] + other + token[place + 1 :])


def test_no_other_spelling_of_the_last_character_is_taken() -> None:
    for size in (
        1,
        300,
        70_000,
    ):  # of three lengths, so that the last character has spare bits in two of them
        token = seal(Position("ListSets", after=size), key=KEY, scope=SCOPE)
        taken = [last for last in ALPHABET if not is_refused(token[:-1] + last)]
        assert taken == [token[-1]]


def test_a_token_of_another_repository_or_key_is_refused() -> None:
    token = seal(USUAL, key=KEY, scope=SCOPE)
    assert not is_refused(token)
    assert is_refused(token, scope="")
    assert is_refused(token, scope="these")
    assert is_refused(token, key=KEY[1:])


def test_a_token_goes_on_with_its_own_verb_only() -> None:
    token = seal(USUAL, key=KEY, scope=SCOPE)
    assert not is_refused(token, verb="ListRecords")
    assert is_refused(token, verb="ListIdentifiers")


def test_a_refused_token_is_repeated_in_the_answer() -> None:
    asked = parse_arguments([("verb", "ListSets"), ("resumptionToken", "junk")])
    with pytest.raises(RequestRefused) as caught:
        unseal("junk", key=KEY, scope=SCOPE, verb=asked.verb, echo=asked.pairs)
    assert caught.value.echo == asked.pairs


@pytest.mark.parametrize("text", ["", "A", "junk", "å", "AQAA", "A" * 1_000_000, "=", "====", "\ud800", "\0"])
def test_what_never_was_a_token_is_refused(text: str) -> None:
    assert is_refused(text)


def test_a_token_is_short_and_needs_no_escaping() -> None:
    token = seal(USUAL, key=KEY, scope="a collection with a long name")
    assert len(token) <= 100
    assert set(token) <= set(ALPHABET)


def test_a_token_for_the_longest_names_can_be_sent_back() -> None:
    long = "x" * MAX_NAME_CHARACTERS
    token = seal(Position("ListRecords", long, set_spec=long), key=KEY, scope=SCOPE)
    assert len(token) <= MAX_TOKEN_CHARACTERS
    asked = parse_arguments([("verb", "ListRecords"), ("resumptionToken", token)])
    assert unseal(asked.token or "", key=KEY, scope=SCOPE).set_spec == long


@pytest.mark.parametrize(
    ("since", "until"),
    [
        ("2024-01-01", "2024-02-29"),
        ("2024-01-01T00:00:00Z", "2024-02-29T23:59:59Z"),
        ("0001-01-01", "9999-12-31"),
        (None, None),
    ],
)
def test_a_position_knows_the_dates_as_they_were_asked(since: str | None, until: str | None) -> None:
    dates = [(name, text) for name, text in (("from", since), ("until", until)) if text]
    asked = parse_arguments([("verb", "ListRecords"), ("metadataPrefix", "oai_dc"), *dates])
    position = Position(
        "ListRecords", "oai_dc", since=asked.since, until=asked.until, is_by_day=asked.is_by_day
    )
    opened = unseal(seal(position, key=KEY, scope=SCOPE), key=KEY, scope=SCOPE)
    assert (opened.from_text, opened.until_text) == (since, until)
