"""Small things that the library keeps about itself."""

from __future__ import annotations

import hashlib
import secrets

from windrow.store.store import Store

_SECRET_BYTES = 32
_FIND = "SELECT value FROM setting WHERE key = ?"
_KEEP = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (key) DO NOTHING"
_PUT = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"


def secret(store: Store, name: str) -> bytes:
    """Give a secret of the library's own, made on first use; the same in every process."""
    with store.reading() as connection:
        found = connection.exec_driver_sql(_FIND, (name,)).scalar()
    if found is None and store.is_read_only:
        return _derived(store, name)
    if found is None:
        with store.writing() as connection:
            connection.exec_driver_sql(_KEEP, (name, secrets.token_hex(_SECRET_BYTES)))
            found = connection.exec_driver_sql(_FIND, (name,)).scalar_one()
    return bytes.fromhex(found)


def _derived(store: Store, name: str) -> bytes:
    """Return a secret for a library that cannot keep one: made of what only its own processes see together.

    What is signed with it leads to nothing that is not public, so it need not resist whoever can guess when
    the library was first harvested, and which number its file has on the disk.
    """
    with store.reading() as connection:
        first = connection.exec_driver_sql("SELECT MIN(started) FROM run").scalar()
    return hashlib.sha256(f"{name} {store.database.file_number} {first}".encode()).digest()


def began(store: Store, name: str, mark: str) -> int:
    """Give since when something has been as this mark says, Unix seconds; 0 for as long as anybody knows.

    Another mark than the last time means that it is so from now on, in every process.
    """
    with store.reading() as connection:
        known = connection.exec_driver_sql(_FIND, (name,)).scalar()
    if (known is None or known.partition(" ")[0] != mark) and store.is_read_only:
        return 0 if known is None else int(store.clock())
    if known is None or known.partition(" ")[0] != mark:
        with store.writing() as connection:
            known = connection.exec_driver_sql(_FIND, (name,)).scalar()
            if known is None or known.partition(" ")[0] != mark:  # no other process was quicker
                known = f"{mark} {0 if known is None else int(store.clock())}"
                connection.exec_driver_sql(_PUT, (name, known))
    return int(known.partition(" ")[2])
