"""Refresh on view: viewing a record that was not fetched for long queues it for refresh.

A page calls `looked_at`, which notes a number and returns. A thread writes the notes to the store from time
to time, and the harvester queries the sources. So a view never waits, and never makes a request itself.
"""

from __future__ import annotations

import atexit
import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from windrow.config.schema import SourceSettings
from windrow.errors import WindrowError
from windrow.store import runs, sources
from windrow.store.harvests import refresh_requests
from windrow.store.store import Store

MAX_PENDING_RECORDS = 2000  # viewed and not yet written; further ones are dropped
WRITE_INTERVAL_SECONDS = 5.0  # between writes

logger = logging.getLogger("windrow.refresh")


class StaleRecordRefresher:
    """Notes views of stale records. Thread-safe; `close` ends its thread."""

    def __init__(
        self,
        store: Store,
        settings: Mapping[str, SourceSettings],
        *,
        clock: Callable[[], float] = time.time,
        pause_seconds: float = WRITE_INTERVAL_SECONDS,
    ) -> None:
        self._store = store
        self._after = {
            name: each.refresh_after
            for name, each in settings.items()
            if each.refresh_after is not None and each.enabled
        }
        self._fresh_until = dict.fromkeys(self._after, 0.0)  # by source; 0: unknown
        self._clock = clock
        self._pause_seconds = pause_seconds
        self._noted: dict[int, str] = {}
        self._has_noted = threading.Event()
        self._is_closed = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def looked_at(self, record_id: int, source: str) -> None:
        """Note a view. Takes microseconds; does nothing if the source is fresh."""
        fresh_until = self._fresh_until.get(source)
        if fresh_until is None or self._clock() < fresh_until or len(self._noted) >= MAX_PENDING_RECORDS:
            return
        self._noted[record_id] = source
        self._has_noted.set()
        if self._thread is None:
            self._start()

    def write(self) -> int:
        """Queue the noted records that are stale; return how many were not queued before."""
        by_source: dict[str, list[int]] = {}
        while self._noted:  # item by item, because other threads add meanwhile
            record_id, source = self._noted.popitem()
            by_source.setdefault(source, []).append(record_id)
        return sum(self._wish(source, records) for source, records in by_source.items())

    def close(self) -> None:
        """Write what is left if possible, and stop."""
        atexit.unregister(self.close)
        with self._lock:
            self._is_closed.set()
            self._has_noted.set()
            thread = self._thread
        if thread is not None:
            thread.join()
            with suppress(WindrowError):
                self.write()

    def _wish(self, source: str, records: list[int]) -> int:
        now, after = self._clock(), self._after[source]
        with self._store.reading() as connection:
            state, good = sources.find(connection, source), runs.last_good(connection, source)
            seen = good.started.timestamp() if good else 0.0
            self._fresh_until[source] = seen + after
            if state is None or now < seen + after:
                return 0
            wanted = refresh_requests.find_unrequested(connection, records, before=int(now - after))
        if not wanted:
            return 0
        with self._store.writing() as connection:
            return refresh_requests.request_refresh(connection, state.id, wanted, now=int(now))

    def _start(self) -> None:
        with self._lock:
            if self._thread is None and not self._is_closed.is_set():
                atexit.register(self.close)  # inside another application nothing else signals the end
                self._thread = threading.Thread(target=self._run, name="staleness", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        told = ""
        while self._has_noted.wait() and not self._is_closed.wait(self._pause_seconds):
            self._has_noted.clear()
            try:
                self.write()
                told = ""
            except WindrowError as exc:  # lost requests are made again by the next view
                if str(exc) != told:
                    told = str(exc)
                    logger.warning("what is stale cannot be written down: %s %s", exc, exc.hint)
            except Exception:
                logger.exception("what is stale cannot be written down")


def ignore_view(record_id: int, source: str) -> None:
    """Do nothing: the callback of pages where refresh on view is off."""
