"""The embedded database: one file, one writer, any number of readers."""

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
from windrow.store.sqlalchemy_core import Core

BUSY_SECONDS = 60
PAGE_BYTES = 8192
_MIN_FREE_BYTES = 64 * 1024
MAX_IDLE = 8  # connections of a kind kept open for the next transaction
# Of one connection. A writer comes back to the same pages again and again; a reader of a record here and one
# there hardly does, and a server has many. Who answers machines has one for each thread: what finds any of a
# hundred thousand records by its name is at hand there.
WRITER_CACHE_KIB, READER_CACHE_KIB, ANSWERING_CACHE_KIB = 32 * 1024, 4 * 1024, 16 * 1024

_PRAGMAS = (
    f"page_size = {PAGE_BYTES}",
    "journal_mode = WAL",
    "synchronous = NORMAL",  # a power cut may cost the last pages, never the file
    "temp_store = FILE",
)


# As they were when a connection was opened that takes no notice of changes.
_Files = tuple[tuple[int, int, int] | None, ...]


class Database:
    """Hands out connections to one file. Writers queue for up to a minute; readers never wait.

    Where the file or its folder cannot be written to, it can still be read, also while another user writes.
    """

    def __init__(self, path: Path, *, is_new: bool = False) -> None:
        self._path = path.resolve()
        self._mode = "rwc" if is_new else "rw"
        # Also of the folder: the log of changes (-wal) and its index (-shm) lie beside the database.
        self.is_read_only = not is_new and not all(
            os.access(each, os.W_OK) for each in (self._path, self._path.parent)
        )
        self._frozen: _Files | None = None
        self._epoch = 0
        self._core = Core()
        self._readers: list[Connection] = []
        self._writers: list[Connection] = []
        self.pragmas: tuple[str, ...] = _PRAGMAS  # of every connection opened from now on

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Yield a connection inside a transaction that holds the write lock from its start."""
        self.check_writable()
        with self._told(), self._transaction("BEGIN IMMEDIATE", self._writers) as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield a connection that sees one unchanging state of the library."""
        with self._told(), self._transaction("BEGIN", self._readers) as connection:
            yield connection

    def check_writable(self) -> None:
        """Raise StoreReadOnly where the file cannot be written to."""
        if self.is_read_only:
            raise StoreReadOnly(f"the library {self._path.parent} cannot be changed: {self.why_read_only}")

    @property
    def why_read_only(self) -> str:
        """Why the library cannot be changed, in words."""
        if os.statvfs(self._path).f_flag & os.ST_RDONLY:
            return "its file system is read-only"
        return "you have no permission to write there"

    @property
    def file_number(self) -> str:
        """What tells the file from all others of this machine."""
        found = os.stat(self._path)
        return f"{found.st_dev}-{found.st_ino}"

    @property
    def epoch(self) -> int:
        """Another number than before: connections that were opened before that show an outdated state."""
        if self._frozen is not None and self._frozen != self._files():
            self._frozen = None
            self._epoch += 1
            self.close()
        return self._epoch

    def connect_to_read(self) -> sqlite3.Connection:
        """Return a connection that only reads; the caller says when a state begins and ends, and closes it."""
        with self._told():
            raw = self._open(ANSWERING_CACHE_KIB)
            raw.execute("PRAGMA query_only = 1")
        return raw

    def settle(self) -> None:
        """Write everything through to the file itself, as far as readers let us: it is durable either way."""
        if self.is_read_only:
            return
        with self._told():
            connection = self._take(self._writers)
            raw = connection.raw
            raw.execute("PRAGMA busy_timeout = 0")  # wait for nobody: a reader may go on for an hour
            raw.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            raw.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
            self._give_back(connection, self._writers)

    def close(self) -> None:
        """Close what is open and idle; the next transaction opens its own."""
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
            connection = Connection(self._open(cache_kib), self._core)
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
        """Open a file that cannot be written to, nor can anything be put beside it.

        SQLite reads such a database together with the log of changes if both -wal and -shm are there, which
        they are as long as a writer has it open. After the last one has closed it they are gone, and SQLite
        opens the file only as "immutable": without locks and for ever in the state it is in. That would be
        wrong where somebody else may write to the file, and also through a read-only mount of it somebody may
        elsewhere. So every transaction first looks whether the files are those that were opened, and
        afterwards whether the database itself still is.

        With readonly_shm no file of ours appears beside the database: its owner could not write to that.
        """
        # The first one reads the file: only then is it known whether that works.
        pragmas = ("schema_version", "query_only = 1", "temp_store = FILE", f"cache_size = -{cache_kib}")
        try:
            return self._connect("mode=ro&readonly_shm=1", pragmas)
        except sqlite3.OperationalError:
            files = self._files()
            log = files[1]
            if log is not None and log[1] > 0:  # changes that would not be seen
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
            isolation_level=None,  # we say BEGIN ourselves
        )
        try:
            for pragma in pragmas:
                raw.execute(f"PRAGMA {pragma}")
        except sqlite3.Error:
            raw.close()
            raise
        return raw

    def _files(self) -> _Files:
        """Return what tells the database, its log and the log's index from other states of them."""
        found: list[tuple[int, int, int] | None] = []
        for suffix in ("", "-wal", "-shm"):
            try:
                stat = os.stat(f"{self._path}{suffix}")
                found.append((stat.st_ino, stat.st_size, stat.st_mtime_ns))
            except FileNotFoundError:
                found.append(None)
        return tuple(found)

    def _check_unchanged(self, connection: Connection) -> None:
        """See that nobody wrote to a file that was read without locks."""
        frozen = connection.info.get("frozen")
        if frozen is not None and frozen[0] != self._files()[0]:
            raise StoreError(
                f"{self._path} was changed by somebody else while it was read",
                hint="Try again: the next look sees the new state.",
            )

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Wrap the driver's errors in ours."""
        try:
            yield
        except Exception as exc:
            cause = getattr(exc, "orig", exc)  # SQLAlchemy wraps it in one of its own
            if not isinstance(cause, sqlite3.Error):
                raise
            raise _error(str(cause), self._path) from exc


def _is_full(path: Path) -> bool:
    """Return whether there is no room for a page beside the log's index: SQLite calls that an I/O error."""
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
