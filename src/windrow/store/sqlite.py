"""The embedded database: one file, one writer, any number of readers."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from windrow.errors import StoreError, StoreFull
from windrow.store.connection import Connection
from windrow.store.core import Core

BUSY_SECONDS = 60
PAGE_BYTES = 8192
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


class Database:
    """Hands out connections to one file. Writers queue for up to a minute; readers never wait."""

    def __init__(self, path: Path, *, is_new: bool = False) -> None:
        self._path = path.resolve()
        self._mode = "rwc" if is_new else "rw"
        self._core = Core()
        self._readers: list[Connection] = []
        self._writers: list[Connection] = []
        self.pragmas: tuple[str, ...] = _PRAGMAS  # of every connection opened from now on

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give a connection inside a transaction that holds the write lock from its start."""
        with self._told(), self._transaction("BEGIN IMMEDIATE", self._writers) as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection that sees one unchanging state of the library."""
        with self._told(), self._transaction("BEGIN", self._readers) as connection:
            yield connection

    def connect_to_read(self) -> sqlite3.Connection:
        """Give a connection that only reads; the caller says when a state begins and ends, and closes it."""
        with self._told():
            raw = self._open(ANSWERING_CACHE_KIB)
            raw.execute("PRAGMA query_only = 1")
        return raw

    def settle(self) -> None:
        """Write everything through to the file itself, as far as readers let us: it is durable either way."""
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
        except BaseException:
            connection.raw.rollback()
            raise
        finally:
            self._give_back(connection, idle)

    def _take(self, idle: list[Connection]) -> Connection:
        try:
            return idle.pop()
        except IndexError:
            cache_kib = WRITER_CACHE_KIB if idle is self._writers else READER_CACHE_KIB
            return Connection(self._open(cache_kib), self._core)

    def _give_back(self, connection: Connection, idle: list[Connection]) -> None:
        if len(idle) < MAX_IDLE:
            idle.append(connection)
        else:
            connection.close()

    def _open(self, cache_kib: int) -> sqlite3.Connection:
        raw = sqlite3.connect(
            f"file:{quote(str(self._path))}?mode={self._mode}",
            uri=True,
            timeout=BUSY_SECONDS,
            check_same_thread=False,
            isolation_level=None,  # we say BEGIN ourselves
        )
        try:
            for pragma in (*self.pragmas, f"cache_size = -{cache_kib}"):
                raw.execute(f"PRAGMA {pragma}")
        except sqlite3.Error:
            raw.close()
            raise
        return raw

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


def _error(words: str, path: Path) -> StoreError:
    if "full" in words:
        return StoreFull(f"no space left for {path}: {words}")
    if "locked" in words or "busy" in words:
        return StoreError(f"{path} is locked by another writer: {words}", hint="Try again when it is done.")
    hint = ""
    if "readonly" in words or "unable to open" in words:
        hint = (
            "Check that you may write in that folder: the database keeps files beside it, even for reading."
        )
    elif "not a database" in words or "malformed" in words:
        hint = "Bring the file back from a copy, or harvest into a new library."
    return StoreError(f"{path} cannot be used: {words}", hint=hint)
