"""Identifiers of many records at once: each stretch of records that came together as one text.

Beside `leaves`, whose records these are. Sitemaps name every record of a library, and nearly all of them are
as they came: written together by the database, they cost a third of what a row for each does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from windrow.store.connection import Connection
from windrow.store.leaves import GUARDS, HIDDEN_THERE, Leaf

TOGETHER = 10  # records at one moment, on average: with fewer, stretches are no gain
APART = "\x1e"  # between two identifiers
MOVED = "\x1f"  # behind an identifier whose record changed since it came; then comes the number of the change

# The moments drive, in the order of their numbers: so no group needs to be sorted, and each reads on in the
# order of the records. What changed since keeps its place there.
_STRETCHES = f"""
    SELECT m.at, COUNT(*), COUNT(*) FILTER (WHERE r.seq <> r.id), GROUP_CONCAT(
      CASE WHEN r.seq = r.id THEN r.identifier ELSE r.identifier || '{MOVED}' || r.seq END, '{APART}')
    FROM moment m CROSS JOIN record r INDEXED BY record_leaf
    WHERE m.seq >= ? AND m.seq <= (SELECT MIN(seq) FROM moment WHERE seq >= ?)
      AND r.source_id = ? AND r.id <= MIN(m.seq, ?)
      AND r.id >= MAX(?, 1 + COALESCE((SELECT MAX(p.seq) FROM moment p WHERE p.seq < m.seq), 0))
      AND NOT r.is_deleted AND r.group_id NOT IN ({HIDDEN_THERE})
    GROUP BY m.seq
"""
_MOMENTS = "SELECT COUNT(*) FROM (SELECT 1 FROM moment WHERE seq >= ? AND seq <= ? LIMIT ?)"


class Stretch(NamedTuple):
    """What everybody may see of records that came at one moment, in the order of their numbers."""

    at: int  # Unix seconds
    number: int
    moved: int  # of them, that changed since
    text: str

    @property
    def is_clear(self) -> bool:
        """Whether the text can be taken apart: no identifier has a mark of ours in it."""
        return self.text.count(APART) == self.number - 1 and self.text.count(MOVED) == self.moved

    def parts(self, at: Callable[[int], int]) -> Iterator[tuple[str, int]]:
        """Give the text in parts that last changed at one moment each; `at` tells when a change was."""
        rest, *others = self.text.split(MOVED)
        is_left = APART
        for other in others:
            before, is_before, name = rest.rpartition(APART)
            if is_before:
                yield before, self.at
            seq, is_left, rest = other.partition(APART)
            yield name, at(int(seq))
        if is_left:
            yield rest, self.at


def are_together(connection: Connection, run: Sequence[Leaf]) -> bool:
    """Say whether the records on leaves that follow each other came in stretches that are worth it."""
    most = sum(each.live for each in run) // TOGETHER
    span = (run[0].first_id, run[-1].last_id)
    return bool(connection.exec_driver_sql(_MOMENTS, (*span, most + 1)).scalar_one() <= most)


def stretches(connection: Connection, run: Sequence[Leaf]) -> list[Stretch]:
    """Give what everybody may see on leaves that follow each other, as `leaves.entries` would."""
    first, last, source_id = run[0].first_id, run[-1].last_id, run[0].source_id
    values = (first, last, source_id, last, first, *GUARDS, source_id)
    return [Stretch(*row) for row in connection.exec_driver_sql(_STRETCHES, values)]
