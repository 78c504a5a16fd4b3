"""What hosts asked of us, remembered across runs: not before when."""

from __future__ import annotations

from datetime import UTC, datetime

from windrow.store.sqlite import Database

_FIND = "SELECT not_before FROM host WHERE name = ?"
_FORGET = "DELETE FROM host WHERE name = ?"
_KEEP = "INSERT INTO host (name, not_before) VALUES (?, ?)"


class HostMemory:
    """Remembers Retry-After; each call is a transaction of its own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def not_before(self, host: str) -> datetime | None:
        """Give the time before which this host does not want to be asked."""
        with self._database.reading() as connection:
            found = connection.exec_driver_sql(_FIND, (host,)).scalar()
        moment = datetime.fromisoformat(found) if found else None
        return moment if moment and moment > datetime.now(UTC) else None

    def remember(self, host: str, until: datetime | None) -> None:
        """Note that time; None forgets it."""
        with self._database.writing() as connection:
            connection.exec_driver_sql(_FORGET, (host,))
            if until is not None:
                connection.exec_driver_sql(_KEEP, (host, until.isoformat()))
