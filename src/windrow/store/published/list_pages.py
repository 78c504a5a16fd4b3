"""List pages: the fixed groups of a source's records that lists for crawlers and sitemaps are made from.

A record keeps its number and so its place: page 17 holds the same records for ever, counting deleted ones.
`update_list_pages` brings the pages up to date with the change sequence, as the index is; front ends only
read them.
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

PAGE_RECORDS = 200
BATCH_RECORDS = (
    10_000  # records and changes per transaction: a harvest may have to wait for it for some ten milliseconds
)

# Combinations of sets that contain a guard: their records are not public.
_HIDDEN = """
    SELECT m.group_id FROM source_set g JOIN set_member m ON m.set_id = g.id WHERE g.spec >= ? AND g.spec < ?
"""
HIDDEN_THERE = f"{_HIDDEN} AND g.source_id = ?"
GUARDS = (GUARD, GUARD[:-1] + chr(ord(GUARD[-1]) + 1))
_SEEN = "leaf_seq"  # the setting with the change up to which the pages are current
_WHOLE = "leaf_whole"  # the setting that exists once the pages were complete
_CURSOR = "SELECT value FROM setting WHERE key = ?"
_NOTE = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
# Harvesting is faster without this index, but pages of a source with few new records at a time need it.
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
# Recounted from the records: the stored count does not show whether a changed record was part of it.
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
    """Some records of a source, between two numbers; `seq` is the newest change to any of them."""

    source_id: int
    number: int
    first_id: int
    last_id: int
    total: int
    live: int  # public ones
    seq: int


class SourcePages(NamedTuple):
    """Totals of all list pages of a source."""

    name: str
    source_id: int
    leaves: int
    live: int
    seq: int


class PageSection(NamedTuple):
    """A run of consecutive list pages of a source."""

    name: str
    source_id: int
    number: int
    live: int
    seq: int


def update_list_pages(store: Store, *, heed: Callable[[], object] = lambda: None) -> int:
    """Bring the list pages up to date; return how many records and changes were read.

    Each transaction is of bounded size and leaves the pages correct up to a change number. Between two of
    them, `heed` is called and may raise to stop the work.
    """
    done = 0
    while not _is_done(store):
        with store.writing() as connection:
            done += _advance(connection)
        heed()
    return done


def is_in_use(connection: Connection) -> bool:
    """Return whether list pages were ever created."""
    return connection.execute(_CURSOR, (_SEEN,)).first() is not None


def is_complete(connection: Connection) -> bool:
    """Return whether the pages were ever complete; until then they lack records."""
    return connection.execute(_CURSOR, (_WHOLE,)).first() is not None


def list_source_pages(connection: Connection) -> list[SourcePages]:
    """Return the totals of all sources that have list pages, by name."""
    return [SourcePages(*row) for row in connection.execute(_SHELVES)]


def find_source_pages(connection: Connection, name: str) -> SourcePages | None:
    """Return the totals of one source by name; None if it has no list pages."""
    found = connection.execute(_SHELF, (name,)).first()
    return SourcePages(*found) if found else None


def list_sections(connection: Connection, size: int) -> list[PageSection]:
    """Return all pages in sections of `size` pages, by source name."""
    return [PageSection(*row) for row in connection.execute(_SECTIONS, (size,))]


def changed_at(connection: Connection, seq: int) -> int:
    """Return when a change became visible, in Unix seconds."""
    return int(connection.execute(_AT, (seq,)).scalar() or 0)


def list_pages(connection: Connection, source_id: int, first: int = 1, limit: int = -1) -> list[ListPage]:
    """Return the pages of a source from a number on, in order; all without a limit."""
    return [ListPage(*row) for row in connection.execute(_LEAVES, (source_id, first, limit))]


def get_page(connection: Connection, source_id: int, number: int) -> ListPage | None:
    found = list_pages(connection, source_id, number, 1)
    return found[0] if found and found[0].number == number else None


def find_neighbours(connection: Connection, source_id: int, number: int) -> tuple[int | None, int | None]:
    """Return the nearest pages before and after one that contain public records."""
    run = connection.execute
    before, after = (run(text, (source_id, number)).scalar() for text in (_BEFORE, _AFTER))
    return before, after


def list_entries(connection: Connection, run: Sequence[ListPage]) -> list[tuple[int, str, int]]:
    """Return the public records on consecutive pages: number, identifier, newest change."""
    if not run:
        return []
    source_id = run[0].source_id
    values = (source_id, run[0].first_id, run[-1].last_id, *GUARDS, source_id)
    return connection.execute(_ENTRIES, values).all()


def _is_done(store: Store) -> bool:
    with store.reading() as connection:
        return is_in_use(connection) and _cursor(connection) == sequence.last(connection)


def _cursor(connection: Connection) -> int:
    return int(connection.execute(_CURSOR, (_SEEN,)).scalar() or 0)


def _advance(connection: Connection) -> int:
    """Process the next changes, up to a number before which none is left out, and store that number."""
    since, last = _cursor(connection), sequence.last(connection)
    top = last
    if not since:
        connection.execute(_INDEX)
    new = connection.execute(_NEW, (*GUARDS, since, BATCH_RECORDS)).all()
    moved = connection.execute(_MOVED, (since, BATCH_RECORDS)).all()
    if len(new) == BATCH_RECORDS:
        top = new[-1][1]
    if len(moved) == BATCH_RECORDS:
        top = min(top, moved[-1][0])
    new = [row for row in new if row[1] <= top]
    changed = [(source_id, number) for seq, source_id, number in moved if seq <= top]
    _append(connection, new)
    _recount(connection, changed)
    connection.execute(_NOTE, (_SEEN, str(top)))
    if top == last:
        connection.execute(_NOTE, (_WHOLE, "1"))
    return len(new) + len(changed)


def _append(connection: Connection, new: Iterable[tuple[Any, ...]]) -> None:
    """Append new records, by number, to the last page of their source and to new pages."""
    for source_id, rows in groupby(sorted(new), key=itemgetter(0)):
        found = connection.execute(_LAST, (source_id,)).first()
        current = ListPage(*found) if found else ListPage(source_id, 0, 0, 0, PAGE_RECORDS, 0, 0)
        written: dict[int, ListPage] = {}
        for _, number, seq, is_live in rows:
            if current.total >= PAGE_RECORDS:
                current = ListPage(source_id, current.number + 1, number, number, 0, 0, 0)
            _, place, first, _, total, live, newest = current
            current = ListPage(source_id, place, first, number, total + 1, live + is_live, max(newest, seq))
            written[place] = current
        connection.execute(_PUT, list(written.values()))


def _recount(connection: Connection, changed: Iterable[tuple[int, int]]) -> None:
    stale: list[tuple[object, ...]] = []
    for source_id, rows in groupby(sorted(changed), key=itemgetter(0)):
        starts = connection.execute(_STARTS, (source_id,)).scalars()
        places = {bisect_right(starts, number) for _, number in rows}
        stale += [(*GUARDS, source_id, source_id, place) for place in sorted(places)]
    connection.execute(_RECOUNT, stale)


# Stretches: the identifiers of records that arrived in one transaction, concatenated by the database.
# Sitemaps list every record of a library, nearly all of them unchanged since they arrived; one text for many
# costs a third of a row for each.

MIN_STRETCH_RECORDS = 10  # records per moment, on average; below that, stretches are not faster
SEPARATOR = "\x1e"  # between two identifiers
CHANGED_SIGN = (
    "\x1f"  # after the identifier of a record that changed since it arrived; the number of the change follows
)

# The moments drive the query, in the order of their numbers: so no group needs sorting, and each continues in
# the order of the records. Records that changed later keep their place.
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
    """The public records that arrived in one transaction, in the order of their numbers."""

    at: int  # Unix seconds
    number: int
    moved: int  # how many of them changed since
    text: str

    @property
    def is_clear(self) -> bool:
        """Return whether the text can be split: no identifier contains one of the separators."""
        return self.text.count(SEPARATOR) == self.number - 1 and self.text.count(CHANGED_SIGN) == self.moved

    def parts(self, at: Callable[[int], int]) -> Iterator[tuple[str, int]]:
        """Yield the text in parts with one time of change each; `at` returns the time of a change."""
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
    """Return whether the records on consecutive pages form stretches long enough to be worth using."""
    most = sum(each.live for each in run) // MIN_STRETCH_RECORDS
    span = (run[0].first_id, run[-1].last_id)
    return bool(connection.execute(_MOMENTS, (*span, most + 1)).scalar_one() <= most)


def list_stretches(connection: Connection, run: Sequence[ListPage]) -> list[Stretch]:
    """Return the public records on consecutive pages, the same as `list_entries` does."""
    first, last, source_id = run[0].first_id, run[-1].last_id, run[0].source_id
    values = (first, last, source_id, last, first, *GUARDS, source_id)
    return [Stretch(*row) for row in connection.execute(_STRETCHES, values)]
