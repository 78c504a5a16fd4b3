"""The embedded database: one file, one writer, any number of readers."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import QueuePool

from windrow.errors import StoreError, StoreFull

BUSY_SECONDS = 60
CACHE_KIB = 32 * 1024
PAGE_BYTES = 16384


def open_engine(path: Path, *, is_new: bool = False) -> Engine:
    """Give an engine on this file. Writers queue for up to a minute; readers never wait."""
    mode = "rwc" if is_new else "rw"
    engine = create_engine(
        f"sqlite+pysqlite:///file:{_quoted(path)}?mode={mode}&uri=true",
        connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
        poolclass=QueuePool,
        pool_size=8,
        max_overflow=64,
    )
    event.listen(engine, "connect", _configure)
    event.listen(engine, "begin", _begin)
    return engine


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Give a connection inside a transaction that holds the write lock from its start."""
    with _told(engine), engine.connect() as connection:
        connection = connection.execution_options(is_writing=True)
        with connection.begin():
            yield connection


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Give a connection that sees one unchanging state of the library."""
    with _told(engine), engine.connect() as connection, connection.begin():
        yield connection


def settle(engine: Engine) -> None:
    """Write everything through to the file itself, so that it is durable and can be copied."""
    with _told(engine), engine.connect() as connection:
        raw = connection.connection.driver_connection
        assert isinstance(raw, sqlite3.Connection)
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _configure(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves; see _begin
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")  # a power cut may cost the last pages, never the file
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    connection.execute("PRAGMA temp_store = FILE")


def _begin(connection: Connection) -> None:
    is_writing = connection.get_execution_options().get("is_writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")


@contextmanager
def _told(engine: Engine) -> Iterator[None]:
    """Wrap the driver's errors in ours."""
    try:
        yield
    except OperationalError as exc:
        words = str(exc.orig)
        if "full" in words:
            raise StoreFull(f"no space left for {engine.url.database}: {words}") from exc
        if "locked" in words or "busy" in words:
            raise StoreError(f"the library is locked by another writer: {words}") from exc
        raise StoreError(f"the library cannot be used: {words}") from exc
    except DBAPIError as exc:
        raise StoreError(f"the library cannot be used: {exc.orig}") from exc


def _quoted(path: Path) -> str:
    return str(path.resolve()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
