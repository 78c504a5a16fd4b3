"""Database connections, which run SQL that is written out. `sqlite` begins and ends the transactions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any

ROWS_AT_ONCE = 500  # per statement


class Rows(sqlite3.Cursor):
    """A cursor with shortcuts for single rows and values."""

    def first(self) -> Any:
        return self.fetchone()

    def one(self) -> Any:
        (row,) = self
        return row

    def all(self) -> list[Any]:
        return self.fetchall()

    def scalar(self) -> Any:
        row = self.fetchone()
        return row[0] if row else None

    def scalar_one(self) -> Any:
        return self.one()[0]

    @property
    def number(self) -> int:
        """The row ID of the last insert."""
        assert self.lastrowid is not None
        return self.lastrowid

    def scalars(self) -> list[Any]:
        return [row[0] for row in self]


class Connection:
    """A connection to the database, for one thread at a time. `info` is free for notes of its users."""

    dialect = "sqlite"

    def __init__(self, raw: sqlite3.Connection) -> None:
        self.raw = raw
        self.info: dict[str, Any] = {}

    def execute(self, statement: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None) -> Rows:
        """Run a statement, once for each item if `parameters` is a list."""
        cursor = self.raw.cursor(Rows)
        if isinstance(parameters, list):
            return cursor.executemany(statement, parameters)
        return cursor.execute(statement, parameters or ())

    def insert(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run an `INSERT … VALUES (?, …)` for these rows, many per statement to save overhead."""
        into, _, marks = statement.partition(" VALUES ")
        left = iter(rows)
        while some := tuple(islice(left, ROWS_AT_ONCE)):
            values = ", ".join([marks] * len(some))
            self.raw.execute(f"{into} VALUES {values}", tuple(chain.from_iterable(some)))

    @contextmanager
    def begin_nested(self) -> Iterator[None]:
        """Roll back to this point if the block raises; the outer transaction continues.

        If the disk is full, SQLite itself has rolled back everything and no transaction is left.
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
        self.raw.close()
