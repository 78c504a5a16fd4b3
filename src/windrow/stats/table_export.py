"""A table as a file for other programs: CSV and JSON, with the numbers as they are and English names."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime

from windrow.exports.flat import cell as harmless
from windrow.stats.charts.chart import title_of
from windrow.stats.message import Message, english
from windrow.stats.table import Cell, Column, Row, Table

Plain = str | int | float | None


def as_csv(table: Table) -> str:
    """Give the table as CSV: a header, then a line a row; shares are fractions of one."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([harmless(_heading(column)) for column in table.columns])
    writer.writerows([_written(cell) for cell in row.cells] for row in table.rows)
    return text.getvalue()


def as_json(table: Table) -> dict[str, object]:
    """Give the table as values for JSON: titles and notes in English, rows as objects with their filters."""
    return {
        "name": table.name,
        "title": title_of(table),
        "period": table.period,
        "origin": str(table.origin),
        "summary": english(table.summary) if table.summary else None,
        "notes": [english(note) for note in table.notes],
        "columns": [
            {"name": column.name, "label": english(column.label), "kind": column.kind.value}
            for column in table.columns
        ],
        "rows": [_object(row, table.columns) for row in table.rows],
    }


def plain(cell: Cell) -> Plain:
    """Give a value as JSON has it."""
    if isinstance(cell, datetime):
        return cell.astimezone(UTC).isoformat()
    return english(cell) if isinstance(cell, Message) else cell


def _object(row: Row, columns: tuple[Column, ...]) -> dict[str, object]:
    values = {column.name: plain(cell) for column, cell in zip(columns, row.cells, strict=True)}
    return {**values, "filter": [list(pair) for pair in row.filter]}


def _heading(column: Column) -> str:
    """The name of a column, or, where it is named after something that was found, that."""
    return column.label if isinstance(column.label, str) else column.name


def _written(cell: Cell) -> str:
    """A number stays one; a text must not be run by a spreadsheet."""
    if isinstance(cell, int | float):
        return f"{cell:.6g}" if isinstance(cell, float) else str(cell)
    value = plain(cell)
    return harmless(None if value is None else str(value))
