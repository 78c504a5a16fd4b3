"""Windows cover a stretch without gap, and without overlap but the one second that fractions need."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.thorough import tries
from windrow.harvest.oai.windows import DateRange, fit_range, plan_windows, split_window
from windrow.model.record import Granularity, format_datestamp, parse_datestamp

NOW = datetime(2024, 6, 1, 12, 30, 5, tzinfo=UTC)
DAY, SECOND = Granularity.DAY, Granularity.SECOND
GRANULARITIES = st.sampled_from([DAY, SECOND])
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2024, 5, 31), timezones=st.just(UTC))  # noqa: DTZ001
EARLIEST = st.sampled_from(["", "nonsense", "1995-03-04", "2030-01-01", "0001-01-01", "9999-12-31T23:59:59Z"])
BEGINNING, END = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)


@st.composite
def stretches(draw: st.DrawFn, granularity: Granularity) -> DateRange:
    low, high = sorted([draw(MOMENTS), draw(MOMENTS)])
    if draw(st.booleans()):
        high = min(high, low + timedelta(days=draw(st.integers(0, 40)), seconds=draw(st.integers(0, 90))))
    since = format_datestamp(low, granularity) if draw(st.booleans()) else None
    until = format_datestamp(high, granularity) if draw(st.booleans()) else None
    return DateRange(since, until)


def bounds(stretch: DateRange, granularity: Granularity) -> tuple[datetime, datetime]:
    """The first and the last second of a stretch."""
    low = parse_datestamp(stretch.since) if stretch.since else BEGINNING
    high = parse_datestamp(stretch.until) if stretch.until else END
    assert low is not None
    assert high is not None
    is_day = stretch.until is not None and granularity is DAY
    return low, high + timedelta(days=1, seconds=-1) if is_day else high


def assert_covers(whole: DateRange, parts: list[DateRange], granularity: Granularity) -> None:
    """The parts begin and end with the whole, and each goes on where the one before it ended."""
    limits = [bounds(part, granularity) for part in parts]
    low, high = bounds(whole, granularity)
    assert limits[0][0] == low
    assert limits[-1][1] == high
    overlap = timedelta(0) if granularity is DAY else timedelta(seconds=1)
    for (_, ended), (begun, _) in pairwise(limits):
        assert timedelta(0) <= ended + timedelta(seconds=1) - begun <= overlap
    assert all(start <= end for start, end in limits)


@settings(deadline=None)
@given(st.data(), GRANULARITIES, st.sampled_from(["none", "year", "month", "day"]), EARLIEST)
def test_a_plan_covers_its_stretch(
    data: st.DataObject, granularity: Granularity, kind: str, earliest: str
) -> None:
    whole = data.draw(stretches(granularity))
    parts = plan_windows(kind, whole, earliest=earliest, now=NOW, granularity=granularity)
    assert_covers(whole, parts, granularity)


@settings(deadline=None, max_examples=tries(200))
@given(st.data(), GRANULARITIES, st.none() | MOMENTS, EARLIEST)
def test_two_halves_cover_the_whole_and_both_are_smaller(
    data: st.DataObject, granularity: Granularity, middle: datetime | None, earliest: str
) -> None:
    whole = data.draw(stretches(granularity))
    halves = split_window(whole, middle, earliest=earliest, now=NOW, granularity=granularity)
    assume(halves is not None)
    assert halves is not None
    assert_covers(whole, list(halves), granularity)
    (low, high), (first_low, first_high) = bounds(whole, granularity), bounds(halves[0], granularity)
    second_low, second_high = bounds(halves[1], granularity)
    assert first_high < high
    assert second_low > low
    assert (first_low, second_high) == (low, high)


@settings(deadline=None)
@given(st.data(), GRANULARITIES)
def test_halving_goes_on_until_the_smallest_step(data: st.DataObject, granularity: Granularity) -> None:
    low = data.draw(MOMENTS)
    high = low + data.draw(st.integers(0, 40)) * granularity.step
    left = [DateRange(format_datestamp(low, granularity), format_datestamp(high, granularity))]
    smallest: list[DateRange] = []
    while left:
        stretch = left.pop()
        halves = split_window(stretch, None, earliest="", now=NOW, granularity=granularity)
        left += reversed(halves or ())
        smallest += [] if halves else [stretch]
    assert {(item.since, item.until) for item in smallest} == {
        (format_datestamp(moment, granularity),) * 2 for moment in _granules(low, high, granularity)
    }


def _granules(low: datetime, high: datetime, granularity: Granularity) -> list[datetime]:
    count = round((high - low) / granularity.step)
    return [low + number * granularity.step for number in range(count + 1)]


def test_a_plan_by_year_breaks_at_new_year() -> None:
    found = plan_windows("year", DateRange(None, None), earliest="2022-03-04", now=NOW, granularity=DAY)
    assert found == [
        DateRange(None, "2022-12-31"),
        DateRange("2023-01-01", "2023-12-31"),
        DateRange("2024-01-01", None),
    ]


def test_a_plan_by_month_knows_february() -> None:
    found = plan_windows(
        "month", DateRange("2024-01-31", "2024-03-02"), earliest="", now=NOW, granularity=DAY
    )
    assert found == [
        DateRange("2024-01-31", "2024-01-31"),
        DateRange("2024-02-01", "2024-02-29"),
        DateRange("2024-03-01", "2024-03-02"),
    ]


def test_a_plan_by_day_takes_in_both_ends() -> None:
    found = plan_windows("day", DateRange("2024-02-28", "2024-03-01"), earliest="", now=NOW, granularity=DAY)
    days = ["2024-02-28", "2024-02-29", "2024-03-01"]
    assert found == [DateRange(day, day) for day in days]


def test_where_seconds_are_told_a_window_starts_a_second_before_the_last_one_ends() -> None:
    found = plan_windows(
        "year", DateRange("2023-06-01T00:00:00Z", None), earliest="", now=NOW, granularity=SECOND
    )
    assert found == [
        DateRange("2023-06-01T00:00:00Z", "2023-12-31T23:59:59Z"),
        DateRange("2023-12-31T23:59:59Z", None),
    ]


def test_a_plan_backwards_is_nothing() -> None:
    assert (
        plan_windows("year", DateRange("2024-01-02", "2024-01-01"), earliest="", now=NOW, granularity=DAY)
        == []
    )
    assert DateRange("2024-01-02", "2024-01-01").is_backwards
    assert not DateRange("2024-01-02", "2024-01-02").is_backwards
    assert not DateRange("2024-01-02T10:00:00Z", "2024-01-02").is_backwards


@pytest.mark.parametrize("kind", ["year", "month", "day"])
@pytest.mark.parametrize(
    "whole",
    [
        DateRange("2024-05-31", "9999-12-31"),
        DateRange("9999-12-31", None),
        DateRange("9999-12-30", "9999-12-31"),
    ],
)
def test_no_window_begins_in_the_future(kind: str, whole: DateRange) -> None:
    found = plan_windows(kind, whole, earliest="9999-12-31", now=NOW, granularity=DAY)
    assert len(found) <= 2
    assert_covers(whole, found, DAY)


def test_a_window_is_split_at_the_middle_of_what_is_in_it() -> None:
    middle = datetime(2020, 1, 5, 9, tzinfo=UTC)
    found = split_window(DateRange("2020-01-01", "2020-12-31"), middle, earliest="", now=NOW, granularity=DAY)
    assert found == (DateRange("2020-01-01", "2020-01-04"), DateRange("2020-01-05", "2020-12-31"))


@pytest.mark.parametrize(
    "middle",
    [datetime(2019, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC), datetime(2021, 2, 1, tzinfo=UTC)],
)
def test_a_middle_that_is_no_middle_is_passed_over(middle: datetime) -> None:
    found = split_window(DateRange("2020-01-01", "2020-01-03"), middle, earliest="", now=NOW, granularity=DAY)
    assert found == (DateRange("2020-01-01", "2020-01-02"), DateRange("2020-01-03", "2020-01-03"))


def test_an_open_beginning_is_looked_for_further_back_where_the_earliest_datestamp_is_a_lie() -> None:
    found = split_window(DateRange(None, "1999-12-31"), None, earliest="2020-01-01", now=NOW, granularity=DAY)
    assert found is not None
    assert (found[0].since, found[1].until) == (None, "1999-12-31")
    assert found[0].until is not None
    assert found[0].until < "1999"
    ancient = split_window(
        DateRange(None, "1960-01-01"), None, earliest="2020-01-01", now=NOW, granularity=DAY
    )
    assert ancient is not None


@pytest.mark.parametrize(
    ("stretch", "granularity", "fitted"),
    [
        (
            DateRange("2020-01-02", "2020-01-03"),
            SECOND,
            DateRange("2020-01-02T00:00:00Z", "2020-01-03T23:59:59Z"),
        ),
        (
            DateRange("2020-01-02T10:11:12Z", "2020-01-03T01:02:03Z"),
            DAY,
            DateRange("2020-01-02", "2020-01-03"),
        ),
        (DateRange("2020-01-02", "2020-01-03"), DAY, DateRange("2020-01-02", "2020-01-03")),
        (DateRange(None, None), SECOND, DateRange(None, None)),
        (DateRange("nonsense", ""), DAY, DateRange(None, None)),
    ],
)
def test_a_stretch_is_fitted_to_a_repository_without_losing_a_day(
    stretch: DateRange, granularity: Granularity, fitted: DateRange
) -> None:
    assert fit_range(stretch, granularity) == fitted


def test_a_stretch_reads_well() -> None:
    assert str(DateRange("2020-01-02", None)) == "2020-01-02 to now"
    assert str(DateRange(None, "2020-01-02")) == "the beginning to 2020-01-02"
