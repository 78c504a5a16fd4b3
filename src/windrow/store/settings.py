"""Small things that the library keeps about itself."""

from __future__ import annotations

import secrets

from windrow.store.store import Store

_SECRET_BYTES = 32
_FIND = "SELECT value FROM setting WHERE key = ?"
_KEEP = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (key) DO NOTHING"


def secret(store: Store, name: str) -> bytes:
    """Give a secret of the library's own, made on first use; the same in every process."""
    with store.reading() as connection:
        found = connection.exec_driver_sql(_FIND, (name,)).scalar()
    if found is None:
        with store.writing() as connection:
            connection.exec_driver_sql(_KEEP, (name, secrets.token_hex(_SECRET_BYTES)))
            found = connection.exec_driver_sql(_FIND, (name,)).scalar_one()
    return bytes.fromhex(found)
