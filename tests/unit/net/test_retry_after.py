"""The Retry-After header, as specified and as met."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.net.politeness import MAX_RETRY_AFTER_SECONDS, parse_retry_after

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 7 ", 7.0),
        ("1.5", 1.5),
        ("+3", 3.0),
        ("5, 30", 30.0),
        ("Sun, 01 Mar 2026 12:00:10 GMT", 10.0),
        ("Sunday, 01-Mar-26 12:00:10 GMT", 10.0),
        ("Sun Mar  1 12:00:10 2026", 10.0),
        ("Sun, 01 Mar 2026 14:00:10 +0200", 10.0),
        ("999999999999999", MAX_RETRY_AFTER_SECONDS),
    ],
)
def test_a_wish_is_understood(value: str, seconds: float) -> None:
    assert parse_retry_after(value, now=NOW) == seconds


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "0",
        "-1",
        "-0.5",
        "nan",
        "inf",
        "1e9",
        "soon",
        "Sun, 01 Mar 2026 11:59:00 GMT",
        "9" * 5000,
        "\u0663",
    ],
)
def test_nonsense_and_the_past_are_no_wish(value: str | None) -> None:
    assert parse_retry_after(value, now=NOW) is None


@given(st.text(max_size=120))
def test_any_text_gives_a_bounded_wait_or_none(text: str) -> None:
    seconds = parse_retry_after(text, now=NOW)
    assert seconds is None or 0 < seconds <= MAX_RETRY_AFTER_SECONDS
