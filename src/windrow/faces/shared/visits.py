"""Counting who comes by: in memory while requests are answered, written by a thread of its own now and then.

`app` counts, `wiring` begins and ends it. A library that cannot be written costs counts, never a request.
"""

from __future__ import annotations

import atexit
import logging
import threading
from collections import Counter
from datetime import UTC, date, datetime, timedelta

from windrow.errors import WindrowError
from windrow.faces.shared.crawlers import crawler_of, engine_of
from windrow.store import visits
from windrow.store.store import Store
from windrow.store.visits import CRAWLER, SEARCH, Group

WRITE_SECONDS = 10.0
MOST_GROUPS = 5000  # kept in memory: some months of a library that nobody can write
_DAY_SECONDS = 86_400

log = logging.getLogger("windrow.visits")


class Visits:
    """Counts the pages of one process. Its first count starts the thread that writes; `close` ends it."""

    def __init__(self, store: Store, *, own_host: str, keep_days: int) -> None:
        self._store = store
        self._own_host = own_host
        self._keep = timedelta(days=keep_days)
        self._counts: Counter[tuple[int, str, str]] = Counter()  # by the number of the day
        self._turn = threading.Lock()
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self._tidied: date | None = None
        self._told = ""

    def count(self, agent: bytes, referer: bytes) -> None:
        """Count one page that was given, if a crawler asked for it or a search engine sent somebody."""
        family, kind = crawler_of(agent), CRAWLER
        if family is None:
            family, kind = engine_of(referer, self._own_host), SEARCH
        if family is None:
            return
        key = (int(self._store.clock()) // _DAY_SECONDS, kind, family)
        with self._turn:
            self._counts[key] += 1
        if self._thread is None:
            self._begin()

    def write(self) -> None:
        """Write what was counted since the last time; what cannot be written waits for the next."""
        with self._turn:
            taken, self._counts = self._counts, Counter()
        if not taken:
            return
        try:
            self._keep_counts(taken)
            self._told = ""
        except WindrowError as exc:
            self._take_back(taken)
            if str(exc) != self._told:
                self._told = str(exc)
                log.error("who came by is not written: %s", exc)

    def close(self) -> None:
        """Write what is left, and end."""
        self._ending.set()
        atexit.unregister(self.close)
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self.write()

    def _begin(self) -> None:
        """Start to write. Not before there is something: a server may fork after we are made."""
        atexit.register(self.close)  # inside another application nobody else says that it is over
        self._thread = threading.Thread(target=self._run, name="visits", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._ending.wait(WRITE_SECONDS):
            self.write()

    def _keep_counts(self, taken: Counter[tuple[int, str, str]]) -> None:
        today = datetime.fromtimestamp(self._store.clock(), UTC).date()
        with self._store.writing() as connection:
            visits.add(connection, {_group(*key): count for key, count in taken.items()})
            if self._tidied != today:
                visits.forget(connection, (today - self._keep).isoformat())
        self._tidied = today

    def _take_back(self, taken: Counter[tuple[int, str, str]]) -> None:
        with self._turn:
            if len(taken) < MOST_GROUPS:
                self._counts.update(taken)


def _group(day: int, kind: str, family: str) -> Group:
    return Group(datetime.fromtimestamp(day * _DAY_SECONDS, UTC).date().isoformat(), kind, family)
