"""The store of one library: its transactions, and the small facts a library keeps about itself.

Beside `Store` these are cached row counts, the waiting times hosts asked for, secrets, and the robots.txt of
providers.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from windrow.config.secrets import Mask
from windrow.errors import StoreError, StoreReadOnly
from windrow.permissions import PRIVATE_FILE, create_private
from windrow.store import sequence, sources
from windrow.store.connection import Connection
from windrow.store.migrations import MIGRATIONS, mask_before, migrate, version
from windrow.store.sqlite import Database

# Cached counts that read every row of a table, since pages and the API ask for them often.

COUNT_CACHE_SECONDS = 15.0
MANY = 100_000  # rows; fewer are counted within a few milliseconds


class _CachedCount(NamedTuple):
    state: tuple[object, ...]
    at: float
    counts: Mapping[Any, int]


class CountCache:
    """Cached counts of one store. Thread-safe.

    Counts are valid until a record changes or a source is removed; where there are many rows, for some
    seconds longer, because a running harvest changes records all the time.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: dict[Hashable, _CachedCount] = {}
        self._turn = threading.Lock()

    def get(
        self, connection: Connection, what: Hashable, count: Callable[[], Mapping[Any, int]]
    ) -> Mapping[Any, int]:
        """Return the counts of this name, calling `count` if they are missing or outdated."""
        state = (sequence.last(connection), *sources.addresses(connection))
        with self._turn:  # concurrent callers wait for the count instead of repeating it
            kept = self._kept.get(what)
            if kept is None or not self._stands(kept, state):
                kept = self._kept[what] = _CachedCount(state, self._clock(), count())
        return kept.counts

    def _stands(self, kept: _CachedCount, state: tuple[object, ...]) -> bool:
        if kept.state == state:
            return True
        return sum(kept.counts.values()) >= MANY and self._clock() - kept.at < COUNT_CACHE_SECONDS


# Waiting times that hosts asked for (Retry-After), kept across runs.

_FIND_HOST = "SELECT not_before FROM host WHERE name = ?"
# Times are stored in UTC with microseconds, so that texts sort like times.
_FORGET_HOST = "DELETE FROM host WHERE name = ? AND not_before <= ?"
_PUT_HOST = """
    INSERT INTO host (name, not_before) VALUES (?, ?) ON CONFLICT (name) DO UPDATE
      SET not_before = excluded.not_before WHERE excluded.not_before > host.not_before
"""


class HostMemory:
    """Stores Retry-After times; each call is a transaction of its own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def not_before(self, host: str) -> datetime | None:
        """Return the time before which a host must not be asked; None if there is none in the future."""
        with self._database.reading() as connection:
            found = connection.exec_driver_sql(_FIND_HOST, (host,)).scalar()
        moment = datetime.fromisoformat(found) if found else None
        return moment if moment and moment > datetime.now(UTC) else None

    def remember(self, host: str, until: datetime) -> None:
        """Store that time unless a later one is stored: a shorter wait never replaces a longer one."""
        with self._database.writing() as connection:
            connection.exec_driver_sql(_PUT_HOST, (host, _format_time(until)))

    def forget(self, host: str, until: datetime) -> None:
        """Forget the host's time if it is not later than `until`."""
        with self._database.writing() as connection:
            connection.exec_driver_sql(_FORGET_HOST, (host, _format_time(until)))


def _format_time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


FILE = "windrow.db"
_TEXTS = ("logs/*/*.log", "files/kept-pages/*.xml")  # files with responses of servers and output of commands


class Store:
    """The transactions of one library. Threads of this process take turns at writing."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self.database = database
        self.clock = clock
        self.memory = HostMemory(database)
        self.counts = CountCache()
        # Claims of this process whose release could not be stored: see `life_cycle`.
        self.late_releases: list[Callable[[Connection], object]] = []
        self._turn = threading.RLock()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Yield a connection in a write transaction, which commits as a whole or not at all."""
        with self._turn, self.database.writing() as connection:
            sequence.unseal(connection)
            yield connection
            sequence.seal(connection, now=int(self.clock()))

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield a connection that sees one unchanging state."""
        with self.database.reading() as connection:
            yield connection

    @property
    def is_read_only(self) -> bool:
        return self.database.is_read_only

    def check_writable(self) -> None:
        """Raise StoreReadOnly if the library cannot be changed."""
        self.database.check_writable()

    def settle(self) -> None:
        """Make everything written so far durable."""
        self.database.settle()

    def close(self) -> None:
        self.database.close()


def create_store(folder: Path) -> Store:
    """Create the store of a new library. SQLite's side files inherit the private permissions of the file."""
    with suppress(OSError):  # an existing file is opened, and the database reports what is wrong with it
        create_private(folder / FILE)
    return _migrated(Store(Database(folder / FILE, is_new=True)), folder)


