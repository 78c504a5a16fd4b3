"""The store of one library: transactions to read and to write in, and its end."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from windrow.config.masking import Mask
from windrow.errors import StoreError, StoreReadOnly
from windrow.permissions import PRIVATE_FILE, create_private
from windrow.store import sequence
from windrow.store.connection import Connection
from windrow.store.hosts import HostMemory
from windrow.store.kept_counts import KeptCounts
from windrow.store.migrations import MIGRATIONS, mask_before, migrate, version
from windrow.store.sqlite import Database

FILE = "windrow.db"
_TEXTS = ("logs/*/*.log", "files/kept-pages/*.xml")  # what servers and commands said, in files


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

    @property
    def is_read_only(self) -> bool:
        """Whether the library can be read, and not be changed."""
        return self.database.is_read_only

    def check_writable(self) -> None:
        """Raise StoreReadOnly where the library cannot be changed."""
        self.database.check_writable()

    def settle(self) -> None:
        """Make everything written so far durable."""
        self.database.settle()

    def close(self) -> None:
        """Let go of the files."""
        self.database.close()


def create_store(folder: Path) -> Store:
    """Make the store of a new library. What SQLite keeps beside its file is as private as the file is."""
    with suppress(OSError):  # one that is there already is opened, and what is wrong the database reports
        create_private(folder / FILE)
    return _migrated(Store(Database(folder / FILE, is_new=True)), folder)


def open_store(folder: Path) -> Store:
    """Open the store of a library, brought up to date if an older Windrow wrote it."""
    path = folder / FILE
    if not path.is_file():
        raise StoreError(f"there is no {FILE} in {folder}", hint="`windrow doctor` says what is there.")
    return _migrated(Store(Database(path)), folder)


def _migrated(store: Store, folder: Path) -> Store:
    """The store with today's schema; opening one that has it already writes nothing."""
    try:
        with store.reading() as connection:
            current = version(connection)
            mask = mask_before(connection, current)
        if current < len(MIGRATIONS) and store.is_read_only:
            raise StoreReadOnly(
                f"an older Windrow wrote this library, and it cannot be brought up to date from here:"
                f" {store.database.why_read_only}",
                hint="Run `windrow doctor` on it once as a user who may write there.",
            )
        if mask is not None:  # before the addresses go, so that it is done again if this is interrupted
            _hide_in_files(folder, mask)
        if current != len(MIGRATIONS):
            with store.writing() as connection:
                migrate(connection)
            store.settle()  # what a migration took out must not stay behind in the write-ahead log
    except StoreError:
        store.close()
        raise
    return store


def _hide_in_files(folder: Path, mask: Mask) -> None:
    """Take secrets out of job logs and kept pages, which earlier versions wrote as they came."""
    for path in (path for pattern in _TEXTS for path in sorted(folder.glob(pattern))):
        if path.is_symlink() or not path.is_file():
            continue
        with suppress(OSError):  # of another user: then it is not ours to change
            text = path.read_bytes().decode("utf-8", "surrogateescape")
            safe = mask.text(text)
            if safe != text:
                _replace(path, safe.encode("utf-8", "surrogateescape"))


def _replace(path: Path, content: bytes) -> None:
    """Replace what a file holds; its permissions and times stay."""
    status = path.stat()
    aside = path.with_suffix(".part")
    with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE), "wb") as file:
        file.write(content)
    aside.chmod(status.st_mode & 0o777)
    os.utime(aside, ns=(status.st_atime_ns, status.st_mtime_ns))
    aside.replace(path)
