"""SQLAlchemy on Windrow's own connections, imported when its first statement runs."""

from __future__ import annotations

import sqlite3
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine


class Core:
    """Lends driver connections to SQLAlchemy to run statements on; it does not manage transactions."""

    def __init__(self) -> None:
        self._engine: Engine | None = None
        self._next: sqlite3.Connection | None = None
        self._turn = threading.Lock()

    def attach(self, raw: sqlite3.Connection) -> Connection:
        """Return a SQLAlchemy connection on this one; close it first, outside any transaction."""
        with self._turn:
            if self._engine is None:
                self._engine = self._begin()
            self._next = raw
            return self._engine.connect()

    def _begin(self) -> Engine:
        from sqlalchemy import create_engine  # noqa: PLC0415 - slow to import
        from sqlalchemy.pool import NullPool  # noqa: PLC0415

        engine = create_engine("sqlite://", creator=self._give, poolclass=NullPool)
        # SQLAlchemy probes its first connection and rolls back, so this must not be one in a transaction.
        self._next = sqlite3.connect(":memory:")
        engine.connect().close()
        return engine

    def _give(self) -> sqlite3.Connection:
        assert self._next is not None
        return self._next
