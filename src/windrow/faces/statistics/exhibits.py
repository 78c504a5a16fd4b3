"""A table made ready for a page: its drawing, its rows as text with addresses, its notes and its files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from windrow.errors import CannotDraw
from windrow.faces.shared.wording import clean, cut
from windrow.faces.statistics.saying import Saying
from windrow.faces.statistics.ways import Ways
from windrow.stats.charts.chart import chart_of, cut_of, title_of
from windrow.stats.drawing import Drawer
from windrow.stats.table import Form, Row, Table

FILES = (("csv", "CSV"), ("json", "JSON"))
PICTURES = (("svg", "SVG"), ("png", "PNG"))
_LONGEST = 200


class Field(NamedTuple):
    """One cell: its text, where it leads, and whether it is a number."""

    text: str
    address: str = ""
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table with everything that a template shows of it."""

    name: str
    title: str
    whole_title: str
    drawing: Markup  # empty where there is none
    is_of_own_size: bool  # it has as many columns as its data: not drawn out to the width of the others
    is_undrawn: bool  # there should be one, but it could not be made
    spec: str  # the address of the chart's specification
    headings: tuple[Field, ...]
    rows: tuple[tuple[Field, ...], ...]
    cut: str  # how much of it is drawn, where not all is; else empty
    summary: str  # empty where there is none
    notes: tuple[Field, ...]
    files: tuple[tuple[str, str], ...]  # names and addresses


def exhibit(table: Table, ways: Ways, drawer: Drawer) -> Exhibit:
    """Give a table ready for a page."""
    words = Saying(ways.frame.tongue, ways.frame.look, ways.frame.topics, ways.frame.expander)
    chart = chart_of(table, words=words, address=ways.records)
    drawing, is_undrawn = Markup(), False
    if chart is not None:
        try:
            drawing = Markup(drawer.svg(chart, numbers=words.numbers, name=table.name))  # noqa: S704 - cleaned
        except CannotDraw:
            is_undrawn = True
    kinds = (*FILES, *PICTURES) if drawing else FILES
    return Exhibit(
        table.name,
        words.say(table.title),
        clean(title_of(table, words)),
        drawing,
        _has_own_size(table),
        is_undrawn,
        ways.file(table.name, "vl.json"),
        tuple(Field(clean(words.say(column.label)), "", column.kind.is_number) for column in table.columns),
        tuple(_fields(row, table, words, ways) for row in table.rows),
        cut_of(table, words),
        clean(words.say(table.summary)) if table.summary else "",
        tuple(
            Field(clean(words.say(note)), ways.records(note.leads_to) if note.leads_to else "")
            for note in table.notes
        ),
        tuple((name, ways.file(table.name, suffix)) for suffix, name in kinds),
    )


def _fields(row: Row, table: Table, words: Saying, ways: Ways) -> tuple[Field, ...]:
    """The cells of a row; the one that names it leads to its records."""
    named = table.place(_naming(table))
    address = ways.records(row.filter) if row.filter else ""
    return tuple(
        Field(
            cut(words.cell(cell, column.kind), _LONGEST),
            address if place == named else "",
            column.kind.is_number,
        )
        for place, (column, cell) in enumerate(zip(table.columns, row.cells, strict=True))
    )


def _has_own_size(table: Table) -> bool:
    """Whether rows alone say how many columns a chart has, so that it may be tiny or wider than the page."""
    return table.drawing is not None and table.drawing.form is Form.HEAT and bool(table.drawing.series)


def _naming(table: Table) -> str:
    drawing = table.drawing
    if drawing is None:
        return table.columns[0].name
    return drawing.named or drawing.category
