"""When a job is due: odd nights, short months, leap days, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from windrow.errors import ConfigError
from windrow.schedule.cadence import Cadence, next_times, parse_cadence

HELSINKI = "Europe/Helsinki"


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def local(cadence: Cadence, begin: str, count: int) -> list[str]:
    """The next times as the clock of the zone shows them."""
    zone = ZoneInfo(cadence.timezone)
    return [f"{each.astimezone(zone):%Y-%m-%d %H:%M}" for each in next_times(cadence, utc(begin), count)]


def test_a_time_that_the_spring_night_leaves_out_comes_once_right_after_the_gap() -> None:
    cadence = parse_cadence("daily", at="03:30", timezone=HELSINKI)
    assert local(cadence, "2026-03-28T00:00", 3) == [
        "2026-03-28 03:30",
        "2026-03-29 04:00",
        "2026-03-30 03:30",
    ]


def test_two_times_in_the_same_gap_come_once() -> None:
    cadence = parse_cadence("0,30 3 * * *", timezone=HELSINKI)
    assert local(cadence, "2026-03-28T12:00", 2) == ["2026-03-29 04:00", "2026-03-30 03:00"]


def test_a_time_that_the_autumn_night_has_twice_comes_the_first_time_only() -> None:
    cadence = parse_cadence("daily", at="03:30", timezone=HELSINKI)
    assert next_times(cadence, utc("2026-10-24T12:00"), 2) == [
        utc("2026-10-25T00:30"),
        utc("2026-10-26T01:30"),
    ]


@pytest.mark.parametrize("every", ["20 minutes", "hourly", "*/20 * * * *"])
@pytest.mark.parametrize("night", ["2026-03-28T20:00", "2026-10-24T20:00"])
def test_what_comes_every_so_often_goes_on_through_both_nights(every: str, night: str) -> None:
    times = next_times(parse_cadence(every, timezone=HELSINKI), utc(night), 40)
    assert len({later - earlier for earlier, later in pairwise(times)}) == 1


def test_a_day_that_a_zone_left_out_is_made_up_for_when_the_next_begins() -> None:
    cadence = parse_cadence("daily", at="03:30", timezone="Pacific/Apia")
    assert local(cadence, "2011-12-29T00:00", 3) == [
        "2011-12-29 03:30",
        "2011-12-31 00:00",
        "2011-12-31 03:30",
    ]


def test_clocks_that_go_back_over_midnight_show_the_last_hour_of_the_day_twice() -> None:
    # Newfoundland moved its clocks a minute after midnight until 2011.
    cadence = parse_cadence("*/30 * * * *", timezone="America/St_Johns")
    times = next_times(cadence, utc("2010-11-07T00:00"), 20)
    assert {later - earlier for earlier, later in pairwise(times)} == {timedelta(minutes=30)}


def test_the_thirty_first_leaves_out_months_that_have_none() -> None:
    cadence = parse_cadence("monthly", at="04:00", on="31")
    assert [each[5:10] for each in local(cadence, "2027-01-01T00:00", 7)] == [
        *("01-31", "03-31", "05-31", "07-31", "08-31", "10-31", "12-31")
    ]


def test_the_last_day_is_in_every_month() -> None:
    cadence = parse_cadence("monthly", on="last")
    found = [each[5:10] for each in local(cadence, "2028-01-01T00:00", 4)]
    assert found == ["01-31", "02-29", "03-31", "04-30"]


def test_the_leap_day_skips_the_year_2100() -> None:
    cadence = parse_cadence("yearly", on="29 February")
    assert [each[:10] for each in local(cadence, "2093-01-01T00:00", 2)] == ["2096-02-29", "2104-02-29"]


def test_every_second_day_does_not_begin_again_with_the_month() -> None:
    cadence = parse_cadence("2 days", at="03:00", timezone=HELSINKI)
    days = [
        each.astimezone(ZoneInfo(HELSINKI)).date()
        for each in next_times(cadence, utc("2026-01-01T12:00"), 200)
    ]
    assert {later - earlier for earlier, later in pairwise(days)} == {timedelta(days=2)}


def test_every_second_week_is_the_same_day_a_fortnight_on() -> None:
    times = next_times(parse_cadence("2 weeks", on="thu"), utc("2026-01-01T12:00"), 60)
    assert {each.strftime("%a") for each in times} == {"Thu"}
    assert {later - earlier for earlier, later in pairwise(times)} == {timedelta(days=14)}


def test_an_interval_that_no_clock_divides_into_counts_on() -> None:
    times = next_times(parse_cadence("every 45 minutes", timezone=HELSINKI), utc("2026-03-28T20:00"), 90)
    assert {later - earlier for earlier, later in pairwise(times)} == {timedelta(minutes=45)}


def test_nought_and_seven_are_both_sunday() -> None:
    for day in ("0", "7", "sun"):
        assert parse_cadence(f"0 6 * * {day}").after(utc("2026-11-16T00:00")) == utc("2026-11-22T06:00")


def test_a_date_and_a_weekday_are_either() -> None:
    days = [each[8:10] for each in local(parse_cadence("0 0 13 * fri"), "2026-11-07T00:00", 4)]
    assert days == ["13", "20", "27", "04"]


def test_the_next_time_is_strictly_later_and_in_utc() -> None:
    cadence = parse_cadence("daily", at="03:30", timezone=HELSINKI)
    due = cadence.after(utc("2026-11-15T00:00"))
    assert due.tzinfo is UTC
    assert cadence.after(due) == due + timedelta(days=1)
    assert cadence.after(due - timedelta(microseconds=1)) == due


@pytest.mark.parametrize(
    ("every", "at", "on", "cron"),
    [
        ("hourly", None, None, "0 * * * *"),
        ("hourly", ":15", None, "15 * * * *"),
        ("daily", "03:30", None, "30 3 * * *"),
        ("weekly", "06:00", None, "0 6 * * 0"),
        ("weekly", "6", "Mondays and Thursdays", "0 6 * * 1,4"),
        ("monthly", "04:00", "1st, 15th", "0 4 1,15 * *"),
        ("yearly", None, "12-24", "0 0 24 12 *"),
        ("yearly", None, "Feb 29", "0 0 29 2 *"),
        ("weekdays at 03:30", None, None, "30 3 * * 1-5"),
        ("weekends", "9.15", None, "15 9 * * 0,6"),
        ("sat-mon", None, None, "0 0 * * 0,1,6"),
        ("every monday at 6", None, None, "0 6 * * 1"),
        ("6 hours", None, None, "0 */6 * * *"),
        ("every 6 hours", "03:30", None, "30 3,9,15,21 * * *"),
        ("6 hours", ":30", None, "30 */6 * * *"),
        ("120 minutes", None, None, "0 */2 * * *"),
        ("60 minutes", None, None, "0 * * * *"),
        ("24 hours", "02:00", None, "0 2 * * *"),
        ("EVERY 20 Minutes", None, None, "*/20 * * * *"),
        ("daily", "06:00 and 18:00", None, "0 6,18 * * *"),
        ("@weekly", None, None, "0 0 * * 0"),
        (" 00 6  * * 7 ", None, None, "00 6 * * 7"),
        ("45 minutes", None, None, None),
        ("2 days", None, None, None),
        ("2 weeks on mon, thu", None, None, None),
        ("monthly", None, "last", None),
    ],
)
def test_a_phrase_is_the_cron_expression_that_means_the_same(
    every: str, at: str | None, on: str | None, cron: str | None
) -> None:
    assert parse_cadence(every, at=at, on=on).cron == cron


@pytest.mark.parametrize(
    ("every", "words"),
    [
        ("", "how often"),
        ("fortnightly", "how often"),
        ("now and then", "how often"),
        ("30 3 * *", "not five"),
        ("0 0 30 2 *", "never comes"),
        ("0 0 31 4,6,9,11 *", "never comes"),
        ("0 0 * * 8", "day of the week"),
        ("60 0 * * *", "minute"),
        ("0 0 0 * *", "day of the month"),
        ("5-1 * * * *", "minute"),
        ("5/15 * * * *", "minute"),
        ("*/0 * * * *", "step"),
        ("*/90 * * * *", "step"),
        ("1, * * * *", "minute"),
        ("0 0 L * *", "L"),
        ("@reboot", "@reboot"),
        ("٣ 3 * * *", "minute"),
        ("0 minutes", "between"),
        ("367 days", "between"),
        ("999999 weeks", "between"),
        ("daily at 24:00", "time of day"),
        ("daily at 06:00, 18:30", "different minutes"),
        ("hourly at 03:30", "minute of an hour"),
        ("45 minutes at 3", "no time of day"),
        ("20 minutes at 3", "no time of day"),
        ("6 hours at 3 and 4", "one time"),
        ("hourly on mon", "no chosen day"),
        ("weekly on 31st", "day of the week"),
        ("monthly on 32", "day of a month"),
        ("monthly on 0", "day of a month"),
        ("yearly on 30 feb", "day of a year"),
        ("yearly on 13-01", "day of a year"),
        ("yearly on someday", "day of a year"),
        ("x" * 10_000, "characters"),
        ("* " * 5_000, "characters"),
        ("1,2," * 100 + "3 * * * *", "characters"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_hint(every: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        parse_cadence(every)
    assert caught.value.hint


def test_an_expression_and_a_time_beside_it_are_one_too_many() -> None:
    with pytest.raises(ConfigError, match="says all"):
        parse_cadence("@daily", at="03:30")
    with pytest.raises(ConfigError, match="Two different"):
        parse_cadence("daily at 3:30", at="04:00")


@pytest.mark.parametrize(
    "zone", ["Europe/Helsingfors", "", "Europe", "../../etc/passwd", "/etc/passwd", "x" * 999]
)
def test_a_zone_that_there_is_not_is_refused(zone: str) -> None:
    with pytest.raises(ConfigError, match="no time zone") as caught:
        parse_cadence("daily", timezone=zone)
    assert caught.value.hint


def test_a_zone_that_is_nearly_right_is_corrected_in_the_hint() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_cadence("daily", timezone="Europe/Helsingfors")
    assert "Europe/Helsinki" in caught.value.hint
