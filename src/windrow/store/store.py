"""The store of one library: transactions to read and to write in, and its end."""

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

# Counts that read every row of a table, kept for whoever asks again: pages and the API ask often.

COUNT_CACHE_SECONDS = 15.0
MANY = 100_000  # rows; fewer are counted within some milliseconds


class _CachedCount(NamedTuple):
    state: tuple[object, ...]
    at: float
    counts: Mapping[Any, int]


class CountCache:
    """What was counted in one store. Used by many threads at once.

    Counts stand until a record changes or a source goes; where there are many rows, for some seconds longer,
    as a harvest changes records all the time.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: dict[Hashable, _CachedCount] = {}
        self._turn = threading.Lock()

    def get(
        self, connection: Connection, what: Hashable, count: Callable[[], Mapping[Any, int]]
    ) -> Mapping[Any, int]:
        """Return the counts of this name, made by `count` where they are not known or too old."""
        state = (sequence.last(connection), *sources.addresses(connection))
        with self._turn:  # whoever wants them meanwhile waits, and need not count
            kept = self._kept.get(what)
            if kept is None or not self._stands(kept, state):
                kept = self._kept[what] = _CachedCount(state, self._clock(), count())
        return kept.counts

    def _stands(self, kept: _CachedCount, state: tuple[object, ...]) -> bool:
        if kept.state == state:
            return True
        return sum(kept.counts.values()) >= MANY and self._clock() - kept.at < COUNT_CACHE_SECONDS


# What hosts asked of us, remembered across runs: not before when.

_FIND_HOST = "SELECT not_before FROM host WHERE name = ?"
# Times are written in UTC and to the microsecond, so that texts compare as times do.
_FORGET_HOST = "DELETE FROM host WHERE name = ? AND not_before <= ?"
_PUT_HOST = """
    INSERT INTO host (name, not_before) VALUES (?, ?) ON CONFLICT (name) DO UPDATE
      SET not_before = excluded.not_before WHERE excluded.not_before > host.not_before
"""


class HostMemory:
    """Remembers Retry-After; each call is a transaction of its own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def not_before(self, host: str) -> datetime | None:
        """Return the time before which this host does not want to be asked."""
        with self._database.reading() as connection:
            found = connection.exec_driver_sql(_FIND_HOST, (host,)).scalar()
        moment = datetime.fromisoformat(found) if found else None
        return moment if moment and moment > datetime.now(UTC) else None

    def remember(self, host: str, until: datetime) -> None:
        """Keep that time, unless a later one is kept already: a shorter wait never replaces a longer one."""
        with self._database.writing() as connection:
            connection.exec_driver_sql(_PUT_HOST, (host, _format_time(until)))

    def forget(self, host: str, until: datetime) -> None:
        """Forget the host's time if it is not later than `until`."""
        with self._database.writing() as connection:
            connection.exec_driver_sql(_FORGET_HOST, (host, _format_time(until)))


def _format_time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


FILE = "windrow.db"
_TEXTS = ("logs/*/*.log", "files/kept-pages/*.xml")  # what servers and commands said, in files


class Store:
    """Hands out connections. Threads of this process take turns at writing."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self.database = database
        self.clock = clock
        self.memory = HostMemory(database)
        self.counts = CountCache()
        self._turn = threading.RLock()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Yield a connection in a transaction that may write; all or nothing of it is kept."""
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
        """Return whether the library can be read, and not be changed."""
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


# Small things that the library keeps about itself.

_SECRET_BYTES = 32
_FIND_SETTING = "SELECT value FROM setting WHERE key = ?"
_ADD_SETTING = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (key) DO NOTHING"
_PUT_SETTING = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"


def get_secret(store: Store, name: str) -> bytes:
    """Return a secret of the library's own, made on first use; the same in every process."""
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
    """Return a secret for a library that cannot keep one: made of what only its own processes see together.

    What is signed with it leads to nothing that is not public, so it need not resist whoever can guess when
    the library was first harvested, and which number its file has on the disk.
    """
    with store.reading() as connection:
        first = connection.exec_driver_sql("SELECT MIN(started) FROM run").scalar()
    return hashlib.sha256(f"{name} {store.database.file_number} {first}".encode()).digest()


def unchanged_since(store: Store, name: str, mark: str) -> int:
    """Return since when something has been as this mark says, Unix seconds; 0 for as long as anybody knows.

    Another mark than the last time means that it is so from now on, in every process.
    """
    with store.reading() as connection:
        known = connection.exec_driver_sql(_FIND_SETTING, (name,)).scalar()
    if (known is None or known.partition(" ")[0] != mark) and store.is_read_only:
        return 0 if known is None else int(store.clock())
    if known is None or known.partition(" ")[0] != mark:
        with store.writing() as connection:
            known = connection.exec_driver_sql(_FIND_SETTING, (name,)).scalar()
            if known is None or known.partition(" ")[0] != mark:  # no other process was quicker
                known = f"{mark} {0 if known is None else int(store.clock())}"
                connection.exec_driver_sql(_PUT_SETTING, (name, known))
    return int(known.partition(" ")[2])


# What the robots.txt of providers said, remembered across runs: each is asked for once a day.

_ROBOTS_KEY = "robots {}"
_SAVE_ROBOTS = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"


class RobotsMemory:
    """Remembers each file by its address; each call is a transaction of its own."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def find(self, address: str, *, since: int) -> str | None:
        """Return what the file said, if it was asked for since then."""
        with self._store.reading() as connection:
            found = connection.exec_driver_sql(_FIND_SETTING, (_ROBOTS_KEY.format(address),)).scalar()
        kept = json.loads(found) if found else None
        return str(kept["text"]) if kept and kept["at"] >= since else None

    def remember(self, address: str, text: str, *, now: int) -> None:
        """Note what the file says now."""
        value = json.dumps({"at": now, "text": text})
        with self._store.writing() as connection:
            connection.exec_driver_sql(_SAVE_ROBOTS, (_ROBOTS_KEY.format(address), value))
