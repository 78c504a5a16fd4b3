"""Statements written out and statements built: one connection, one transaction."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert, select

from windrow.errors import StoreError
from windrow.store import table_schema
from windrow.store.connection import ROWS_AT_ONCE, Connection
from windrow.store.sqlite import MAX_IDLE, Database

TABLE = "CREATE TABLE IF NOT EXISTS format (id INTEGER PRIMARY KEY, prefix TEXT NOT NULL UNIQUE)"
ADD = "INSERT INTO format (prefix) VALUES (?)"
ALL = "SELECT prefix FROM format ORDER BY id"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = Database(tmp_path / "some.db", is_new=True)
    with made.writing() as connection:
        connection.exec_driver_sql(TABLE)
    yield made
    made.close()


def prefixes(database: Database) -> list[str]:
    with database.reading() as connection:
        return list(connection.exec_driver_sql(ALL).scalars())


def add_both_ways(connection: Connection) -> None:
    connection.exec_driver_sql(ADD, ("written",))
    connection.execute(insert(table_schema.format_).values(prefix="built"))


def fail_having_added(database: Database) -> None:
    with database.writing() as connection:
        add_both_ways(connection)
        raise ZeroDivisionError


def add_one_twice(database: Database, *, is_built: bool) -> None:
    with database.writing() as connection:
        add_both_ways(connection)
        if is_built:
            connection.execute(insert(table_schema.format_).values(prefix="built"))
        connection.exec_driver_sql(ADD, ("built",))


def test_both_kinds_of_statement_see_what_the_other_did(database: Database) -> None:
    with database.writing() as connection:
        add_both_ways(connection)
        built = connection.execute(select(table_schema.format_.c.prefix).order_by(table_schema.format_.c.id))
        assert list(built.scalars()) == connection.exec_driver_sql(ALL).scalars() == ["written", "built"]
    assert prefixes(database) == ["written", "built"]


def test_nothing_of_a_transaction_that_fails_is_kept_whoever_ran_it(database: Database) -> None:
    for _ in range(2):  # the second time SQLAlchemy is there already
        with pytest.raises(ZeroDivisionError):
            fail_having_added(database)
        assert prefixes(database) == []


def test_a_statement_that_fails_inside_is_undone_and_the_rest_kept(database: Database) -> None:
    with database.writing() as connection:
        add_both_ways(connection)
        with pytest.raises(sqlite3.IntegrityError), connection.begin_nested():
            connection.exec_driver_sql(ADD, [("more",), ("built",)])
        connection.exec_driver_sql(ADD, ("last",))
    assert prefixes(database) == ["written", "built", "last"]


@pytest.mark.parametrize("is_built", [False, True])
def test_what_the_driver_refuses_is_told_in_our_words(database: Database, is_built: bool) -> None:
    with pytest.raises(StoreError, match=r"some\.db cannot be used: UNIQUE"):
        add_one_twice(database, is_built=is_built)


def test_what_is_no_fault_of_the_database_passes_through(database: Database) -> None:
    with pytest.raises(KeyError), database.reading():
        raise KeyError("orig")


def test_rows_give_single_values(database: Database) -> None:
    with database.writing() as connection:
        assert connection.exec_driver_sql(ADD, ("a",)).number == 1
        connection.exec_driver_sql(ADD, [("b",), ("c",)])
        ask = connection.exec_driver_sql
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
        assert outer.exec_driver_sql(ALL).scalars() == []  # from here on it sees one state
        with database.writing() as inner:
            add_both_ways(inner)
        assert outer.exec_driver_sql(ALL).scalars() == [], "its state has changed under a reader"
    assert prefixes(database) == ["written", "built"]


def test_no_more_connections_stay_open_than_are_wanted(database: Database) -> None:
    held = [database.reading() for _ in range(MAX_IDLE + 3)]
    opened = [each.__enter__() for each in held]
    for each in held:
        each.__exit__(None, None, None)
    usable = 0
    for connection in opened:
        try:
            usable += connection.exec_driver_sql("SELECT 1").scalar()
        except sqlite3.ProgrammingError:
            continue
    assert usable == MAX_IDLE


def test_sqlalchemy_is_not_loaded_by_a_statement_that_is_written_out(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom pathlib import Path\nfrom windrow.store.store import create_store\n"
        "from windrow.store import leases, runs, sources\n"
        "from windrow.store.harvests import checkpoints, quarantine_cases\n"
        "from windrow.store.records import page_writer\n"
        "store = create_store(Path(sys.argv[1]))\n"
        "with store.writing() as connection:\n    sources.ensure(connection, 'hay', 'https://hay.example')\n"
        "sys.exit('sqlalchemy' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", script, tmp_path], check=False).returncode == 0
