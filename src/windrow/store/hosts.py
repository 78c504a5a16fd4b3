"""What hosts asked of us, remembered across runs: not before when."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Engine, delete, insert, select

from windrow.store import schema
from windrow.store.sqlite import reading, writing


class HostMemory:
    """Remembers Retry-After; each call is a transaction of its own."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def not_before(self, host: str) -> datetime | None:
        """Give the time before which this host does not want to be asked."""
        with reading(self._engine) as connection:
            query = select(schema.host.c.not_before).where(schema.host.c.name == host)
            found = connection.execute(query).scalar()
        moment = datetime.fromisoformat(found) if found else None
        return moment if moment and moment > datetime.now(UTC) else None

    def remember(self, host: str, until: datetime | None) -> None:
        """Note that time; None forgets it."""
        with writing(self._engine) as connection:
            connection.execute(delete(schema.host).where(schema.host.c.name == host))
            if until is not None:
                connection.execute(insert(schema.host).values(name=host, not_before=until.isoformat()))
