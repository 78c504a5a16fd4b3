"""What all documents of a large index have most often, worked out once by its writer and not by each reader.

Between `writing`, which has it made whenever it has brought an index up to date, and `searching`. To find the
most used of many thousand values takes going through all of them: a tenth of a second a million documents,
and every first visitor after a change would wait for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tantivy

from windrow.index import asking
from windrow.index.protocol import Counted, Counts, Tally
from windrow.index.tallying import SKEWED, tally

LEAST_RECORDS = 50_000  # of fewer, nobody notices
MOST_SUMMED = 50  # values of a field

Note = dict[str, Any]


def sum_up(searcher: tantivy.Searcher, *, commits: int) -> Note:
    """Work it out for the state that a writer has committed for the so manieth time; to be kept as JSON."""
    asked = [Tally(field, MOST_SUMMED) for field in SKEWED]
    found = tally(searcher, asking.everything(), asked, is_of_all=True)
    fields = {
        each.field: {"values": [[one.value, one.count] for one in counts.values], "others": counts.others}
        for each, counts in zip(asked, found, strict=True)
    }
    return {"commits": commits, "records": searcher.num_docs, "fields": fields}


class Summary:
    """Answers tallies of all documents from what a writer noted, once it is there and of the same state."""

    def __init__(self, read: Callable[[], Note] = dict, *, commits: int = 0, records: int = 0) -> None:
        self._read = read
        self._state = (commits, records)
        self._known: dict[str, Counts] = {}

    def answer(self, asked: Tally) -> Counts | None:
        """Give what a tally of all documents comes to; None where that was not worked out."""
        if asked.field not in SKEWED or asked.limit > MOST_SUMMED or asked != Tally(asked.field, asked.limit):
            return None
        if not self._known:
            self._known = self._find()
        known = self._known.get(asked.field)
        return None if known is None else _first(known, max(1, asked.limit))

    def _find(self) -> dict[str, Counts]:
        found = self._read()
        if (found.get("commits"), found.get("records")) != self._state:
            return {}
        try:
            return {field: _counts(noted) for field, noted in found["fields"].items()}
        except (LookupError, TypeError, ValueError, AttributeError):  # a note that others made otherwise
            return {}


def _counts(noted: Note) -> Counts:
    values = tuple(Counted(str(value), int(count)) for value, count in noted["values"])
    return Counts(values, int(noted["others"]))


def _first(counts: Counts, limit: int) -> Counts:
    left_out = sum(each.count for each in counts.values[limit:])
    return Counts(counts.values[:limit], counts.others + left_out)
