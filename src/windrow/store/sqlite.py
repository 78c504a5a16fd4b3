"""The SQLite database: one file, one writer at a time, any number of readers."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from windrow.errors import StoreError, StoreFull, StoreReadOnly
from windrow.store.connection import Connection

BUSY_SECONDS = 60
PAGE_BYTES = 8192
_MIN_FREE_BYTES = 64 * 1024
MAX_IDLE = 8  # connections of each kind kept open
# Per connection. A writer returns to the same pages again and again; a reader of single records hardly does,
# and a server has many readers. Threads that answer machine requests have one each, whose cache holds the
# index pages to find any of a hundred thousand records by identifier.
WRITER_CACHE_KIB, READER_CACHE_KIB, ANSWERING_CACHE_KIB = 32 * 1024, 4 * 1024, 16 * 1024

_PRAGMAS = (
    f"page_size = {PAGE_BYTES}",
    "journal_mode = WAL",
    "synchronous = NORMAL",  # a power failure may lose the last transactions, but does not corrupt the file
    "temp_store = FILE",
)


# The state of the files when a connection without change detection was opened.
_Files = tuple[tuple[int, int, int] | None, ...]


class Database:
    """Connections to one file. Writers wait for up to a minute; readers never wait.

    If the file or its folder is not writable it can still be read, even while another user writes.
    """

    def __init__(self, path: Path, *, is_new: bool = False) -> None:
        self._path = path.resolve()
        self._mode = "rwc" if is_new else "rw"
        # Including the folder: the write-ahead log (-wal) and its index (-shm) are beside the database.
        self.is_read_only = not is_new and not all(
            os.access(each, os.W_OK) for each in (self._path, self._path.parent)
        )
        self._frozen: _Files | None = None
        self._epoch = 0
        self._readers: list[Connection] = []
        self._writers: list[Connection] = []
        self.pragmas: tuple[str, ...] = _PRAGMAS  # of every connection opened from now on

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Yield a connection in a transaction that holds the write lock from its start."""
        self.check_writable()
        with self._told(), self._transaction("BEGIN IMMEDIATE", self._writers) as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield a connection that sees one unchanging state of the library."""
        with self._told(), self._transaction("BEGIN", self._readers) as connection:
            yield connection

    def check_writable(self) -> None:
        """Raise StoreReadOnly if the file is not writable."""
        if self.is_read_only:
            raise StoreReadOnly(f"the library {self._path.parent} cannot be changed: {self.why_read_only}")

    @property
    def why_read_only(self) -> str:
        """The reason in words."""
        if os.statvfs(self._path).f_flag & os.ST_RDONLY:
            return "its file system is read-only"
        return "you have no permission to write there"

    @property
    def file_number(self) -> str:
        """A text that identifies the file on this machine."""
        found = os.stat(self._path)
        return f"{found.st_dev}-{found.st_ino}"

    @property
    def epoch(self) -> int:
        """A number that grows when connections opened before show an outdated state."""
        if self._frozen is not None and self._frozen != self._files():
            self._frozen = None
            self._epoch += 1
            self.close()
        return self._epoch

    def connect_to_read(self) -> sqlite3.Connection:
        """Return a read-only connection; the caller manages its transactions and closes it."""
        with self._told():
            raw = self._open(ANSWERING_CACHE_KIB)
            raw.execute("PRAGMA query_only = 1")
        return raw

    def settle(self) -> None:
        """Checkpoint the write-ahead log as far as readers permit. The data is durable either way."""
        if self.is_read_only:
            return
        with self._told():
            connection = self._take(self._writers)
            raw = connection.raw
            raw.execute("PRAGMA busy_timeout = 0")  # do not wait: a reader may continue for an hour
            raw.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            raw.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
            self._give_back(connection, self._writers)

    def close(self) -> None:
        """Close idle connections; the next transaction opens its own."""
        for idle in (self._readers, self._writers):
            while idle:
                idle.pop().close()

    @contextmanager
    def _transaction(self, begin: str, idle: list[Connection]) -> Iterator[Connection]:
        connection = self._take(idle)
        try:
            connection.raw.execute(begin)
            yield connection
            connection.raw.commit()
            self._check_unchanged(connection)
        except BaseException:
            connection.raw.rollback()
            raise
        finally:
            self._give_back(connection, idle)

    def _take(self, idle: list[Connection]) -> Connection:
        epoch = self.epoch
        try:
            return idle.pop()
        except IndexError:
            cache_kib = WRITER_CACHE_KIB if idle is self._writers else READER_CACHE_KIB
            connection = Connection(self._open(cache_kib))
            connection.info["epoch"], connection.info["frozen"] = epoch, self._frozen
            return connection

    def _give_back(self, connection: Connection, idle: list[Connection]) -> None:
        if len(idle) < MAX_IDLE and connection.info["epoch"] == self._epoch:
            idle.append(connection)
        else:
            connection.close()

    def _open(self, cache_kib: int) -> sqlite3.Connection:
        if self.is_read_only:
            return self._open_to_read(cache_kib)
        return self._connect(f"mode={self._mode}", (*self.pragmas, f"cache_size = -{cache_kib}"))

    def _open_to_read(self, cache_kib: int) -> sqlite3.Connection:
        """Open a file when neither it nor its folder is writable.

        SQLite reads such a database with its write-ahead log if both -wal and -shm exist, which is the case
        while a writer has it open. After the last writer has closed it, SQLite can open the file only as
        "immutable": without locks and without noticing changes. That would be wrong where another user may
        write to the file, also behind a read-only mount. So each transaction first checks whether the files
        are still those that were opened, and at its end whether the database itself still is.

        With readonly_shm no file of this user appears beside the database, which its owner could not write
        to.
        """
        # The first pragma reads the file: only then do errors show.
        pragmas = ("schema_version", "query_only = 1", "temp_store = FILE", f"cache_size = -{cache_kib}")
        try:
            return self._connect("mode=ro&readonly_shm=1", pragmas)
        except sqlite3.OperationalError:
            files = self._files()
            log = files[1]
            if log is not None and log[1] > 0:  # changes that would be ignored
                raise
        found = self._connect("mode=ro&immutable=1", pragmas)
        self._frozen = files
        return found

    def _connect(self, how: str, pragmas: Iterable[str]) -> sqlite3.Connection:
        raw = sqlite3.connect(
            f"file:{quote(str(self._path))}?{how}",
            uri=True,
            timeout=BUSY_SECONDS,
            check_same_thread=False,
            isolation_level=None,  # transactions are begun explicitly
        )
        try:
            for pragma in pragmas:
                raw.execute(f"PRAGMA {pragma}")
        except sqlite3.Error:
            raw.close()
            raise
        return raw

    def _files(self) -> _Files:
        """Return the identity and state of the database, its log and the log's index."""
        found: list[tuple[int, int, int] | None] = []
        for suffix in ("", "-wal", "-shm"):
            try:
                stat = os.stat(f"{self._path}{suffix}")
                found.append((stat.st_ino, stat.st_size, stat.st_mtime_ns))
            except FileNotFoundError:
                found.append(None)
        return tuple(found)

    def _check_unchanged(self, connection: Connection) -> None:
        """Check that a file read without locks was not written to."""
        frozen = connection.info.get("frozen")
        if frozen is not None and frozen[0] != self._files()[0]:
            raise StoreError(
                f"{self._path} was changed by another process while it was read",
                hint="Try again: the next look sees the new state.",
            )

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Convert the driver's errors to StoreError."""
        try:
            yield
        except sqlite3.Error as exc:
            raise _error(str(exc), self._path) from exc


def _is_full(path: Path) -> bool:
    """Return whether the disk has no room to grow the log's index, which SQLite reports as an I/O error."""
    return shutil.disk_usage(path.parent).free < _MIN_FREE_BYTES


def _error(words: str, path: Path) -> StoreError:
    if "full" in words or ("disk I/O" in words and _is_full(path)):
        return StoreFull(f"no space left for {path}: {words}")
    if "locked" in words or "busy" in words:
        return StoreError(f"{path} is locked by another writer: {words}", hint="Try again when it is done.")
    hint = ""
    if "readonly" in words or "unable to open" in words:
        hint = "Check that you may write in that folder: the database keeps files beside it."
        if path.exists() and not os.access(path.parent, os.W_OK):
            hint = (
                f"You may not write in that folder. If there are changes in {path.name}-wal, a user who may"
                " has to run `windrow doctor` there once; then it can be read."
            )
    elif "not a database" in words or "malformed" in words:
        hint = "Bring the file back from a copy, or harvest into a new library."
    return StoreError(f"{path} cannot be used: {words}", hint=hint)
