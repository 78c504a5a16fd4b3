"""The reference pages say what the code says now."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from docs.build import MAKERS, REFERENCE, pages
from docs.makers.store import TABLES

from windrow.store.store import FILE, create_store


@pytest.mark.parametrize("name", MAKERS)
def test_a_reference_page_is_what_the_code_makes_of_it_now(name: str) -> None:
    written = (REFERENCE / name).read_text(encoding="utf-8")
    assert written == pages()[name], f"docs/reference/{name} is out of date: run `make docs`"


def test_every_page_in_the_reference_folder_has_a_maker() -> None:
    assert {path.name for path in REFERENCE.iterdir()} == set(MAKERS)


def test_the_page_of_commands_has_a_section_for_every_verb_of_every_noun() -> None:
    text = pages()["cli.md"]
    for command in ("init", "harvest", "source add", "quarantine retry", "record show", "export"):
        assert f"## `windrow {command}`\n" in text


def test_every_table_is_on_the_page_of_the_database_and_no_remark_is_about_a_column_of_the_past(
    tmp_path: Path,
) -> None:
    create_store(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert tables == set(TABLES)
        for table, known in TABLES.items():
            columns = {
                name for (name,) in database.execute("SELECT name FROM pragma_table_info(?)", (table,))
            }
            assert set(known.get("columns", {})) <= columns, table
