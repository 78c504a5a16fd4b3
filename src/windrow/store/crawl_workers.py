"""The worker processes of a crawl, and the hosts that they own."""

from __future__ import annotations

import time
from collections.abc import Callable

from windrow.store import leases
from windrow.store.connection import Connection
from windrow.store.leases import Claim

_WORKERS = "SELECT id, source_id, owner, pid, host, birth, beat FROM crawl_worker"
# Worker numbers are never reused: a stalled worker must not be mistaken for its successor.
_NUMBER = """
    INSERT INTO setting (key, value) VALUES ('crawl workers', '1') ON CONFLICT (key)
    DO UPDATE SET value = CAST(CAST(setting.value AS INTEGER) + 1 AS TEXT)
"""
_LAST_NUMBER = "SELECT value FROM setting WHERE key = 'crawl workers'"
_ADD_WORKER = "INSERT INTO crawl_worker VALUES (?, ?, ?, ?, ?, ?, ?)"
_BEAT = f"{_ADD_WORKER} ON CONFLICT (id) DO UPDATE SET beat = excluded.beat"
_DROP_WORKER = "DELETE FROM crawl_worker WHERE id = ?"
_OWNED = "SELECT id, name FROM crawl_host WHERE owner = ?"
_TAKE_BACK = "UPDATE crawl_host SET owner = NULL, asked_at = ?, next_at = MAX(next_at, ?) WHERE id = ?"
_WAKE_SITES = "UPDATE crawl_site SET ready_at = MIN(ready_at, ?) WHERE host_id = ?"


class CrawlWorkers:
    """The workers of one source. Each method runs in the transaction of the given connection."""

    def __init__(self, source_id: int, *, clock: Callable[[], float] = time.time) -> None:
        self._source_id = source_id
        self._clock = clock

    def join(self, connection: Connection, claim: Claim, *, interval: Callable[[str], float]) -> int:
        """Register a new worker and return its number; first free the hosts of dead workers."""
        self.take_back(connection, interval=interval)
        beat = int(self._clock())
        connection.execute(_NUMBER)
        worker = int(connection.execute(_LAST_NUMBER).scalar_one())
        values = (worker, self._source_id, claim.owner, claim.pid, claim.host, claim.birth, beat)
        connection.execute(_ADD_WORKER, values)
        return worker

    def beat(self, connection: Connection, worker: int, claim: Claim) -> None:
        """Record that a worker is alive, even if others have declared it dead."""
        values = (
            worker,
            self._source_id,
            claim.owner,
            claim.pid,
            claim.host,
            claim.birth,
            int(self._clock()),
        )
        connection.execute(_BEAT, values)

    def leave(self, connection: Connection, worker: int, *, interval: Callable[[str], float]) -> None:
        """Remove a worker; hosts that it still owns may be asked after an interval."""
        self._free_hosts(connection, worker, interval)
        connection.execute(_DROP_WORKER, (worker,))

    def count(self, connection: Connection) -> int:
        return sum(
            leases.is_alive(Claim(*who), beat)
            for _, source_id, *who, beat in connection.execute(_WORKERS).all()
            if source_id == self._source_id
        )

    def take_back(self, connection: Connection, *, interval: Callable[[str], float]) -> int:
        """Free the hosts of dead workers; return how many workers there were.

        Their last requests may just have been sent, so each host rests for a whole interval.
        """
        dead = 0
        for worker, _, *who, beat in connection.execute(_WORKERS).all():
            if not leases.is_alive(Claim(*who), beat):
                self._free_hosts(connection, worker, interval)
                connection.execute(_DROP_WORKER, (worker,))
                dead += 1
        return dead

    def _free_hosts(self, connection: Connection, worker: int, interval: Callable[[str], float]) -> None:
        for host_id, name in connection.execute(_OWNED, (worker,)).all():
            now = self._clock()
            next_at = now + interval(name)
            connection.execute(_TAKE_BACK, (now, next_at, host_id))
            connection.execute(_WAKE_SITES, (next_at, host_id))
