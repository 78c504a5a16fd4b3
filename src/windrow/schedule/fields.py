"""The five fields that say when: minutes, hours, days, months, weekdays. All that goes by the clock is these.

`cron_fields` and `phrases` make them, `local_days` turns them into moments, the hosts write them down.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

MINUTES, HOURS = tuple(range(60)), tuple(range(24))
DAYS, MONTHS = tuple(range(1, 32)), tuple(range(1, 13))
WEEKDAYS = tuple(range(7))  # 0 is Sunday, as cron has it
WEEKDAY_NAMES = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
MONTH_NAMES = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
LONGEST_MONTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
# What "every 2 days" and "every 2 weeks" count from.
FIRST_DAY, FIRST_MONDAY = date(2000, 1, 1).toordinal(), date(2000, 1, 3).toordinal()


@dataclass(frozen=True, slots=True)
class Fields:
    """When a clock on the wall says that it is time. Each tuple is sorted and without repetitions.

    `is_either`: one of days and weekdays is enough. `follows_clock`: it goes on through the nights when
    clocks change, as what is meant is "every so often", not "at that time".
    """

    minutes: tuple[int, ...] = (0,)
    hours: tuple[int, ...] = (0,)
    days: tuple[int, ...] = DAYS
    months: tuple[int, ...] = MONTHS
    weekdays: tuple[int, ...] = WEEKDAYS
    is_either: bool = False
    follows_clock: bool = False
    on_last_day: bool = False  # of the month, besides `days`
    every_days: int = 1
    every_weeks: int = 1

    def matches(self, day: date) -> bool:
        """Whether it is time at all on this day."""
        if day.month not in self.months:
            return False
        of_month, of_week = self._is_day(day), day.isoweekday() % 7 in self.weekdays
        if self.is_either:
            return of_month or of_week
        return of_month and of_week and self._is_turn(day)

    def _is_day(self, day: date) -> bool:
        if day.day in self.days:
            return True
        return self.on_last_day and (day + timedelta(days=1)).day == 1

    def _is_turn(self, day: date) -> bool:
        number = day.toordinal()
        return (number - FIRST_DAY) % self.every_days == 0 and (
            (number - FIRST_MONDAY) // 7 % self.every_weeks == 0
        )

    @property
    def times(self) -> tuple[int, ...]:
        """The minutes of the day, from midnight."""
        return tuple(hour * 60 + minute for hour in self.hours for minute in self.minutes)

    @property
    def is_every_day(self) -> bool:
        """Whether no day is left out."""
        every_date = self.days == DAYS and self.months == MONTHS and self.weekdays == WEEKDAYS
        return every_date and self.every_days == self.every_weeks == 1

    @property
    def is_every_hour(self) -> bool:
        """Whether no hour of any day is left out."""
        return self.is_every_day and self.hours == HOURS

    @property
    def never_comes(self) -> bool:
        """Whether no calendar has such a day: 30 February."""
        if self.is_either or self.on_last_day:
            return False
        return not any(True for _ in self.dates())

    def dates(self) -> Iterator[tuple[int, int]]:
        """Give each month and day of the month that there is in some year."""
        for month in self.months:
            yield from ((month, day) for day in self.days if day <= LONGEST_MONTHS[month - 1])


def shortest(month: int) -> int:
    """Give how many days a month has in every year."""
    return 28 if month == 2 else LONGEST_MONTHS[month - 1]
