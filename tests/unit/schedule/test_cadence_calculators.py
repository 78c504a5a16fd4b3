"""Cadences against calculators that share no code with them: minute by minute, cronsim, croniter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import takewhile
from zoneinfo import ZoneInfo

import pytest
from croniter import croniter  # type: ignore[import-untyped]
from cronsim import CronSim
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.unit.schedule.cron_oracle import Expression, expressions, fired
from windrow.errors import ConfigError
from windrow.schedule.cadence import Cadence, parse_cadence

ZONES = (
    "UTC",
    "Europe/Helsinki",
    "America/New_York",
    "Australia/Lord_Howe",  # half an hour
    "Asia/Kathmandu",  # a quarter of an hour, in 1986
    "Africa/Casablanca",  # back and forth around Ramadan
    "Pacific/Apia",  # no 30 December 2011
    "America/Scoresbysund",  # a new offset on a night of change
)
FIRST, LAST = datetime(1970, 1, 2, tzinfo=UTC), datetime(2105, 12, 30, tzinfo=UTC)
HALF = timedelta(hours=40)
moments = st.datetimes(FIRST.replace(tzinfo=None), LAST.replace(tzinfo=None)).map(
    lambda each: each.replace(tzinfo=UTC, second=0, microsecond=0)
)


def read(expression: Expression, zone: str) -> Cadence:
    """Read it; what never comes is no example."""
    try:
        return parse_cadence(expression.text, timezone=zone)
    except ConfigError as exc:
        assume("never comes" not in str(exc))
        raise


def between(cadence: Cadence, begin: datetime, end: datetime) -> list[datetime]:
    return list(takewhile(lambda each: each < end, walk(cadence, begin - timedelta(seconds=1))))


def walk(cadence: Cadence, moment: datetime) -> Iterator[datetime]:
    while True:
        moment = cadence.after(moment)
        yield moment


def changes(zone: ZoneInfo, year: int) -> list[datetime]:
    """The days of a year on which the clock is moved."""
    days = [date(year, 1, 1) + timedelta(days=number) for number in range(365)]
    noons = [datetime.combine(day, time(), tzinfo=UTC) for day in days]
    return [
        noon
        for noon in noons
        if noon.astimezone(zone).utcoffset() != (noon + timedelta(days=1)).astimezone(zone).utcoffset()
    ]


@given(expressions(), st.sampled_from(ZONES), moments)
@settings(deadline=None, max_examples=60)
def test_any_expression_fires_in_the_minutes_a_cron_daemon_would_choose(
    expression: Expression, zone: str, middle: datetime
) -> None:
    begin, end = middle - HALF, middle + HALF
    expected = list(fired(expression, ZoneInfo(zone), begin, end))
    assert between(read(expression, zone), begin, end) == expected


@given(expressions(), st.sampled_from(ZONES[1:]), st.integers(1970, 2105), st.integers(0, 9))
@settings(deadline=None, max_examples=120)
def test_nights_on_which_clocks_are_moved_are_no_exception(
    expression: Expression, zone: str, year: int, which: int
) -> None:
    days = changes(ZoneInfo(zone), year)
    assume(days)
    begin = days[which % len(days)] - timedelta(days=1)
    end = begin + timedelta(days=3)
    expected = list(fired(expression, ZoneInfo(zone), begin, end))
    assert between(read(expression, zone), begin, end) == expected


@given(expressions(), moments)
@settings(deadline=None, max_examples=150)
def test_the_next_five_times_are_those_of_cronsim(expression: Expression, moment: datetime) -> None:
    cadence = read(expression, "UTC")
    theirs = CronSim(expression.text, moment)
    times = walk(cadence, moment)
    assert [next(times) for _ in range(5)] == [next(theirs) for _ in range(5)]


@given(expressions(), moments)
@settings(deadline=None, max_examples=150)
def test_the_next_five_times_are_those_of_croniter(expression: Expression, moment: datetime) -> None:
    # Where a day has a star with a step, croniter asks for either of the two, and cron for both.
    assume("*/" not in expression.day.text + expression.weekday.text)
    # And it takes 5-5 for all there is.
    assume(not re.search(r"\b(\d+)-\1\b", expression.text))
    cadence = read(expression, "UTC")
    theirs = croniter(expression.text, moment, max_years_between_matches=60)
    times = walk(cadence, moment)
    assert [next(times) for _ in range(5)] == [theirs.get_next(datetime) for _ in range(5)]


@pytest.mark.parametrize("zone", ["Europe/Helsinki", "America/New_York"])
@given(minute=st.integers(0, 59), hour=st.integers(0, 23), moment=moments)
@settings(deadline=None, max_examples=60)
def test_a_daily_time_through_daylight_saving_is_that_of_cronsim(
    zone: str, minute: int, hour: int, moment: datetime
) -> None:
    # cronsim keeps the zone's own clock, and there a moment of the second hour reads as the first.
    assume(not moment.astimezone(ZoneInfo(zone)).fold)
    expression = f"{minute} {hour} * * *"
    theirs = CronSim(expression, moment.astimezone(ZoneInfo(zone)))
    times = walk(parse_cadence(expression, timezone=zone), moment)
    assert [next(times) for _ in range(5)] == [next(theirs).astimezone(UTC) for _ in range(5)]
