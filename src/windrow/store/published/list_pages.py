"""The leaves that a source's records lie on: what lists for crawlers and sitemaps are made from.

A record keeps its number whatever happens to it, and so its place: leaf 17 holds the same records for ever,
deleted ones counted. `follow` brings the leaves up to date with the sequence of changes, as the index is;
whoever shows them only reads.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from windrow.store import sequence
from windrow.store.connection import Connection
from windrow.store.records.set_hierarchy import GUARD
from windrow.store.store import Store

PAGE_RECORDS = 200  # records
BATCH_RECORDS = (
    10_000  # records and changes in a transaction: some ten milliseconds that a harvest may have to wait
)

# The combinations of sets with a guard among them: what is in one of them is not for everybody.
_HIDDEN = """
    SELECT m.group_id FROM source_set g JOIN set_member m ON m.set_id = g.id WHERE g.spec >= ? AND g.spec < ?
"""
HIDDEN_THERE = f"{_HIDDEN} AND g.source_id = ?"
GUARDS = (GUARD, GUARD[:-1] + chr(ord(GUARD[-1]) + 1))
_SEEN = "leaf_seq"  # the setting that holds up to which change the leaves are true
_WHOLE = "leaf_whole"  # the one that is there once they were true up to the newest
_CURSOR = "SELECT value FROM setting WHERE key = ?"
_NOTE = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
# Harvesting alone does without this index, and is quicker; leaves of a source that trickles in need it.
_INDEX = "CREATE INDEX IF NOT EXISTS record_leaf ON record (source_id, id)"
_NEW = f"""
    SELECT source_id, id, seq, NOT is_deleted AND group_id NOT IN ({_HIDDEN}) FROM record NOT INDEXED
    WHERE id > ? ORDER BY id LIMIT ?
"""
_MOVED = """
    SELECT seq, source_id, id FROM record INDEXED BY record_moved
    WHERE seq <> id AND seq > ? ORDER BY seq LIMIT ?
"""
_LAST = "SELECT * FROM leaf WHERE source_id = ? ORDER BY number DESC LIMIT 1"
_STARTS = "SELECT first_id FROM leaf WHERE source_id = ? ORDER BY number"
_PUT = "INSERT OR REPLACE INTO leaf VALUES (?, ?, ?, ?, ?, ?, ?)"
# Anew from its records: what a leaf said before a record changed does not tell what that record was then.
_RECOUNT = f"""
    UPDATE leaf SET (live, seq) = (
      SELECT COALESCE(SUM(NOT r.is_deleted AND r.group_id NOT IN ({HIDDEN_THERE})), 0), MAX(r.seq)
      FROM record r WHERE r.source_id = leaf.source_id AND r.id BETWEEN leaf.first_id AND leaf.last_id
    ) WHERE source_id = ? AND number = ?
"""
_LEAVES = "SELECT * FROM leaf WHERE source_id = ? AND number >= ? ORDER BY number LIMIT ?"
_ENTRIES = f"""
    SELECT id, identifier, seq FROM record WHERE source_id = ? AND id BETWEEN ? AND ? AND NOT is_deleted
      AND group_id NOT IN ({HIDDEN_THERE}) ORDER BY id
"""
_SHELVES = """
    SELECT s.name, s.id, COUNT(*), SUM(l.live), MAX(l.seq) FROM leaf l JOIN source s ON s.id = l.source_id
    GROUP BY l.source_id ORDER BY s.name
"""
_SHELF = """
    SELECT s.name, s.id, COUNT(*), SUM(l.live), MAX(l.seq) FROM source s JOIN leaf l ON l.source_id = s.id
    WHERE s.name = ? GROUP BY s.id
"""
_SECTIONS = """
    SELECT s.name, l.source_id, (l.number - 1) / ? + 1 AS section, SUM(l.live), MAX(l.seq)
    FROM leaf l JOIN source s ON s.id = l.source_id GROUP BY l.source_id, section ORDER BY s.name, section
