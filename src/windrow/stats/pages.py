"""How long things are: how page counts are spread."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from windrow.index.protocol import MOST_VALUES, Counted, Tally
from windrow.stats.averages import Averages, averages_of
from windrow.stats.message import Message, message
from windrow.stats.population import Population
from windrow.stats.table import Column, Drawing, Form, Kind, Row, Table

PAGES = Tally("pages", MOST_VALUES, is_by_value=True)
MOST_BINS = 30
_WIDTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_TAIL = 0.99  # what is longer than this share of all stands in one open class at the end


def pages(population: Population) -> Table:
    """How many records have how many pages, in classes of equal width and an open one at the end."""
    (counts,) = population.tally(PAGES)
    found = averages_of(counts.values)
    classes = classes_of(counts.values)
    rows = tuple(
        Row((_label(low, high), count, count / found.counted), (("pages", f"{low}..{high or ''}"),))
        for low, high, count in classes
    )
    return Table(
        "pages",
        message("Distribution of page counts"),
        (
            Column("pages", message("Pages")),
            Column("records", message("Records"), Kind.NUMBER),
            Column("share", message("Share of records with pages"), Kind.SHARE),
        ),
        rows,
        population.period(),
        population.origin,
        _notes(found, population.count(), counts.others),
        _summary(found),
        Drawing(Form.HISTOGRAM, "pages", ("records",), most=MOST_BINS + 1),
    )


def classes_of(counted: Sequence[Counted]) -> list[tuple[int, int | None, int]]:
    """Give classes as first and last page count, None for an open end, and how many are in each."""
    known = sorted((int(each.value), each.count) for each in counted)
    if not known:
        return []
    end = _tail(known)
    width = next((width for width in _WIDTHS if end // width < MOST_BINS), -(-end // MOST_BINS))
    edge = (end // width + 1) * width  # the first page count of the open class
    bins: dict[int, int] = dict.fromkeys(range(known[0][0] // width * width, edge, width), 0)
    for value, count in known:
        low = value // width * width if value < edge else edge
        bins[low] = bins.get(low, 0) + count
    return [(low, None if low >= edge else low + width - 1, count) for low, count in sorted(bins.items())]


def _tail(known: Iterable[tuple[int, int]]) -> int:
    """The page count that all but the longest few do not exceed."""
    listed = list(known)
    wanted = _TAIL * sum(count for _, count in listed)
    passed = 0
    for value, count in listed:
        passed += count
        if passed >= wanted:
            return value
    return listed[-1][0]


def _label(low: int, high: int | None) -> str | Message:
    if high is None:
        return message("{low} and more", low=low)
    return str(low) if low == high else f"{low}–{high}"


def _notes(found: Averages, total: int, others: int) -> tuple[Message, ...]:
    notes = []
    if found.mean is not None and found.median is not None:
        notes.append(
            message(
                "Mean {mean}, median {median}: half of the records have at most that many pages.",
                mean=found.mean,
                median=found.median,
            )
        )
    if total > found.counted:
        notes.append(
            message("Without a page count: {count} of {total}.", count=total - found.counted, total=total)
        )
    if others:
        notes.append(
            message("Page counts beyond the first {most} different ones are left out.", most=MOST_VALUES)
        )
    return tuple(notes)


def _summary(found: Averages) -> Message | None:
    if found.median is None:
        return None
    return message(
        "Half of {count} records have at most {median} pages.", count=found.counted, median=found.median
    )
