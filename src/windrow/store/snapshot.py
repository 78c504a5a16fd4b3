"""Copies of the store while it is in use: one consistent state, verified before it counts."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from windrow.errors import StoreError, StoreFull
from windrow.permissions import create_private
from windrow.store.migrations import MIGRATIONS, version
from windrow.store.records.record_reader import count_records
from windrow.store.store import FILE, Store, open_store

PAGES_AT_ONCE = 4096

Progress = Callable[[int, int], None]
_BEGIN_STATE = "SELECT COUNT(*) FROM sqlite_schema"  # a transaction sees the state of its first read
_CHECK = "PRAGMA quick_check(1)"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The content of a copy."""

    records: int
    bytes: int


def copy_store(store: Store, folder: Path, *, on_progress: Progress = lambda _done, _total: None) -> Snapshot:
    """Copy the store into a folder that has none, and verify it; raise StoreError if it is not sound.

    Others can write meanwhile; their changes are not in the copy.
    """
    path = folder / FILE
    # One transaction from the first page to the last: otherwise each write of others restarts the copy.
    with store.reading() as connection:
        connection.execute(_BEGIN_STATE).scalar()
        with _copy_errors(path), closing(_new(path)) as target:
            target.execute("PRAGMA synchronous = OFF")  # a copy interrupted by a power failure is made again
            connection.raw.backup(target, pages=PAGES_AT_ONCE, progress=_progress_callback(on_progress))
        records = count_records(connection)
    _check(folder, records)
    return Snapshot(records, path.stat().st_size)


def _new(path: Path) -> sqlite3.Connection:
    create_private(path)
    return sqlite3.connect(path)


@contextmanager
def _copy_errors(path: Path) -> Iterator[None]:
    """Report errors as those of the copy; the surrounding transaction would blame the store."""
    try:
        yield
    except (sqlite3.Error, OSError) as exc:
        kind = StoreFull if "full" in str(exc) else StoreError
        raise kind(f"{path} cannot be written: {exc}", hint="Free some space, or copy elsewhere.") from exc


def _progress_callback(on_progress: Progress) -> Callable[[int, int, int], None]:
    def tell(_status: int, remaining: int, total: int) -> None:
        on_progress(total - remaining, total)

    return tell


def _check(folder: Path, records: int) -> None:
    """Open the copy like a library's store, and check that it is complete."""
    copy = open_store(folder)
    try:
        with copy.reading() as connection:
            verdict = connection.execute(_CHECK).scalar()
            is_same = version(connection) == len(MIGRATIONS) and count_records(connection) == records
    finally:
        copy.settle()
        copy.close()
    if verdict != "ok" or not is_same:
        raise StoreError(
            f"the copy in {folder} is not sound: {verdict}",
            hint="`windrow doctor` looks the library itself over.",
        )
