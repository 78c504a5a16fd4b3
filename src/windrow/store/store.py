"""The store of one library: transactions to read and to write in, and its end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from windrow.errors import StoreError
from windrow.store import sequence
from windrow.store.connection import Connection
from windrow.store.hosts import HostMemory
from windrow.store.kept_counts import KeptCounts
from windrow.store.migrations import MIGRATIONS, migrate, version
from windrow.store.sqlite import Database

FILE = "windrow.db"


class Store:
    """Hands out connections. Threads of this process take turns at writing."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self.database = database
        self.clock = clock
        self.memory = HostMemory(database)
        self.counts = KeptCounts()
        self._turn = threading.RLock()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give a connection in a transaction that may write; all or nothing of it is kept."""
        with self._turn, self.database.writing() as connection:
            sequence.unseal(connection)
            yield connection
            sequence.seal(connection, now=int(self.clock()))

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection that sees one unchanging state."""
        with self.database.reading() as connection:
            yield connection

    def settle(self) -> None:
        """Make everything written so far durable."""
        self.database.settle()

    def close(self) -> None:
        """Let go of the files."""
        self.database.close()


def create_store(folder: Path) -> Store:
    """Make the store of a new library."""
    return _migrated(Store(Database(folder / FILE, is_new=True)))


def open_store(folder: Path) -> Store:
    """Open the store of a library, brought up to date if an older Windrow wrote it."""
    path = folder / FILE
    if not path.is_file():
        raise StoreError(f"there is no {FILE} in {folder}", hint="`windrow doctor` says what is there.")
    return _migrated(Store(Database(path)))


def _migrated(store: Store) -> Store:
    """The store with today's schema; opening one that has it already writes nothing."""
    try:
        with store.reading() as connection:
            current = version(connection)
        if current != len(MIGRATIONS):
            with store.writing() as connection:
                migrate(connection)
    except StoreError:
        store.close()
        raise
    return store
