"""What hosts asked of us, remembered across runs: not before when."""

from __future__ import annotations

from datetime import UTC, datetime

from windrow.store.sqlite import Database

_FIND = "SELECT not_before FROM host WHERE name = ?"
# Times are written in UTC and to the microsecond, so that texts compare as times do.
_FORGET = "DELETE FROM host WHERE name = ? AND not_before <= ?"
_KEEP = """
    INSERT INTO host (name, not_before) VALUES (?, ?) ON CONFLICT (name) DO UPDATE
      SET not_before = excluded.not_before WHERE excluded.not_before > host.not_before
"""


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

    def remember(self, host: str, until: datetime) -> None:
        """Keep that time, unless a later one is kept already: a shorter wait never replaces a longer one."""
        with self._database.writing() as connection:
            connection.exec_driver_sql(_KEEP, (host, _written(until)))

    def forget(self, host: str, until: datetime) -> None:
        """Forget the host's time if it is not later than `until`."""
        with self._database.writing() as connection:
            connection.exec_driver_sql(_FORGET, (host, _written(until)))


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
