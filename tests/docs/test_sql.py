"""Every query of the how-to for SQL runs over an export and finds something."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.docs.markdown import guides
from tests.flows.commanding import windrow
from tests.flows.serving import stocked

HOWTO = next(each for each in guides() if str(each).endswith("howto/query-with-sql.md"))
QUERIES = [block.text for block in HOWTO.blocks if block.language == "sql"]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sql")
    shelf = stocked(folder / "library", records=80)
    done = windrow(shelf, "export", "--format", "sqlite", "--output", str(folder / "theses.db"))
    assert done.returncode == 0, done.stderr
    return folder / "theses.db"


def test_the_program_for_pandas_and_duckdb_counts_all_records(database: Path) -> None:
    (program,) = (block.text for block in HOWTO.blocks if block.language == "python")
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\nprint('rows:', len(records))"],
        cwd=database.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    with closing(sqlite3.connect(database)) as connection:
        (expected,) = connection.execute("SELECT COUNT(*) FROM record_institution").fetchone()
    assert f"rows: {expected}" in done.stdout
    assert "institution" in done.stdout


def test_there_are_queries() -> None:
    assert len(QUERIES) == 6


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.split("\n")[0][:40])
def test_a_query_of_the_how_to_finds_something(database: Path, query: str) -> None:
    with closing(sqlite3.connect(database)) as connection:
        rows = connection.execute(query).fetchall()
    assert rows
    assert all(value is not None for value in rows[0][:2])
