"""Export of tables for other programs: CSV and JSON, with exact numbers and English names."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime

from windrow.exports.csv_export import cell as harmless
from windrow.stats.charts.chart import chart_title
from windrow.stats.table import Cell, Column, Message, Row, Table, to_english

Plain = str | int | float | None


def as_csv(table: Table) -> str:
    """Return the table as CSV: a header, then a line per row; shares are fractions of one."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([harmless(_heading(column)) for column in table.columns])
    writer.writerows([_written(cell) for cell in row.cells] for row in table.rows)
    return text.getvalue()


def as_json(table: Table) -> dict[str, object]:
    """Return the table as JSON values: titles and notes in English, rows as objects with their filters."""
    return {
        "name": table.name,
        "title": chart_title(table),
        "period": table.period,
        "origin": str(table.origin),
        "summary": to_english(table.summary) if table.summary else None,
        "notes": [to_english(note) for note in table.notes],
        "columns": [
            {"name": column.name, "label": to_english(column.label), "kind": column.kind.value}
            for column in table.columns
        ],
        "rows": [_object(row, table.columns) for row in table.rows],
    }


def to_plain(cell: Cell) -> Plain:
    if isinstance(cell, datetime):
        return cell.astimezone(UTC).isoformat()
    return to_english(cell) if isinstance(cell, Message) else cell


def _object(row: Row, columns: tuple[Column, ...]) -> dict[str, object]:
    values = {column.name: to_plain(cell) for column, cell in zip(columns, row.cells, strict=True)}
    return {**values, "filter": [list(pair) for pair in row.filter]}


def _heading(column: Column) -> str:
    """Return the name of a column, or its label if that comes from records."""
    return column.label if isinstance(column.label, str) else column.name


def _written(cell: Cell) -> str:
    """Return a cell for CSV: numbers stay numbers, and text is protected from running as a formula."""
    if isinstance(cell, int | float):
        return f"{cell:.6g}" if isinstance(cell, float) else str(cell)
    value = to_plain(cell)
    return harmless(None if value is None else str(value))
