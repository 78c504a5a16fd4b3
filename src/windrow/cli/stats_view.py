"""A table of statistics in a terminal: title, rows with a bar each, and notes beside them on stderr."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from windrow.cli.terminal import columns, hint, plural, printable, say

if TYPE_CHECKING:
    from windrow.stats.table import Column, Row, Table

_BAR = 24  # letters
_EIGHTHS = " ▏▎▍▌▋▊▉"


def show_table(table: Table, *, most: int | None = None) -> None:
    """Print a table, or some of its rows: the first, of years the last."""
    from windrow.stats.charts.chart import title_of
    from windrow.stats.message import english

    say(printable(title_of(table)), style="bold")
    rows = _some(table, most)
    if rows:
        _print_rows(table, rows)
    else:
        say(printable(english(table.summary)) if table.summary else "There are no numbers for this.")
    left = len(table.rows) - len(rows)
    if left:
        hint(f"and {plural(left, 'more row')}: windrow stats {table.name}")
    if most is None:
        for note in table.notes:
            leads = " ".join(f"{field}:{value}" for field, value in note.leads_to)
            hint(printable(english(note)) + (f" Find them: windrow search {leads}" if leads else ""))


def _some(table: Table, most: int | None) -> Sequence[Row]:
    from windrow.stats.table import Form

    if most is None:
        return table.rows
    is_by_year = table.drawing is not None and table.drawing.form is Form.SERIES
    return table.rows[-most:] if is_by_year else table.rows[:most]


def _print_rows(table: Table, rows: Sequence[Row]) -> None:
    from windrow.stats.words import ENGLISH

    cells = [
        [ENGLISH.cell(cell, column.kind) for cell, column in zip(row.cells, table.columns, strict=True)]
        for row in rows
    ]
    headings = [_heading(column) for column in table.columns]
    sides = "".join("r" if column.kind.is_number else " " for column in table.columns)
    lines = [[*line, bar] for line, bar in zip(cells, _bars(table, rows), strict=True)]
    columns((*headings, ""), lines, right=sides)


def _heading(column: Column) -> str:
    """What a column is called; the name of something that was found stays as it is written."""
    return printable(column.label) if isinstance(column.label, str) else str(column.label).lower()


def _bars(table: Table, rows: Sequence[Row]) -> list[str]:
    """Give a bar for each row of a table that is drawn as one bar a row; nothing for others."""
    from windrow.stats.table import Form

    drawing = table.drawing
    if drawing is None or drawing.form not in (Form.BARS, Form.SERIES, Form.HISTOGRAM):
        return [""] * len(rows)
    place = table.place(drawing.values[0])
    values = [_amount(row.cells[place]) for row in rows]
    largest = max(values, default=0)
    return [bar(value / largest if largest else 0) for value in values]


def bar(share: float) -> str:
    """Give a bar of so much of its whole length, to an eighth of a letter."""
    whole, rest = divmod(round(share * _BAR * 8), 8)
    return "█" * whole + (_EIGHTHS[rest] if rest else "") or ("▏" if share else "")


def _amount(cell: object) -> float:
    return float(cell) if isinstance(cell, int | float) else 0.0
