"""The page of the SQLite export: the schema as `relational.sql` has it."""

from __future__ import annotations

from windrow.exports.sqlite_export import SCHEMA_VERSION, schema

_PREFACE = f"""\
# The SQLite export

`windrow export --format sqlite --output FILE` writes a relational database with the tables below, at schema
version {SCHEMA_VERSION} (`PRAGMA user_version`, and `schema_version` in the table `export`). Tables and
columns may be added without a new version. [How to query it](../howto/query-with-sql.md) has examples.

- `position` is the place of a value in its record, from 1.
- Names (people, institutions, departments, subjects, keywords, types, publishers) are in Unicode normal form
  C with single spaces, as the portal counts them. Everything else is as the record has it.
- Foreign keys hold for every row; `PRAGMA foreign_key_check` reports nothing.
- The text of files, the metadata as it came and the sets that queries define are not in it: the
  [database of the library](store.md) and the other [export formats](../howto/export.md) have them.

```sql
"""


def make_page() -> str:
    """Return the page."""
    return f"{_PREFACE}{schema().strip()}\n```\n"
