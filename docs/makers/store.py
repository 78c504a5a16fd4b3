"""The page of the database: its tables as the migrations make them, explained in `tables.toml`."""

from __future__ import annotations

import sqlite3
import tomllib
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from docs.makers.table import code, table
from windrow.store.migrations import MIGRATIONS
from windrow.store.store import FILE, create_store

TABLES = tomllib.loads(Path(__file__).with_name("tables.toml").read_text(encoding="utf-8"))
_PREFACE = f"""\
# The database

A library keeps everything in one SQLite file, `windrow.db`. These are its tables, at schema
version {len(MIGRATIONS)}. Read it with any SQLite tool, even while Windrow is at work; write to it with
Windrow only. A newer Windrow brings an older file up to date when it opens it; an older one refuses a newer
file and changes nothing.

Payloads are compressed, several to a block, so plain SQL does not show them: `windrow record show ID --raw`
and `windrow export` do. [Why it is so](../explain/store-and-blocks.md).
"""


def make_page() -> str:
    """Write the page."""
    with TemporaryDirectory() as folder:
        create_store(Path(folder)).close()
        with closing(sqlite3.connect(Path(folder) / FILE)) as database:
            sections = [_section(database, name) for name in sorted(TABLES)]
    return "\n".join([_PREFACE, *sections])


def _section(database: sqlite3.Connection, name: str) -> str:
    remarks = TABLES[name].get("columns", {})
    columns = database.execute('SELECT name, type, "notnull", pk FROM pragma_table_info(?)', (name,))
    rows = [
        (
            code(column),
            kind + (", not null" if is_required and not key else ""),
            "key" if key else "",
            remarks.get(column, ""),
        )
        for column, kind, is_required, key in columns
    ]
    heading = f"## `{name}`\n\n{TABLES[name]['purpose']}\n\n"
    return heading + table(("Column", "Type", "Key", "What it holds"), rows) + _indexes(database, name)


def _indexes(database: sqlite3.Connection, name: str) -> str:
    """List the unique constraints, then the indexes by name."""
    found = database.execute(
        'SELECT l.name, l."unique", l.origin, m.sql FROM pragma_index_list(?) l'
        " JOIN sqlite_master m ON m.name = l.name WHERE l.origin <> 'pk' ORDER BY l.origin DESC, l.name",
        (name,),
    )
    lines = []
    for index, is_unique, origin, statement in found.fetchall():
        names = database.execute("SELECT name FROM pragma_index_info(?) ORDER BY seqno", (index,))
        on = "on " + ", ".join(code(column) for (column,) in names)
        if origin == "u":
            lines.append(f"- unique {on}")
        else:
            _, _, condition = statement.partition(" WHERE ")
            where = f", where {code(condition)}" if condition else ""
            lines.append(f"- {'unique ' if is_unique else ''}{code(index)} {on}{where}")
    return "\n" + "\n".join(lines) + "\n" if lines else ""