def open_store(folder: Path) -> Store:
    """Open the store of a library, migrating it if an older Windrow wrote it."""
    path = folder / FILE
    if not path.is_file():
        raise StoreError(f"there is no {FILE} in {folder}", hint="`windrow doctor` says what is there.")
    return _migrated(Store(Database(path)), folder)


def _migrated(store: Store, folder: Path) -> Store:
    """Return the store with the current schema; opening an up-to-date one writes nothing."""
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
        if mask is not None:  # before the addresses are cleaned, so that an interrupted run repeats it
            _hide_in_files(folder, mask)
        if current != len(MIGRATIONS):
            with store.writing() as connection:
                migrate(connection)
            store.settle()  # what a migration removed must not stay in the write-ahead log
    except StoreError:
        store.close()
        raise
    return store


def _hide_in_files(folder: Path, mask: Mask) -> None:
    """Remove secrets from job logs and kept pages, which earlier versions wrote unmasked."""
    for path in (path for pattern in _TEXTS for path in sorted(folder.glob(pattern))):
        if path.is_symlink() or not path.is_file():
            continue
        with suppress(OSError):  # files of another user are left alone
            text = path.read_bytes().decode("utf-8", "surrogateescape")
            safe = mask.text(text)
            if safe != text:
                _replace(path, safe.encode("utf-8", "surrogateescape"))


def _replace(path: Path, content: bytes) -> None:
    """Replace the content of a file, keeping its permissions and times."""
    status = path.stat()
    aside = path.with_suffix(".part")
    with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE), "wb") as file:
        file.write(content)
    aside.chmod(status.st_mode & 0o777)
    os.utime(aside, ns=(status.st_atime_ns, status.st_mtime_ns))
    aside.replace(path)


# Values that a library keeps about itself.

_SECRET_BYTES = 32
_FIND_SETTING = "SELECT value FROM setting WHERE key = ?"
_ADD_SETTING = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (key) DO NOTHING"
_PUT_SETTING = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"


def get_secret(store: Store, name: str) -> bytes:
    """Return a secret of this library, created on first use and the same in every process."""
    with store.reading() as connection:
        found = connection.exec_driver_sql(_FIND_SETTING, (name,)).scalar()
    if found is None and store.is_read_only:
        return _derived_secret(store, name)
    if found is None:
        with store.writing() as connection:
            connection.exec_driver_sql(_ADD_SETTING, (name, secrets.token_hex(_SECRET_BYTES)))
            found = connection.exec_driver_sql(_FIND_SETTING, (name,)).scalar_one()
    return bytes.fromhex(found)


def _derived_secret(store: Store, name: str) -> bytes:
    """Return a secret for a library that cannot store one, derived from what only its own processes see.

    Nothing that it signs leads to anything but public data, so it need not resist someone who can guess when
    the library was first harvested and the inode number of its file.
    """
    with store.reading() as connection:
        first = connection.exec_driver_sql("SELECT MIN(started) FROM run").scalar()
    return hashlib.sha256(f"{name} {store.database.file_number} {first}".encode()).digest()


def unchanged_since(store: Store, name: str, mark: str) -> int:
    """Return since when a value has had this mark, in Unix seconds; 0 if it always had.

    A different mark than last time takes effect now, in every process.
    """
    with store.reading() as connection:
        known = connection.exec_driver_sql(_FIND_SETTING, (name,)).scalar()
    if (known is None or known.partition(" ")[0] != mark) and store.is_read_only:
        return 0 if known is None else int(store.clock())
    if known is None or known.partition(" ")[0] != mark:
        with store.writing() as connection:
            known = connection.exec_driver_sql(_FIND_SETTING, (name,)).scalar()
            if known is None or known.partition(" ")[0] != mark:  # unless another process was faster
                known = f"{mark} {0 if known is None else int(store.clock())}"
                connection.exec_driver_sql(_PUT_SETTING, (name, known))
    return int(known.partition(" ")[2])


# The robots.txt of providers, kept across runs: each is requested once a day.

_ROBOTS_KEY = "robots {}"
_SAVE_ROBOTS = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"


class RobotsMemory:
    """Stores each file by its address; each call is a transaction of its own."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def find(self, address: str, *, since: int) -> str | None:
        """Return the file if it was requested since `since`; None otherwise."""
        with self._store.reading() as connection:
            found = connection.exec_driver_sql(_FIND_SETTING, (_ROBOTS_KEY.format(address),)).scalar()
        kept = json.loads(found) if found else None
        return str(kept["text"]) if kept and kept["at"] >= since else None

    def remember(self, address: str, text: str, *, now: int) -> None:
        """Store the current file."""
        value = json.dumps({"at": now, "text": text})
        with self._store.writing() as connection:
            connection.exec_driver_sql(_SAVE_ROBOTS, (_ROBOTS_KEY.format(address), value))
