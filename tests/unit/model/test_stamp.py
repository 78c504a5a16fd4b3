"""Datestamps: read in whatever shape they come, written in one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.model.record import (
    Granularity,
    format_datestamp,
    parse_datestamp,
    parse_granularity,
    truncate_to_granularity,
)

DAY, SECOND = Granularity.DAY, Granularity.SECOND
MOMENTS = st.datetimes(datetime(1000, 1, 1), datetime(9999, 12, 31, 23, 59, 59), timezones=st.just(UTC))  # noqa: DTZ001


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2010-01-13", (2010, 1, 13)),
        ("2010-01-13T10:11:12Z", (2010, 1, 13, 10, 11, 12)),
        ("2010-01-13T10:11:12", (2010, 1, 13, 10, 11, 12)),
        ("2010-01-13 10:11:12", (2010, 1, 13, 10, 11, 12)),
        ("2010-01-13T10:11:12.345Z", (2010, 1, 13, 10, 11, 12)),
        ("2010-01-13T10:11Z", (2010, 1, 13, 10, 11)),
        ("\n  2010-01-13T10:11:12Z\n", (2010, 1, 13, 10, 11, 12)),
        ("20100113", (2010, 1, 13)),
        ("20100113T101112Z", (2010, 1, 13, 10, 11, 12)),
        ("2016-12-31T23:59:60Z", (2016, 12, 31, 23, 59, 59)),
        ("2010-01-13T", (2010, 1, 13)),
        ("2010-01-13Z", (2010, 1, 13)),
    ],
)
def test_a_stamp_is_read_in_any_shape(text: str, moment: tuple[int, ...]) -> None:
    found = parse_datestamp(text)
    assert found is not None
    assert found.tzinfo is UTC
    assert found.timetuple()[: len(moment)] == moment
    assert not any(found.timetuple()[len(moment) : 6])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2010",
        "2010-01",
        "13.01.2010",
        "0000-00-00",
        "2010-13-01",
        "2010-02-30",
        "2010-01-13T25:00:00Z",
        "0000-01-01T00:00:00Z",
    ],
)
def test_what_is_no_stamp_is_none(text: str) -> None:
    assert parse_datestamp(text) is None


def test_a_long_text_without_a_stamp_is_looked_through_once() -> None:
    assert parse_datestamp("2010-" * 100_000) is None
    assert parse_datestamp("2010-13" * 100_000) is None


@settings(deadline=None)
@given(MOMENTS, st.sampled_from([DAY, SECOND]))
def test_what_is_written_reads_back_cut_to_its_granularity(
    moment: datetime, granularity: Granularity
) -> None:
    assert parse_datestamp(format_datestamp(moment, granularity)) == truncate_to_granularity(
        moment, granularity
    )


def test_a_stamp_is_written_in_utc() -> None:
    helsinki = datetime(2024, 6, 1, 1, 30, tzinfo=timezone(timedelta(hours=3)))
    assert format_datestamp(helsinki, DAY) == "2024-05-31"
    assert format_datestamp(helsinki, SECOND) == "2024-05-31T22:30:00Z"


@pytest.mark.parametrize(
    ("text", "granularity"),
    [
        ("YYYY-MM-DD", DAY),
        ("YYYY-MM-DDThh:mm:ssZ", SECOND),
        (" yyyy-mm-ddThh:mm:ssz\n", SECOND),
        ("YYYY-MM-DD hh:mm:ss", SECOND),
        ("day", DAY),
        ("", None),
        (" \n", None),
    ],
)
def test_granularity_is_read_however_it_is_spelled(text: str, granularity: Granularity | None) -> None:
    assert parse_granularity(text) is granularity


def test_the_smallest_steps_are_a_day_and_a_second() -> None:
    assert (DAY.step, SECOND.step) == (timedelta(days=1), timedelta(seconds=1))
