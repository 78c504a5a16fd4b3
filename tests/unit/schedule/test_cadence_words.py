"""What people read about when a job is due."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given

from tests.unit.schedule.cron_oracle import Expression, expressions
from windrow.errors import ConfigError
from windrow.schedule.cadence import parse_cadence

ZONE = "Europe/Helsinki"


@pytest.mark.parametrize(
    ("every", "words"),
    [
        ("daily at 03:30", "every day at 03:30 (Europe/Helsinki)"),
        ("weekly on thu, mon at 06:00", "on Mondays and Thursdays at 06:00 (Europe/Helsinki)"),
        ("weekdays at 6", "on weekdays at 06:00 (Europe/Helsinki)"),
        ("weekends", "at weekends at 00:00 (Europe/Helsinki)"),
        ("20 minutes", "every 20 minutes"),
        ("* * * * *", "every minute"),
        ("hourly", "every hour, on the hour"),
        ("hourly at :05", "every hour at 05 past"),
        ("0,10,45 * * * *", "every hour at 00, 10 and 45 past"),
        ("45 minutes", "every 45 minutes, counted without a break"),
        ("7 hours", "every 7 hours, counted without a break"),
        ("6 hours", "every 6 hours, at 00:00, 06:00, 12:00 and 18:00 (Europe/Helsinki)"),
        ("2 hours", "every 2 hours from 00:00 (Europe/Helsinki)"),
        ("2 days at 03:00", "every 2 days at 03:00 (Europe/Helsinki)"),
        ("2 weeks on mon", "on Mondays of every 2nd week at 00:00 (Europe/Helsinki)"),
        (
            "monthly on 31 at 04:00",
            "on the 31st of each month at 04:00 (Europe/Helsinki); months without one are left out",
        ),
        ("monthly on last", "on the last day of each month at 00:00 (Europe/Helsinki)"),
        (
            "monthly on 29",
            "on the 29th of each month at 00:00 (Europe/Helsinki); 29 February only in leap years",
        ),
        ("yearly on feb 29", "every year on 29 February at 00:00 (Europe/Helsinki); only in leap years"),
        ("yearly on 24 december at 12", "every year on 24 December at 12:00 (Europe/Helsinki)"),
        ("*/15 8-17 * * 1-5", "on weekdays, every 15 minutes from 08:00 to 17:45 (Europe/Helsinki)"),
        ("0 0 13 * 5", "on the 13th of each month and also on Fridays at 00:00 (Europe/Helsinki)"),
        ("0 6 * 1,7 1", "on Mondays in January and July at 06:00 (Europe/Helsinki)"),
    ],
)
def test_a_cadence_is_said_as_a_person_would(every: str, words: str) -> None:
    assert parse_cadence(every, timezone=ZONE).words == words


@pytest.mark.parametrize(
    ("every", "words"),
    [
        ("*/7 * * * *", "every 7 minutes from 00 to 56 past the hour"),
        ("1-59/2 * * * *", "every 2 minutes from 01 to 59 past the hour"),
        ("0-10,20,30-40 * * * *", "every hour at 00 to 10, 20 and 30 to 40 past"),
        ("*/5 2 * * *", "every 5 minutes from 02:00 to 02:55 (UTC)"),
        ("10-30 2 * * *", "every minute from 10 to 30 past the hour, in the hour from 02:00 (UTC)"),
        ("0 9-17 * * *", "every hour from 09:00 to 17:00 (UTC)"),
        ("23 0-20/2 * * *", "every 2 hours from 00:23 to 20:23 (UTC)"),
        ("15,45 8-17 * * 1-5", "on weekdays at 15 and 45 past, each hour from 08 to 17 (UTC)"),
        (
            "1-30 3,5 * * *",
            "every minute from 01 to 30 past the hour, in the hours 03 and 05 (UTC)",
        ),
        (
            "3-59/15 2,6-20 * * 6",
            "on Saturdays at 03, 18, 33 and 48 past, in the hours 02 and 06 to 20 (UTC)",
        ),
        ("0 3 */2 * *", "on every 2nd day from the 1st to the 31st of each month at 03:00 (UTC)"),
        ("0 4 1-12,20-28 2 *", "on the 1st to 12th and 20th to 28th of February at 04:00 (UTC)"),
        (
            "0 0 */2 3 1",
            "on Mondays, but only on every 2nd day from the 1st to the 31st of March, at 00:00 (UTC)",
        ),
    ],
)
def test_a_cron_expression_that_names_much_is_drawn_together_in_words(every: str, words: str) -> None:
    assert parse_cadence(every).words == words


def test_many_days_of_a_month_are_all_named_when_people_named_them() -> None:
    words = parse_cadence("monthly", on="1,3,5,7,9,11,13,15,17,last").words
    assert words.startswith(
        "on the 1st, 3rd, 5th, 7th, 9th, 11th, 13th, 15th, 17th and last day of each month"
    )


@given(expressions())
def test_every_expression_has_words(expression: Expression) -> None:
    with contextlib.suppress(ConfigError):  # a day that never comes
        words = parse_cadence(expression.text, timezone=ZONE).words
        assert words
        assert "None" not in words
        assert expression.text not in words
