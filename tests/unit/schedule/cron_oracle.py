"""A calculator of its own for cron expressions: minute by minute, as a cron daemon goes. Slow, and plain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

MINUTE = timedelta(minutes=1)
_SPANS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))


@dataclass(frozen=True, slots=True)
class Field:
    """A field as text, and the numbers that it stands for; nothing is parsed here."""

    text: str
    numbers: frozenset[int]


@dataclass(frozen=True, slots=True)
class Expression:
    minute: Field
    hour: Field
    day: Field
    month: Field
    weekday: Field

    @property
    def text(self) -> str:
        return " ".join(each.text for each in (self.minute, self.hour, self.day, self.month, self.weekday))

    @property
    def follows_clock(self) -> bool:
        return self.minute.text[0] == "*" or self.hour.text[0] == "*"

    def shows(self, local: datetime) -> bool:
        """Whether a clock that reads this is what the expression waits for."""
        if local.minute not in self.minute.numbers or local.hour not in self.hour.numbers:
            return False
        if local.month not in self.month.numbers:
            return False
        of_month = local.day in self.day.numbers
        of_week = bool({local.isoweekday(), local.isoweekday() % 7} & self.weekday.numbers)
        if "*" in (self.day.text[0], self.weekday.text[0]):
            return of_month and of_week
        return of_month or of_week


def fired(expression: Expression, zone: ZoneInfo, begin: datetime, end: datetime) -> Iterator[datetime]:
    """Give each UTC minute in [begin, end) in which a careful cron daemon starts the job."""
    before = (begin - MINUTE).astimezone(zone)
    moment = begin
    while moment < end:
        local = moment.astimezone(zone)
        if expression.follows_clock:
            is_due = expression.shows(local)
        else:
            is_due = (local.fold == 0 and expression.shows(local)) or any(
                expression.shows(each) for each in _jumped(before, local)
            )
        if is_due:
            yield moment
        before, moment = local, moment + MINUTE


def _jumped(before: datetime, local: datetime) -> Iterator[datetime]:
    """Give the readings between two minutes that the clock never showed."""
    reading = before.replace(tzinfo=None) + MINUTE
    while reading < local.replace(tzinfo=None):
        yield reading
        reading += MINUTE


def _whole(low: int, high: int) -> st.SearchStrategy[Field]:
    return st.just(Field("*", frozenset(range(low, high + 1))))


def _stepped(low: int, high: int) -> st.SearchStrategy[Field]:
    return st.integers(1, min(high - low, 30)).map(
        lambda step: Field(f"*/{step}", frozenset(range(low, high + 1, step)))
    )


def _listed(low: int, high: int) -> st.SearchStrategy[Field]:
    numbers = st.lists(st.integers(low, high), min_size=1, max_size=3)
    return numbers.map(lambda found: Field(",".join(map(str, found)), frozenset(found)))


def _ranged(low: int, high: int) -> st.SearchStrategy[Field]:
    bounds = st.tuples(st.integers(low, high), st.integers(low, high)).map(sorted)
    return bounds.map(lambda two: Field(f"{two[0]}-{two[1]}", frozenset(range(two[0], two[1] + 1))))


def _field(low: int, high: int) -> st.SearchStrategy[Field]:
    return st.one_of(*(make(low, high) for make in (_whole, _stepped, _listed, _ranged)))


def expressions() -> st.SearchStrategy[Expression]:
    """Expressions of every shape that cron takes."""
    return st.builds(Expression, *(_field(low, high) for low, high in _SPANS))
