"""The crawl frontier: every known address, when its host may be asked next, and which worker asks it.

A page stays in state `queued` until a response is stored; requesting it changes nothing in the database but
the owner of its host. A process that is killed therefore loses no address, and only requests in flight are
repeated. The interval between requests belongs to the host, whichever source or process asks it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from windrow.store.connection import Connection

PAGE, LISTING = (
    "page",
    "listing",
)  # a sitemap or feed named in robots.txt is requested whatever the rules of the source are
NEVER = 1e17  # a time in Unix seconds that never comes
_CLOCK_SECONDS = 2.0  # tolerance before a clock counts as set back
_BUSY_SECONDS = 1.0  # until a host in use by another process is checked again
_PROMOTED_AT_ONCE = 5_000
_CHUNK = 500


class PageState(StrEnum):
    """The state of an address."""

    QUEUED = "queued"  # to be requested
    DONE = "done"  # answered; requested again when due
    RETRY = "retry"  # failed; tried again when due
    DROPPED = "dropped"  # failed too often
    EXCLUDED = "excluded"  # no longer allowed by the rules of the source
    ROBOTS = "robots"  # disallowed by robots.txt


class ControlState(StrEnum):
    """The operator's setting for a crawl."""

    OPEN = "open"
    PAUSED = "paused"  # sends no requests; accepts new addresses
    CLOSED = "closed"  # neither


class Ordering(StrEnum):
    """The order of the addresses of a host."""

    BREADTH = "breadth"
    NEWEST = "newest"
    OLDEST = "oldest"
    DEPTH = "depth"


_ORDERS = {
    Ordering.BREADTH: "depth, id",
    Ordering.DEPTH: "depth DESC, id DESC",
    Ordering.NEWEST: "id DESC",
    Ordering.OLDEST: "id",
}


@dataclass(frozen=True, slots=True)
class Control:
    """The operator's settings for a crawl."""

    state: ControlState = ControlState.OPEN
    ordering: Ordering = Ordering.BREADTH


@dataclass(frozen=True, slots=True)
class Found:
    """An address to be added."""

    url: str
    host: str
    prefix: str
    depth: int = 0
    hops: int = 0  # redirects on the way to it
    is_start: bool = False
    found_on: int | None = None  # the page that links to it
    kind: str = PAGE


@dataclass(frozen=True, slots=True)
class Page:
    """An address with the results of its last visits."""

    id: int
    host_id: int
    url: str
    state: PageState
    depth: int
    hops: int
    is_start: bool
    kind: str
    found_at: float
    due_at: float
    visited_at: float | None
    status: int | None
    outcome: str
    message: str
    failures: int
    etag: str | None
    last_modified: str | None
    media_type: str
    digest: str
    payload_digest: str
    identifier: str | None
    target: str | None
    host: str = ""


@dataclass(frozen=True, slots=True)
class Visit:
    """The result of a visit: the new state of an address, and what the next visit needs."""

    page_id: int
    state: PageState
    due_at: float
    outcome: str  # ok, unchanged, redirect, gone, robots, timeout …
    message: str = ""
    status: int | None = None
    failures: int = 0
    etag: str | None = None
    last_modified: str | None = None
    media_type: str = ""
    digest: str = ""  # of the content, to find the same content under several addresses
    payload_digest: str = ""  # of the record made from it
    identifier: str | None = None
    target: str | None = None
    is_visited: bool = True


@dataclass(frozen=True, slots=True)
class HostCounts:
    """The progress of a crawl on one host."""

    name: str
    states: Mapping[PageState, int]
    next_at: float
    robots: str
    is_busy: bool


@dataclass(frozen=True, slots=True)
class Limits:
    """How many addresses a crawl accepts; the excess is counted and reported."""

    pages_per_host: int = 50_000  # known addresses
    pages_per_prefix: int = 5_000  # fetched addresses; four times as many may be known
    hosts: int = 5_000  # known; some name servers resolve every name


