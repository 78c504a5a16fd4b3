"""All records that a question finds, in batches: their numbers from the index, themselves from the store."""

from __future__ import annotations

from collections.abc import Iterator

from windrow.exports.entry import Entry, mapped
from windrow.finding.question import Question
from windrow.index.protocol import Index, Order
from windrow.store.records import RecordReader
from windrow.store.store import Store

BATCH = 1000  # the index is asked once for each


def walk(index: Index, question: Question, *, most: int) -> Iterator[list[int]]:
    """Give the numbers of what is found, in the question's order; each once, and `most` at most.

    An index gives only the first of them by relevance. The others follow in the order in which they came.
    """
    total, given = 0, set[int]()
    for order in dict.fromkeys((question.order, Order.NUMBER)):
        after: str | None = None
        while len(given) < most:
            found = index.search(question.query, limit=BATCH, order=order, after=after)
            total, after = found.total, found.next
            numbers = dict.fromkeys(hit.card.number for hit in found.hits if hit.card.number not in given)
            batch = list(numbers)[: most - len(given)]
            given.update(batch)
            if batch:
                yield batch
            if after is None:
                break
        if len(given) >= min(total, most):
            return


class Fetcher:
    """Gives whole records by their numbers. For one thread at a time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._reader = RecordReader()

    def fetch(self, numbers: list[int]) -> Iterator[Entry]:
        """Give those that are still there and for everybody, in this order, each with its document."""
        # A short look each time: somebody who reads slowly must not hold up the store's tidying.
        with self._store.reading() as connection:
            records = self._reader.shown(connection, numbers)
        for number in numbers:
            record = records.get(number)
            if record is not None:
                yield mapped(record, record.payload())
