"""Embargoes that have ended since their records were indexed: once a day these records are taken in again.

No record changes when an embargo ends, so the sequence of changes does not lead to it. What the index calls
embargoed is looked through on the first occasion of each day (UTC), and noted beside the generations.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from windrow.index.feeder import refresh
from windrow.index.generations import Generations
from windrow.index.protocol import Index, Order
from windrow.model.document import Document
from windrow.model.query import Value
from windrow.model.rights import EMBARGOED, access_of, statements_of
from windrow.store.store import Store

_NOTE = "embargoes"  # the day on which they were last looked through
_PAGE = 1000


def is_due(generations: Generations, today: date) -> bool:
    """Return whether embargoes have not been looked through today."""
    try:
        return (generations.folder / _NOTE).read_text(encoding="ascii") != today.isoformat()
    except (OSError, UnicodeError):
        return True


def note(generations: Generations, today: date) -> None:
    """Note that embargoes are as of today."""
    (generations.folder / _NOTE).write_text(today.isoformat(), encoding="ascii")


def follow(store: Store, generations: Generations, index: Index, today: date) -> int:
    """Take in again the records whose embargo has ended; return how many there were."""

    def has_ended(document: Document) -> bool:
        return access_of(statements_of(document, today)) != EMBARGOED

    numbers = list(_embargoed(index))
    done = refresh(store, generations, numbers, has_ended) if numbers else None
    if done is not None and done.is_busy:
        return 0  # whoever writes now comes by again
    note(generations, today)
    return 0 if done is None else done.put


def _embargoed(index: Index) -> Iterator[int]:
    after: str | None = None
    while True:
        found = index.search(Value(EMBARGOED, "access"), limit=_PAGE, order=Order.NUMBER, after=after)
        yield from (hit.card.number for hit in found.hits)
        after = found.next
        if after is None:
            return