@dataclass(slots=True)
class Added:
    """The result of adding addresses."""

    new: int = 0
    known: int = 0
    # Counts by the limit and the name that reached it: "host", "hosts" …
    refused: dict[tuple[str, str], int] | None = None

    def refuse(self, limit: str, name: str) -> None:
        """Count an address that a limit keeps out."""
        if self.refused is None:
            self.refused = {}
        self.refused[limit, name] = self.refused.get((limit, name), 0) + 1


_COLUMNS = (
    "p.id, p.host_id, p.url, p.state, p.depth, p.hops, p.is_start, p.kind, p.found_at, p.due_at,"
    " p.visited_at, p.status, p.outcome, p.message, p.failures, p.etag, p.last_modified, p.media_type,"
    " p.digest, p.payload_digest, p.identifier, p.target"
)
_ADD_HOST = "INSERT INTO crawl_host (name, next_at) VALUES (?, 0) ON CONFLICT (name) DO NOTHING"
_HOST_ID = "SELECT id FROM crawl_host WHERE name = ?"
_ADD_SITE = """
    INSERT INTO crawl_site (source_id, host_id, ready_at, known) VALUES (?, ?, ?, 0)
    ON CONFLICT (source_id, host_id) DO NOTHING
"""
_KNOWN_HOST = (
    "SELECT 1 FROM crawl_site s JOIN crawl_host h ON h.id = s.host_id WHERE s.source_id = ? AND h.name = ?"
)
_NUMBER_OF_HOSTS = "SELECT COUNT(*) FROM crawl_site WHERE source_id = ?"
_SITE = "SELECT known, ready_at FROM crawl_site WHERE source_id = ? AND host_id = ?"
_GROW_SITE = (
    "UPDATE crawl_site SET known = known + ?, ready_at = MIN(ready_at, ?) WHERE source_id = ? AND host_id = ?"
)
_WAKE_SITE = "UPDATE crawl_site SET ready_at = MIN(ready_at, ?) WHERE source_id = ? AND host_id = ?"
_SET_READY = "UPDATE crawl_site SET ready_at = ? WHERE source_id = ? AND host_id = ?"
_PREFIX = "SELECT known, closed FROM crawl_prefix WHERE source_id = ? AND prefix = ?"
_GROW_PREFIX = """
    INSERT INTO crawl_prefix (source_id, prefix, known, fetched, records, repeats, closed)
      VALUES (?, ?, ?, 0, 0, 0, '')
    ON CONFLICT (source_id, prefix) DO UPDATE SET known = crawl_prefix.known + excluded.known
"""
_COUNT_PREFIX = """
    INSERT INTO crawl_prefix (source_id, prefix, known, fetched, records, repeats, closed)
      VALUES (?, ?, 0, ?, ?, ?, '')
    ON CONFLICT (source_id, prefix) DO UPDATE SET fetched = crawl_prefix.fetched + excluded.fetched,
      records = crawl_prefix.records + excluded.records,
      repeats = excluded.repeats + CASE WHEN excluded.repeats < excluded.fetched THEN 0
        ELSE crawl_prefix.repeats END
    RETURNING fetched, records, repeats, closed
"""
_PREFIX_COUNTS = (
    "SELECT fetched, records, repeats, closed FROM crawl_prefix WHERE source_id = ? AND prefix = ?"
)
_CLOSE_PREFIX = "UPDATE crawl_prefix SET closed = ? WHERE source_id = ? AND prefix = ?"
_ADD_PAGE = """
    INSERT INTO crawl_page (source_id, host_id, url, state, depth, hops, is_start, found_at, found_on, kind,
      due_at, outcome, message, failures, media_type, digest, payload_digest)
    VALUES (?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, '', '', 0, '', '', '')
"""
_READY = """
    SELECT s.host_id, h.name, h.next_at, h.owner, h.asked_at
    FROM crawl_site s JOIN crawl_host h ON h.id = s.host_id
    WHERE s.source_id = ? AND s.ready_at <= ? ORDER BY s.ready_at LIMIT ?
"""
_HOST = "SELECT id, next_at, owner, asked_at FROM crawl_host WHERE name = ?"
_OWN = "UPDATE crawl_host SET owner = ? WHERE id = ? AND (owner IS NULL OR owner = ?)"
_FREE = """
    UPDATE crawl_host SET owner = NULL, asked_at = COALESCE(?, asked_at), next_at = MAX(next_at, ?)
    WHERE id = ? AND owner = ?
"""
_PUT_OFF = "UPDATE crawl_host SET asked_at = COALESCE(?, asked_at), next_at = MAX(next_at, ?) WHERE id = ?"
_AHEAD = "SELECT id, next_at, asked_at FROM crawl_host WHERE asked_at > ?"
_REBASE = "UPDATE crawl_host SET asked_at = ?, next_at = ? WHERE id = ?"
_READY_AGAIN = "UPDATE crawl_site SET ready_at = ? WHERE host_id = ? AND ready_at < ?"
_OWNER = "SELECT owner FROM crawl_host WHERE id = ?"
_FINISH = """
    UPDATE crawl_page SET state = ?, due_at = ?, outcome = ?, message = ?, status = ?, failures = ?, etag = ?,
      last_modified = ?, media_type = ?, digest = ?, payload_digest = ?, identifier = ?, target = ?,
      visited_at = COALESCE(?, visited_at) WHERE id = ?
"""
# SQLite uses the partial index only if its condition is repeated; otherwise it reads every page.
_SAME_DIGEST = "source_id = ? AND digest = ? AND digest <> ''"
_DUE = """
    SELECT id, host_id FROM crawl_page
    WHERE source_id = ? AND state IN ('done', 'retry', 'robots') AND due_at <= ?
      AND (due_at <= ? OR state = 'retry') ORDER BY due_at LIMIT ?
"""
_NEXT_DUE = "SELECT MIN(due_at) FROM crawl_page WHERE source_id = ? AND state IN ('done', 'retry', 'robots')"
_ANY_QUEUED = "SELECT 1 FROM crawl_page WHERE source_id = ? AND host_id = ? AND state = 'queued' LIMIT 1"
_NEXT_READY = "SELECT MIN(ready_at) FROM crawl_site WHERE source_id = ?"
_CONTROL = "SELECT state, ordering FROM crawl_control WHERE source_id = ?"
_SET_CONTROL = """
    INSERT INTO crawl_control (source_id, state, ordering) VALUES (?, ?, ?)
    ON CONFLICT (source_id) DO UPDATE SET state = excluded.state, ordering = excluded.ordering
"""
_ROBOTS = "SELECT state, body, until, reason FROM crawl_robots WHERE origin = ?"
_SET_ROBOTS = """
    INSERT INTO crawl_robots (origin, state, body, until, reason) VALUES (?, ?, ?, ?, ?) ON CONFLICT (origin)
    DO UPDATE SET state = excluded.state, body = excluded.body, until = excluded.until,
      reason = excluded.reason
"""
_WAKE_SITES = "UPDATE crawl_site SET ready_at = MIN(ready_at, ?) WHERE host_id = ?"
_COUNTS = """
    SELECT host_id, state, COUNT(*) FROM crawl_page WHERE source_id = ? GROUP BY host_id, state
"""
_HOSTS = """
    SELECT h.id, h.name, h.next_at, h.owner FROM crawl_site s JOIN crawl_host h ON h.id = s.host_id
    WHERE s.source_id = ?
"""


