"""Years as a series for bars: every year from the first to the last, also those without anything."""

from __future__ import annotations

from windrow.index.protocol import Counted, Counts

MOST_BARS = 150


def as_series(counts: Counts) -> Counts:
    """Years in their order without a gap; far outliers (the year 9999) become others, not a long gap."""
    found = sorted((int(each.value), each.count) for each in counts.values if each.value.isdecimal())
    start, end, others = 0, len(found) - 1, counts.others
    while start < end and found[end][0] - found[start][0] >= MOST_BARS:
        if found[start][1] <= found[end][1]:  # the end with less to show is the outlier
            others += found[start][1]
            start += 1
        else:
            others += found[end][1]
            end -= 1
    kept = dict(found[start : end + 1])
    if not kept:
        return Counts((), others)
    years = range(min(kept), max(kept) + 1)
    return Counts(tuple(Counted(str(year), kept.get(year, 0)) for year in years), others)
