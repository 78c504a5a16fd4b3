"""What the robots.txt of providers said, remembered across runs: each is asked for once a day."""

from __future__ import annotations

import json

from windrow.store.store import Store

_KEY = "robots {}"
_FIND = "SELECT value FROM setting WHERE key = ?"
_KEEP = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"


class RobotsMemory:
    """Remembers each file by its address; each call is a transaction of its own."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def find(self, address: str, *, since: int) -> str | None:
        """Give what the file said, if it was asked for since then."""
        with self._store.reading() as connection:
            found = connection.exec_driver_sql(_FIND, (_KEY.format(address),)).scalar()
        kept = json.loads(found) if found else None
        return str(kept["text"]) if kept and kept["at"] >= since else None

    def remember(self, address: str, text: str, *, now: int) -> None:
        """Note what the file says now."""
        value = json.dumps({"at": now, "text": text})
        with self._store.writing() as connection:
            connection.exec_driver_sql(_KEEP, (_KEY.format(address), value))
