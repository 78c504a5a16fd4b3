"""A connection in a transaction: what every file of the store runs its statements on.

Between `sqlite`, which begins and ends transactions, and the rest. A statement that is written out goes
straight to the driver. One that is built with SQLAlchemy goes through SQLAlchemy, on the same connection and
in the same transaction; it is loaded for the first of them, as that takes longer than many a command does.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy import Connection as CoreConnection
    from sqlalchemy import CursorResult, Executable

    from windrow.store.sqlalchemy_core import Core

ROWS_AT_ONCE = 500  # in one statement


class Rows(sqlite3.Cursor):
    """What a statement gave: an iterator of tuples, with the short ways to a single one."""

    def first(self) -> Any:
        """Return the first row; None where there is none."""
        return self.fetchone()

    def one(self) -> Any:
        """Return the only row."""
        (row,) = self
        return row

    def all(self) -> list[Any]:
        """Return every row."""
        return self.fetchall()

    def scalar(self) -> Any:
        """Return the first value of the first row; None where there is none."""
        row = self.fetchone()
        return row[0] if row else None

    def scalar_one(self) -> Any:
        """Return the first value of the only row."""
        return self.one()[0]

    @property
    def number(self) -> int:
        """The number that the row just inserted was given."""
        assert self.lastrowid is not None
        return self.lastrowid

    def scalars(self) -> list[Any]:
        """Return the first value of every row."""
        return [row[0] for row in self]


class Connection:
    """One connection to the database; for one thread at a time. `info` is for notes of whoever uses it."""

    dialect = "sqlite"

    def __init__(self, raw: sqlite3.Connection, core: Core) -> None:
        self.raw = raw
        self.info: dict[str, Any] = {}
        self._core = core
        self._attached: CoreConnection | None = None

    def exec_driver_sql(
        self, statement: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None
    ) -> Rows:
        """Run a statement that is written out; once for each item of a list of parameters."""
        cursor = self.raw.cursor(Rows)
        if isinstance(parameters, list):
            return cursor.executemany(statement, parameters)
        return cursor.execute(statement, parameters or ())

    def insert(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run an `INSERT … VALUES (?, …)` for these rows: many at a time, as each time costs anew."""
        into, _, marks = statement.partition(" VALUES ")
        left = iter(rows)
        while some := tuple(islice(left, ROWS_AT_ONCE)):
            values = ", ".join([marks] * len(some))
            self.raw.execute(f"{into} VALUES {values}", tuple(chain.from_iterable(some)))

    def execute(self, statement: Executable, parameters: Any = None) -> CursorResult[*tuple[Any, ...]]:
        """Run a statement that was built with SQLAlchemy."""
        if self._attached is None:
            self._attached = self._core.attach(self.raw)
        return self._attached.execute(statement, parameters)

    @contextmanager
    def begin_nested(self) -> Iterator[None]:
        """Undo what is done inside where it raises; the transaction around it goes on.

        Unless there is none any more: where the disk is full, the database itself undoes everything.
        """
        self.raw.execute("SAVEPOINT nested")
        try:
            yield
        except BaseException:
            if self.raw.in_transaction:
                self.raw.execute("ROLLBACK TO nested")
            raise
        finally:
            if self.raw.in_transaction:
                self.raw.execute("RELEASE nested")

    def close(self) -> None:
        """Let go of the file."""
        if self._attached is not None:
            self._attached.close()
        self.raw.close()
