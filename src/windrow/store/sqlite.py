"""The embedded database: one file, one writer, any number of readers."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, unquote

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from windrow.errors import StoreError, StoreFull

BUSY_SECONDS = 60
CACHE_KIB = 32 * 1024
PAGE_BYTES = 16384


def open_engine(path: Path, *, is_new: bool = False) -> Engine:
    """Give an engine on this file. Writers queue for up to a minute; readers never wait."""
    query = {"mode": "rwc" if is_new else "rw", "uri": "true"}
    engine = create_engine(
        URL.create("sqlite+pysqlite", database=f"file:{quote(str(path.resolve()))}", query=query),
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
        connection.execution_options(is_writing=True)
        with connection.begin():
            yield connection


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Give a connection that sees one unchanging state of the library."""
    with _told(engine), engine.connect() as connection, connection.begin():
        yield connection


def connect_to_read(engine: Engine) -> sqlite3.Connection:
    """Give a connection of the driver's own that only reads; the caller says when a state begins and ends."""
    with _told(engine):
        borrowed = engine.raw_connection()
        raw = borrowed.driver_connection
        assert isinstance(raw, sqlite3.Connection)
        borrowed.detach()
        raw.execute("PRAGMA query_only = 1")
    return raw


def settle(engine: Engine) -> None:
    """Write everything through to the file itself, as far as readers let us: it is durable either way."""
    with _told(engine), engine.connect() as connection:
        raw = connection.connection.driver_connection
        assert isinstance(raw, sqlite3.Connection)
        raw.execute("PRAGMA busy_timeout = 0")  # wait for nobody: a reader may go on for an hour
        raw.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        raw.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")


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
    except DBAPIError as exc:
        raise _error(str(exc.orig), _path(engine)) from exc


def _error(words: str, path: str) -> StoreError:
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


def _path(engine: Engine) -> str:
    return unquote((engine.url.database or "").removeprefix("file:"))