class Frontier:
    """The frontier of one source. Each method runs in the transaction of the given connection."""

    def __init__(self, source_id: int, *, clock: Callable[[], float] = time.time) -> None:
        self.source_id = source_id
        self._clock = clock
        self._hosts: dict[str, int] = {}

    def forget(self) -> None:
        """Clear the cache after a transaction was rolled back."""
        self._hosts.clear()

    # Adding addresses

    def add(self, connection: Connection, found: Iterable[Found], limits: Limits | None = None) -> Added:
        """Add unknown addresses; those beyond a limit are counted, not added."""
        wanted = {each.url: each for each in found}
        added = Added()
        known = self._known(connection, list(wanted))
        added.known = len(known)
        fresh = [each for url, each in wanted.items() if url not in known]
        rows, now = [], self._clock()
        sites: dict[int, int] = {}
        prefixes: dict[str, int] = {}
        for each in fresh:
            if limits is not None and not each.is_start and self._has_too_many(connection, each.host, limits):
                added.refuse("hosts", each.host)
                continue
            host_id = self._host_id(connection, each.host)
            if limits is not None and not each.is_start:
                refused = self._limit(connection, each, host_id, limits, sites, prefixes)
                if refused:
                    added.refuse(*refused)
                    continue
            rows.append(
                (
                    self.source_id,
                    host_id,
                    each.url,
                    each.depth,
                    each.hops,
                    each.is_start,
                    now,
                    each.found_on,
                    each.kind,
                    now,
                )
            )
            sites[host_id] = sites.get(host_id, 0) + 1
            prefixes[each.prefix] = prefixes.get(each.prefix, 0) + 1
        if rows:
            connection.execute(_ADD_PAGE, rows)
            connection.execute(
                _GROW_SITE, [(count, now, self.source_id, host_id) for host_id, count in sites.items()]
            )
            connection.execute(
                _GROW_PREFIX, [(self.source_id, prefix, count) for prefix, count in prefixes.items()]
            )
        added.new = len(rows)
        return added

    def _known(self, connection: Connection, urls: Sequence[str]) -> set[str]:
        known: set[str] = set()
        for start in range(0, len(urls), _CHUNK):
            some = urls[start : start + _CHUNK]
            marks = ", ".join("?" * len(some))
            statement = f"SELECT url FROM crawl_page WHERE source_id = ? AND url IN ({marks})"
            known.update(connection.execute(statement, (self.source_id, *some)).scalars())
        return known

    def _host_id(self, connection: Connection, name: str) -> int:
        found = self._hosts.get(name)
        if found is None:
            connection.execute(_ADD_HOST, (name,))
            found = int(connection.execute(_HOST_ID, (name,)).scalar_one())
            connection.execute(_ADD_SITE, (self.source_id, found, NEVER))
            if len(self._hosts) > 10_000:
                self._hosts.clear()
            self._hosts[name] = found
        return found

    def _has_too_many(self, connection: Connection, name: str, limits: Limits) -> bool:
        """Return whether a host is new and the crawl knows as many hosts as it may."""
        if name in self._hosts:
            return False
        if connection.execute(_KNOWN_HOST, (self.source_id, name)).first() is not None:
            return False
        known = int(connection.execute(_NUMBER_OF_HOSTS, (self.source_id,)).scalar_one())
        return known >= limits.hosts

    def _limit(
        self,
        connection: Connection,
        found: Found,
        host_id: int,
        limits: Limits,
        sites: Mapping[int, int],
        prefixes: Mapping[str, int],
    ) -> tuple[str, str] | None:
        """Return the limit that keeps an address out, and the name that reached it; None if none does."""
        row = connection.execute(_SITE, (self.source_id, host_id)).first()
        if row is not None and row[0] + sites.get(host_id, 0) >= limits.pages_per_host:
            return "host", found.host
        row = connection.execute(_PREFIX, (self.source_id, found.prefix)).first()
        known, closed = row or (0, "")
        if closed:
            return "closed", found.prefix
        # `pages_per_prefix` limits the fetched ones
        if known + prefixes.get(found.prefix, 0) >= 4 * limits.pages_per_prefix:
            return "prefix", found.prefix
        return None

    def refusal(self, connection: Connection, found: Found, limits: Limits) -> tuple[str, str] | None:
        """Return the limit that would keep a new address out and the name that reached it, or None."""
        if self._has_too_many(connection, found.host, limits):
            return "hosts", found.host
        host_id = connection.execute(_HOST_ID, (found.host,)).scalar()
        return self._limit(connection, found, int(host_id or 0), limits, {}, {})

    def count_prefix(
        self, connection: Connection, prefix: str, *, has_record: Sequence[bool], is_repeat: Sequence[bool]
    ) -> tuple[int, int, int, str]:
        """Count fetched pages: whether each made a record, and whether its text was seen before.

        Return the number of pages of the prefix that were fetched and that made records, the current run of
        repeats, and the reason if the prefix is closed.
        """
        repeats = list(is_repeat)
        in_a_row = repeats[::-1].index(False) if False in repeats else len(repeats)
        values = (self.source_id, prefix, len(repeats), sum(has_record), in_a_row)
        row = connection.execute(_COUNT_PREFIX, values).one()
        return int(row[0]), int(row[1]), int(row[2]), str(row[3])

    def prefix_counts(self, connection: Connection, prefix: str) -> tuple[int, int, int, str]:
        row = connection.execute(_PREFIX_COUNTS, (self.source_id, prefix)).first()
        return (int(row[0]), int(row[1]), int(row[2]), str(row[3])) if row else (0, 0, 0, "")

    def close_prefix(self, connection: Connection, prefix: str, reason: str) -> None:
        """Accept no further addresses of a prefix."""
        connection.execute(_CLOSE_PREFIX, (reason, self.source_id, prefix))

    # Requesting

    def claim(
        self,
        connection: Connection,
        worker: int,
        count: int,
        *,
        ordering: Ordering,
        under_way: Mapping[int, set[int]],
        per_host: Callable[[str], int] = lambda _: 1,
        interval: Callable[[str], float] = lambda _: 0.0,
    ) -> list[Page]:
        """Return pages that may be requested now, of hosts that this worker owns from now on.

        A host that another source has asked rests for the interval of this source as well. `under_way` holds
        the pages that the worker is already requesting, by host.
        """
        now = self._clock()
        pages: list[Page] = []
        for host_id, name, reserved, owner, asked_at in connection.execute(
            _READY, (self.source_id, now, count + 8)
        ).all():
            if len(pages) >= count:
                break
            if owner not in (None, worker):
                self._set_ready(connection, host_id, now + _BUSY_SECONDS)
                continue
            next_at = max(reserved, asked_at + interval(name))
            if next_at > now:
                self._set_ready(connection, host_id, next_at)
                continue
            busy, parallel = under_way.get(host_id, set()), per_host(name)
            most = min(parallel - len(busy), count - len(pages))
            found = self._queued(connection, host_id, name, ordering, busy, most) if most > 0 else []
            if len(found) < most or len(busy) + len(found) >= parallel:
                self._set_ready(connection, host_id, NEVER)  # `release` resets it
            if found:
                connection.execute(_OWN, (worker, host_id, worker))
            pages += found
        return pages

    def correct_clock(self, connection: Connection) -> None:
        """Restart the pauses of hosts that were asked in the future, after the clock was set back."""
        now = self._clock()
        for host_id, next_at, asked_at in connection.execute(_AHEAD, (now + _CLOCK_SECONDS,)).all():
            rest = now + max(0.0, next_at - asked_at)
            connection.execute(_REBASE, (now, rest, host_id))
            connection.execute(_READY_AGAIN, (rest, host_id, NEVER))

    def _queued(
        self,
        connection: Connection,
        host_id: int,
        host: str,
        ordering: Ordering,
        busy: set[int],
        most: int,
    ) -> list[Page]:
        statement = (
            f"SELECT {_COLUMNS} FROM crawl_page p"
            " WHERE p.source_id = ? AND p.host_id = ? AND p.state = 'queued'"
            f" ORDER BY {_ORDERS[ordering]} LIMIT ?"
        )
        # Filtered here: a statement with a varying number of parameters would be prepared each time.
        rows = connection.execute(statement, (self.source_id, host_id, most + len(busy)))
        return [_page(row, host) for row in rows if row[0] not in busy][:most]

    def _set_ready(self, connection: Connection, host_id: int, ready_at: float) -> None:
        connection.execute(_SET_READY, (ready_at, self.source_id, host_id))

    def is_owner(self, connection: Connection, worker: int, host_id: int) -> bool:
        """Return whether a worker still owns a host: one that stalled may have lost it."""
        return bool(connection.execute(_OWNER, (host_id,)).scalar() == worker)

    def release(
        self,
        connection: Connection,
        worker: int,
        host_id: int,
        *,
        next_at: float,
        is_idle: bool,
        was_asked: bool = True,
    ) -> None:
        """Record when a host may be asked again; give it up if it has no other request in flight."""
        asked_at = self._clock() if was_asked else None
        if is_idle:
            connection.execute(_FREE, (asked_at, next_at, host_id, worker))
        else:
            connection.execute(_PUT_OFF, (asked_at, next_at, host_id))
        is_waiting = connection.execute(_ANY_QUEUED, (self.source_id, host_id)).first() is not None
        self._set_ready(connection, host_id, next_at if is_waiting else NEVER)

    def reserve(self, connection: Connection, worker: int, name: str, *, interval: float) -> bool:
        """Reserve a host for a request outside the frontier; return False if it must rest."""
        connection.execute(_ADD_HOST, (name,))
        host_id, next_at, owner, asked_at = connection.execute(_HOST, (name,)).one()
        now = self._clock()
        if owner is not None or max(next_at, asked_at + interval) > now:
            return False
        connection.execute(_OWN, (worker, host_id, worker))
        return True

    def give_back(self, connection: Connection, worker: int, name: str, *, interval: float) -> None:
        """Release a host that was reserved."""
        host_id, *_ = connection.execute(_HOST, (name,)).one()
        now = self._clock()
        connection.execute(_FREE, (now, now + interval, host_id, worker))
        connection.execute(_WAKE_SITES, (now + interval, host_id))

    def finish(self, connection: Connection, visits: Iterable[Visit]) -> None:
        now = self._clock()
        rows = [
            (
                visit.state.value,
                visit.due_at,
                visit.outcome,
                visit.message[:500],
                visit.status,
                visit.failures,
                visit.etag,
                visit.last_modified,
                visit.media_type,
                visit.digest,
                visit.payload_digest,
                visit.identifier,
                visit.target,
                now if visit.is_visited else None,
                visit.page_id,
            )
            for visit in visits
        ]
        if rows:
            connection.execute(_FINISH, rows)

    def promote(self, connection: Connection, until: float | None = None, *, began: float = NEVER) -> int:
        """Queue pages that are due; return how many, at most a few thousand at a time.

        Pages that were not due when the crawl began wait for the next one, except those that failed.
        Otherwise a crawl would never end if pages become due again faster than it proceeds.
        """
        due = self._clock() if until is None else until
        rows = connection.execute(_DUE, (self.source_id, due, began, _PROMOTED_AT_ONCE)).all()
        self._queue(connection, [row[0] for row in rows], {row[1] for row in rows})
        return len(rows)

    def _queue(self, connection: Connection, pages: Sequence[int], hosts: Iterable[int]) -> None:
        if pages:
            connection.execute(
                "UPDATE crawl_page SET state = 'queued' WHERE id = ?", [(page,) for page in pages]
            )
            now = self._clock()
            connection.execute(_WAKE_SITE, [(now, self.source_id, host) for host in hosts])

    def force(self, connection: Connection, urls: Sequence[str]) -> int:
        """Queue known addresses now for an unconditional request; return how many there are."""
        forced = 0
        for start in range(0, len(urls), _CHUNK):
            some = urls[start : start + _CHUNK]
            marks = ", ".join("?" * len(some))
            rows = connection.execute(
                f"SELECT id, host_id FROM crawl_page WHERE source_id = ? AND url IN ({marks})",
                (self.source_id, *some),
            ).all()
            self._force(connection, rows)
            forced += len(rows)
        return forced

    def force_pages(self, connection: Connection, numbers: Sequence[int]) -> None:
        """Queue pages whose records must be written again, even if the pages have not changed."""
        for number in numbers:
            # Another address may have written the record last, so the digest of this page is not conclusive.
            connection.execute("UPDATE crawl_page SET payload_digest = '' WHERE id = ?", (number,))
            statement = "SELECT id, host_id FROM crawl_page WHERE id = ?"
            self._force(connection, connection.execute(statement, (number,)).all())

    def _force(self, connection: Connection, rows: Sequence[Sequence[Any]]) -> None:
        if rows:
            connection.execute(
                "UPDATE crawl_page SET etag = NULL, last_modified = NULL, failures = 0 WHERE id = ?",
                [(row[0],) for row in rows],
            )
        self._queue(connection, [row[0] for row in rows], {row[1] for row in rows})

    def queue_due(self, connection: Connection, urls: Sequence[str]) -> int:
        """Queue those of these known addresses that are due or were dropped or excluded; return how many."""
        queued, now = 0, self._clock()
        for start in range(0, len(urls), _CHUNK):
            some = urls[start : start + _CHUNK]
            marks = ", ".join("?" * len(some))
            rows = connection.execute(
                f"SELECT id, host_id FROM crawl_page WHERE source_id = ? AND url IN ({marks})"
                " AND state <> 'queued' AND (due_at <= ? OR state IN ('dropped', 'excluded'))",
                (self.source_id, *some, now),
            ).all()
            numbers = [row[0] for row in rows]
            connection.execute(
                "UPDATE crawl_page SET failures = 0 WHERE id = ?", [(number,) for number in numbers]
            )
            self._queue(connection, numbers, {row[1] for row in rows})
            queued += len(rows)
        return queued

    def next_ready(self, connection: Connection) -> float:
        """Return when the next host with queued addresses may be asked; NEVER if none is queued."""
        found = connection.execute(_NEXT_READY, (self.source_id,)).scalar()
        return NEVER if found is None else float(found)

    def next_due(self, connection: Connection) -> float:
        """Return when the next visited page is due; NEVER if there is none."""
        found = connection.execute(_NEXT_DUE, (self.source_id,)).scalar()
        return NEVER if found is None else float(found)

    def due(self, connection: Connection, until: float | None = None) -> int:
        """Return how many addresses are queued or due."""
        statement = (
            "SELECT COUNT(*) FROM crawl_page WHERE source_id = ?"
            " AND state IN ('done', 'retry', 'robots') AND due_at <= ?"
        )
        values = (self.source_id, self._clock() if until is None else until)
        due = int(connection.execute(statement, values).scalar_one())
        return self.queued(connection) + due

    def put_off(self, connection: Connection, host_id: int, until: float) -> None:
        """Send a host no request of this source before a time, as when its robots.txt is unavailable."""
        self._set_ready(connection, host_id, until)

    # Queries

    def find(self, connection: Connection, url: str) -> Page | None:
        statement = (
            f"SELECT {_COLUMNS}, h.name FROM crawl_page p JOIN crawl_host h ON h.id = p.host_id"
            " WHERE p.source_id = ? AND p.url = ?"
        )
        row = connection.execute(statement, (self.source_id, url)).first()
        return _page(row[:-1], row[-1]) if row else None

    def pages(
        self,
        connection: Connection,
        *,
        states: Sequence[PageState] = (),
        host: str | None = None,
        since: float | None = None,
        is_new: bool = False,
        has_record: bool | None = None,
        starts_only: bool = False,
    ) -> Iterator[Page]:
        """Yield addresses in the order in which they were found."""
        conditions, values = ["p.source_id = ?"], [self.source_id]
        parameters: list[Any] = list(values)
        if states:
            conditions.append(f"p.state IN ({', '.join('?' * len(states))})")
            parameters += [state.value for state in states]
        if host is not None:
            conditions.append("h.name = ?")
            parameters.append(host)
        if since is not None:
            conditions.append("p.found_at >= ?")
            parameters.append(since)
        if is_new:
            conditions.append("p.visited_at IS NULL")
        if has_record is not None:
            conditions.append(f"p.identifier IS {'NOT ' if has_record else ''}NULL")
        if starts_only:
            conditions.append("p.is_start")
        last = 0
        while True:
            statement = (
                f"SELECT {_COLUMNS}, h.name FROM crawl_page p JOIN crawl_host h ON h.id = p.host_id"
                f" WHERE {' AND '.join(conditions)} AND p.id > ? ORDER BY p.id LIMIT 1000"
            )
            rows = connection.execute(statement, (*parameters, last)).all()
            for row in rows:
                yield _page(row[:-1], row[-1])
            if len(rows) < 1000:
                return
            last = rows[-1][0]

    def addresses_of(self, connection: Connection, identifier: str) -> list[tuple[int, str, str]]:
        """Return the pages that show one record, oldest first: number, address and digest."""
        return connection.execute(
            "SELECT id, url, digest FROM crawl_page WHERE source_id = ? AND identifier = ?"
            " ORDER BY id LIMIT 100",
            (self.source_id, identifier),
        ).all()

    def record_with_digest(self, connection: Connection, digest: str, *, but: int) -> str | None:
        """Return the identifier of a record that another page with the same content made."""
        found = connection.execute(
            f"SELECT identifier FROM crawl_page WHERE {_SAME_DIGEST} AND identifier IS NOT NULL"
            " AND id <> ? ORDER BY id LIMIT 1",
            (self.source_id, digest, but),
        ).scalar()
        return None if found is None else str(found)

    def is_digest_known(self, connection: Connection, digest: str, *, but: int) -> bool:
        """Return whether another page had this content."""
        return (
            connection.execute(
                f"SELECT 1 FROM crawl_page WHERE {_SAME_DIGEST} AND id <> ? LIMIT 1",
                (self.source_id, digest, but),
            ).first()
            is not None
        )

    def queued(self, connection: Connection) -> int:
        statement = "SELECT COUNT(*) FROM crawl_page WHERE source_id = ? AND state = 'queued'"
        return int(connection.execute(statement, (self.source_id,)).scalar_one())

    def counts(self, connection: Connection) -> dict[PageState, int]:
        rows = connection.execute(
            "SELECT state, COUNT(*) FROM crawl_page WHERE source_id = ? GROUP BY state", (self.source_id,)
        )
        return {PageState(state): int(count) for state, count in rows}

    def hosts(self, connection: Connection) -> list[HostCounts]:
        """Return the progress per host, those with most queued addresses first."""
        by_host: dict[int, dict[PageState, int]] = {}
        for host_id, state, count in connection.execute(_COUNTS, (self.source_id,)):
            by_host.setdefault(host_id, {})[PageState(state)] = int(count)
        found = []
        for host_id, name, next_at, owner in connection.execute(_HOSTS, (self.source_id,)).all():
            states = connection.execute(
                "SELECT state FROM crawl_robots WHERE origin IN (?, ?)", (f"https://{name}", f"http://{name}")
            ).scalars()
            robots = "unavailable" if "unavailable" in states else ", ".join(sorted(set(states)))
            found.append(
                HostCounts(name, by_host.get(host_id, {}), float(next_at), robots, owner is not None)
            )
        return sorted(found, key=lambda each: (-each.states.get(PageState.QUEUED, 0), each.name))

    def is_anything_under_way(self, connection: Connection) -> bool:
        """Return whether any process is asking a host of this source."""
        statement = (
            "SELECT 1 FROM crawl_site s JOIN crawl_host h ON h.id = s.host_id"
            " WHERE s.source_id = ? AND h.owner IS NOT NULL LIMIT 1"
        )
        return connection.execute(statement, (self.source_id,)).first() is not None

    # Operator settings

    def control(self, connection: Connection) -> Control:
        row = connection.execute(_CONTROL, (self.source_id,)).first()
        return Control(ControlState(row[0]), Ordering(row[1])) if row else Control()

    def set_control(self, connection: Connection, control: Control) -> None:
        """Store the operator's settings; every crawling process follows them within a second."""
        values = (self.source_id, control.state.value, control.ordering.value)
        connection.execute(_SET_CONTROL, values)


def robots_of(connection: Connection, origin: str) -> tuple[str, str, float, str] | None:
    """Return the stored robots.txt of an origin: state, text, expiry, reason."""
    row = connection.execute(_ROBOTS, (origin,)).first()
    return (str(row[0]), str(row[1]), float(row[2]), str(row[3])) if row else None


def remember_robots(
    connection: Connection, origin: str, *, state: str, body: str, until: float, reason: str
) -> None:
    """Store the robots.txt of an origin, for all sources."""
    connection.execute(_SET_ROBOTS, (origin, state, body, until, reason))


def _page(row: Sequence[Any], host: str) -> Page:
    number, host_id, url, state, depth, hops, is_start, *rest = row
    known: list[Any] = [number, host_id, url, PageState(state), depth, hops, bool(is_start), *rest, host]
    return Page(*known)
