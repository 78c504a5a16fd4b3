"""Connections and transactions of a database file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from windrow.errors import StoreError
from windrow.store.connection import ROWS_AT_ONCE
from windrow.store.sqlite import MAX_IDLE, Database

TABLE = "CREATE TABLE IF NOT EXISTS format (id INTEGER PRIMARY KEY, prefix TEXT NOT NULL UNIQUE)"
ADD = "INSERT INTO format (prefix) VALUES (?)"
ALL = "SELECT prefix FROM format ORDER BY id"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = Database(tmp_path / "some.db", is_new=True)
    with made.writing() as connection:
        connection.execute(TABLE)
    yield made
    made.close()


def prefixes(database: Database) -> list[str]:
    with database.reading() as connection:
        return list(connection.execute(ALL).scalars())


def fail_having_added(database: Database) -> None:
    with database.writing() as connection:
        connection.execute(ADD, ("a",))
        raise ZeroDivisionError


def add_one_twice(database: Database) -> None:
    with database.writing() as connection:
        connection.execute(ADD, [("a",), ("a",)])


def test_nothing_of_a_transaction_that_fails_is_kept(database: Database) -> None:
    for _ in range(2):  # the second time on the same connection
        with pytest.raises(ZeroDivisionError):
            fail_having_added(database)
        assert prefixes(database) == []


def test_a_statement_that_fails_inside_is_undone_and_the_rest_kept(database: Database) -> None:
    with database.writing() as connection:
        connection.execute(ADD, ("first",))
        with pytest.raises(sqlite3.IntegrityError), connection.begin_nested():
            connection.execute(ADD, [("more",), ("first",)])
        connection.execute(ADD, ("last",))
    assert prefixes(database) == ["first", "last"]


def test_an_error_of_the_driver_becomes_a_store_error_that_names_the_file(database: Database) -> None:
    with pytest.raises(StoreError, match=r"some\.db cannot be used: UNIQUE"):
        add_one_twice(database)


def test_what_is_no_fault_of_the_database_passes_through(database: Database) -> None:
    with pytest.raises(KeyError), database.reading():
        raise KeyError("prefix")


def test_rows_give_single_values(database: Database) -> None:
    with database.writing() as connection:
        assert connection.execute(ADD, ("a",)).number == 1
        connection.execute(ADD, [("b",), ("c",)])
        ask = connection.execute
        assert ask(ALL).first() == ("a",)
        assert ask(ALL).all() == [("a",), ("b",), ("c",)]
        assert ask("SELECT prefix, id FROM format WHERE id = :id", {"id": 2}).one() == ("b", 2)
        assert ask("SELECT prefix FROM format WHERE id = ?", (9,)).scalar() is None
        with pytest.raises(ValueError, match="too many"):
            ask(ALL).scalar_one()


@pytest.mark.parametrize("count", [0, 1, ROWS_AT_ONCE, 2 * ROWS_AT_ONCE + 1])
def test_rows_are_all_inserted_in_their_order_however_many_there_are(database: Database, count: int) -> None:
    names = [f"name {number}" for number in range(count)]
    with database.writing() as connection:
        connection.insert(ADD, ((name,) for name in names))
    assert prefixes(database) == names


def test_transactions_inside_one_another_have_connections_of_their_own(database: Database) -> None:
    with database.reading() as outer:
        assert outer.execute(ALL).scalars() == []  # from here on it sees one state
        with database.writing() as inner:
            inner.execute(ADD, ("a",))
        assert outer.execute(ALL).scalars() == [], "its state has changed under a reader"
    assert prefixes(database) == ["a"]


def test_no_more_connections_stay_open_than_are_wanted(database: Database) -> None:
    held = [database.reading() for _ in range(MAX_IDLE + 3)]
    opened = [each.__enter__() for each in held]
    for each in held:
        each.__exit__(None, None, None)
    usable = 0
    for connection in opened:
        try:
            usable += connection.execute("SELECT 1").scalar()
        except sqlite3.ProgrammingError:
            continue
    assert usable == MAX_IDLE
