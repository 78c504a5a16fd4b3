"""Who came by in the last days: what `/status` shows of crawlers, and of visits from search engines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from windrow.store import visits
from windrow.store.store import Store
from windrow.store.visits import CRAWLER, SEARCH, Counted

DAYS = 30
WEEK = 7
COLUMNS = 5  # families with a column of their own in the table of days


@dataclass(frozen=True, slots=True)
class Family:
    """How often a family came."""

    name: str
    today: int
    week: int
    month: int


@dataclass(frozen=True, slots=True)
class Day:
    """One day: the families with columns, all other crawlers, all of them; visits from search engines."""

    day: date
    families: tuple[int, ...]
    others: int
    crawlers: int
    searches: int


@dataclass(frozen=True, slots=True)
class Coming:
    """Who came by, each list with the most frequent first; empty where nobody did."""

    crawlers: Sequence[Family]
    engines: Sequence[Family]
    columns: Sequence[str]  # the names of the families in `days`
    days: Sequence[Day]  # from today back to the first that has anything

    @property
    def all_crawlers(self) -> Family:
        """All crawlers together."""
        return _sum(self.crawlers)

    @property
    def all_engines(self) -> Family:
        """All search engines together."""
        return _sum(self.engines)


def coming(store: Store) -> Coming:
    """Give who came by in the last days, today included. Days are those of UTC."""
    today = datetime.fromtimestamp(store.clock(), UTC).date()
    with store.reading() as connection:
        counted = visits.since(connection, (today - timedelta(days=DAYS - 1)).isoformat())
    crawlers = _families([each for each in counted if each.kind == CRAWLER], today)
    engines = _families([each for each in counted if each.kind == SEARCH], today)
    columns = [family.name for family in crawlers[:COLUMNS]]
    return Coming(crawlers, engines, columns, _days(counted, columns, today))


def _families(counted: Sequence[Counted], today: date) -> list[Family]:
    """Give the families among the counts, the most frequent first."""
    month = _by_family(counted)
    week = _by_family(each for each in counted if _age(each, today) < WEEK)
    this = _by_family(each for each in counted if _age(each, today) == 0)
    ordered = sorted(month, key=lambda name: (-month[name], name))
    return [Family(name, this[name], week[name], month[name]) for name in ordered]


def _days(counted: Sequence[Counted], columns: Sequence[str], today: date) -> list[Day]:
    if not counted:
        return []
    length = max(_age(each, today) for each in counted) + 1
    by_day: dict[str, list[Counted]] = {}
    for each in counted:
        by_day.setdefault(each.day, []).append(each)
    dates = (today - timedelta(days=age) for age in range(length))
    return [_day(each, by_day.get(each.isoformat(), []), columns) for each in dates]


def _day(day: date, counted: Sequence[Counted], columns: Sequence[str]) -> Day:
    families = _by_family(each for each in counted if each.kind == CRAWLER)
    shown = tuple(families[name] for name in columns)
    total = families.total()
    searches = sum(each.count for each in counted if each.kind == SEARCH)
    return Day(day, shown, total - sum(shown), total, searches)


def _by_family(counted: Iterable[Counted]) -> Counter[str]:
    sums: Counter[str] = Counter()
    for each in counted:
        sums[each.family] += each.count
    return sums


def _age(counted: Counted, today: date) -> int:
    """Give how many days ago something was; a clock that was set back leaves days that are still to come."""
    return max(0, (today - date.fromisoformat(counted.day)).days)


def _sum(families: Sequence[Family]) -> Family:
    return Family(
        "",
        sum(each.today for each in families),
        sum(each.week for each in families),
        sum(each.month for each in families),
    )
