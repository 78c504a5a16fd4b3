"""Years as a series for bars: every year from the first to the last, also those without anything."""

from __future__ import annotations

from collections.abc import Sequence

from windrow.index.protocol import Counted, Counts
from windrow.model.academic_years import first_year, is_label, label

MOST_BARS = 150


def as_series(counts: Counts) -> Counts:
    """Years in their order without a gap: of those too far apart for a row, the stretch with most records."""
    known = ((first_year(each.value), each.count) for each in counts.values)
    found = sorted((year, count) for year, count in known if year is not None and year >= 0)
    starts = int(any(is_label(each.value) for each in counts.values))
    kept = dict(_fullest(found))
    others = counts.others + sum(count for year, count in found if year not in kept)
    if not kept:
        return Counts((), others)
    years = range(min(kept), max(kept) + 1)
    return Counts(tuple(Counted(label(year, starts), kept.get(year, 0)) for year in years), others)


def _fullest(found: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    """The years within so many of one another that have most records; of several such stretches the last."""
    start, total, most, best = 0, 0, 0, (0, 0)
    for end, (year, count) in enumerate(found, start=1):
        total += count
        while year - found[start][0] >= MOST_BARS:
            total -= found[start][1]
            start += 1
        if total >= most:
            most, best = total, (start, end)
    return found[best[0] : best[1]]