"""
_AT = "SELECT at FROM moment WHERE seq >= ? ORDER BY seq LIMIT 1"
_BEFORE = "SELECT MAX(number) FROM leaf WHERE source_id = ? AND number < ? AND live > 0"
_AFTER = "SELECT MIN(number) FROM leaf WHERE source_id = ? AND number > ? AND live > 0"


class ListPage(NamedTuple):
    """Some records of a source, from one number to another; `seq` is of the newest change to any of them."""

    source_id: int
    number: int
    first_id: int
    last_id: int
    total: int
    live: int  # that everybody may see
    seq: int


class SourcePages(NamedTuple):
    """All leaves of a source together."""

    name: str
    source_id: int
    leaves: int
    live: int
    seq: int


class PageSection(NamedTuple):
    """So many leaves of a source that follow each other."""

    name: str
    source_id: int
    number: int
    live: int
    seq: int


def update_list_pages(store: Store, *, heed: Callable[[], object] = lambda: None) -> int:
    """Bring the leaves up to date; give how many records and changes were looked at.

    In transactions of bounded size, each of which leaves everything true up to a number; between two of
    them `heed` may raise to end the work.
    """
    done = 0
    while not _is_done(store):
        with store.writing() as connection:
            done += _advance(connection)
        heed()
    return done


def is_in_use(connection: Connection) -> bool:
    """Return whether anybody ever asked for leaves."""
    return connection.exec_driver_sql(_CURSOR, (_SEEN,)).first() is not None


def is_complete(connection: Connection) -> bool:
    """Return whether the leaves ever held everything; until then, what they say is too little."""
    return connection.exec_driver_sql(_CURSOR, (_WHOLE,)).first() is not None


def list_source_pages(connection: Connection) -> list[SourcePages]:
    """Return the sources that have leaves, by name."""
    return [SourcePages(*row) for row in connection.exec_driver_sql(_SHELVES)]


def find_source_pages(connection: Connection, name: str) -> SourcePages | None:
    """Return the leaves of the source of this name together; None where it has none."""
    found = connection.exec_driver_sql(_SHELF, (name,)).first()
    return SourcePages(*found) if found else None


def list_sections(connection: Connection, size: int) -> list[PageSection]:
    """Return all leaves in sections of so many, by the names of their sources."""
    return [PageSection(*row) for row in connection.exec_driver_sql(_SECTIONS, (size,))]


def changed_at(connection: Connection, seq: int) -> int:
    """Return when a change became visible, Unix seconds."""
    return int(connection.exec_driver_sql(_AT, (seq,)).scalar() or 0)


def list_pages(connection: Connection, source_id: int, first: int = 1, limit: int = -1) -> list[ListPage]:
    """Return leaves of a source from a number on, in order; without a limit, all."""
    return [ListPage(*row) for row in connection.exec_driver_sql(_LEAVES, (source_id, first, limit))]


def get_page(connection: Connection, source_id: int, number: int) -> ListPage | None:
    """Return one leaf."""
    found = list_pages(connection, source_id, number, 1)
    return found[0] if found and found[0].number == number else None


def find_neighbours(connection: Connection, source_id: int, number: int) -> tuple[int | None, int | None]:
    """Return the nearest leaves before and after one on which there is something to see."""
    run = connection.exec_driver_sql
    before, after = (run(text, (source_id, number)).scalar() for text in (_BEFORE, _AFTER))
    return before, after


def list_entries(connection: Connection, run: Sequence[ListPage]) -> list[tuple[int, str, int]]:
    """Return what everybody may see on leaves that follow each other: number, identifier, newest change."""
    if not run:
        return []
    source_id = run[0].source_id
    values = (source_id, run[0].first_id, run[-1].last_id, *GUARDS, source_id)
    return connection.exec_driver_sql(_ENTRIES, values).all()


def _is_done(store: Store) -> bool:
    with store.reading() as connection:
        return is_in_use(connection) and _cursor(connection) == sequence.last(connection)


def _cursor(connection: Connection) -> int:
    return int(connection.exec_driver_sql(_CURSOR, (_SEEN,)).scalar() or 0)


def _advance(connection: Connection) -> int:
    """Take in what came after the cursor, up to a number before which nothing is left out; move it there."""
    since, last = _cursor(connection), sequence.last(connection)
    top = last
    if not since:
        connection.exec_driver_sql(_INDEX)
    new = connection.exec_driver_sql(_NEW, (*GUARDS, since, BATCH_RECORDS)).all()
    moved = connection.exec_driver_sql(_MOVED, (since, BATCH_RECORDS)).all()
    if len(new) == BATCH_RECORDS:
        top = new[-1][1]
    if len(moved) == BATCH_RECORDS:
        top = min(top, moved[-1][0])
    new = [row for row in new if row[1] <= top]
    changed = [(source_id, number) for seq, source_id, number in moved if seq <= top]
    _append(connection, new)
    _recount(connection, changed)
    connection.exec_driver_sql(_NOTE, (_SEEN, str(top)))
    if top == last:
        connection.exec_driver_sql(_NOTE, (_WHOLE, "1"))
    return len(new) + len(changed)


def _append(connection: Connection, new: Iterable[tuple[Any, ...]]) -> None:
    """Lay new records, in the order of their numbers, on the last leaf of their source and on new ones."""
    for source_id, rows in groupby(sorted(new), key=itemgetter(0)):
        found = connection.exec_driver_sql(_LAST, (source_id,)).first()
        current = ListPage(*found) if found else ListPage(source_id, 0, 0, 0, PAGE_RECORDS, 0, 0)
        written: dict[int, ListPage] = {}
        for _, number, seq, is_live in rows:
            if current.total >= PAGE_RECORDS:
                current = ListPage(source_id, current.number + 1, number, number, 0, 0, 0)
            _, place, first, _, total, live, newest = current
            current = ListPage(source_id, place, first, number, total + 1, live + is_live, max(newest, seq))
            written[place] = current
        connection.exec_driver_sql(_PUT, list(written.values()))


def _recount(connection: Connection, changed: Iterable[tuple[int, int]]) -> None:
    """Count the leaves anew on which these records lie."""
    stale: list[tuple[object, ...]] = []
    for source_id, rows in groupby(sorted(changed), key=itemgetter(0)):
        starts = connection.exec_driver_sql(_STARTS, (source_id,)).scalars()
        places = {bisect_right(starts, number) for _, number in rows}
        stale += [(*GUARDS, source_id, source_id, place) for place in sorted(places)]
    connection.exec_driver_sql(_RECOUNT, stale)


# Identifiers of many records at once: each stretch of records that came together as one text.
# Beside `leaves`, whose records these are. Sitemaps name every record of a library, and nearly all of
# them are as they came: written together by the database, they cost a third of what a row for each does.

MIN_STRETCH_RECORDS = 10  # records at one moment, on average: with fewer, stretches are no gain
SEPARATOR = "\x1e"  # between two identifiers
CHANGED_SIGN = (
    "\x1f"  # behind an identifier whose record changed since it came; then comes the number of the change
)

# The moments drive, in the order of their numbers: so no group needs to be sorted, and each reads on in the
# order of the records. What changed since keeps its place there.
_STRETCHES = f"""
    SELECT m.at, COUNT(*), COUNT(*) FILTER (WHERE r.seq <> r.id), GROUP_CONCAT(
      CASE WHEN r.seq = r.id THEN r.identifier
      ELSE r.identifier || '{CHANGED_SIGN}' || r.seq END, '{SEPARATOR}')
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
        """Return whether the text can be taken apart: no identifier has a mark of ours in it."""
        return self.text.count(SEPARATOR) == self.number - 1 and self.text.count(CHANGED_SIGN) == self.moved

    def parts(self, at: Callable[[int], int]) -> Iterator[tuple[str, int]]:
        """Yield the text in parts that last changed at one moment each; `at` tells when a change was."""
        rest, *others = self.text.split(CHANGED_SIGN)
        is_left = SEPARATOR
        for other in others:
            before, is_before, name = rest.rpartition(SEPARATOR)
            if is_before:
                yield before, self.at
            seq, is_left, rest = other.partition(SEPARATOR)
            yield name, at(int(seq))
        if is_left:
            yield rest, self.at


def has_long_stretches(connection: Connection, run: Sequence[ListPage]) -> bool:
    """Return whether the records on leaves that follow each other came in stretches that are worth it."""
    most = sum(each.live for each in run) // MIN_STRETCH_RECORDS
    span = (run[0].first_id, run[-1].last_id)
    return bool(connection.exec_driver_sql(_MOMENTS, (*span, most + 1)).scalar_one() <= most)


def list_stretches(connection: Connection, run: Sequence[ListPage]) -> list[Stretch]:
    """Return what everybody may see on leaves that follow each other, as `leaves.entries` would."""
    first, last, source_id = run[0].first_id, run[-1].last_id, run[0].source_id
    values = (first, last, source_id, last, first, *GUARDS, source_id)
    return [Stretch(*row) for row in connection.exec_driver_sql(_STRETCHES, values)]
