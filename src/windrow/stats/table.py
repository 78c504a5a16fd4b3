"""A table of figures: what every statistic is, before it becomes a page, a chart or a file.

Rows and columns carry the filter they stand for, so that whoever shows the table can lead from a number to
the records behind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from windrow.stats.message import Label, Message
from windrow.stats.origin import UNNAMED, Origin

# Fields and values, all of which hold. Fields are those that a search can be filtered by or a query can name;
# `pages` is a range.
Filter = tuple[tuple[str, str], ...]
Cell = str | int | float | datetime | Message | None


class Kind(StrEnum):
    """What the values of a column are."""

    TEXT = "text"
    LANGUAGE = "language"  # a code, to be shown by its name
    TYPE = "type"  # the name of a concept, to be shown by its label
    ACCESS = "access"
    LICENCE = "licence"
    SUBJECT = "subject"  # a topic, which may have labels
    KEYWORD = "keyword"
    PLACE = "place"  # of events: a code, which a vocabulary may have labels for
    PERIOD = "period"
    MEDIA = "media"  # a media type, to be shown by what people call it
    SIZE = "size"  # bytes from .. to
    NUMBER = "number"
    DECIMAL = "decimal"
    SHARE = "share"  # a fraction of one, to be shown in per cent
    CHANGE = "change"  # a factor: 2.0 is twice as much
    RATIO = "ratio"  # so many for each one of something else
    MOMENT = "moment"

    @property
    def is_number(self) -> bool:
        """Whether the values are written in digits, one below the other."""
        return self in (Kind.NUMBER, Kind.DECIMAL, Kind.SHARE, Kind.CHANGE, Kind.RATIO)


class Column(NamedTuple):
    """One column; `filter` narrows a row's filter down to this column's part of it."""

    name: str
    label: Label
    kind: Kind = Kind.TEXT
    filter: Filter = ()


class Row(NamedTuple):
    """One row, with the filter that finds the records it counts; none where no filter says it."""

    cells: tuple[Cell, ...]
    filter: Filter = ()


class Form(StrEnum):
    """How a table is drawn."""

    BARS = "bars"  # one bar a row, lying
    SERIES = "series"  # one column a year, standing
    HISTOGRAM = "histogram"
    LINES = "lines"  # one line a value column
    SHARES = "shares"  # one bar a row, its parts stacked to the whole
    GROUPED = "grouped"  # several bars a row
    HEAT = "heat"  # a cell for each row and series
    CHANGES = "changes"  # bars to the right for more, to the left for less


@dataclass(frozen=True, slots=True)
class Drawing:
    """Which columns are drawn, and how: the one that names things, and those with the values.

    Where the values are of several series, each is a column of its own, or `series` names the column that
    tells the series of a row.
    """

    form: Form
    category: str
    values: tuple[str, ...]
    series: str = ""
    named: str = ""  # the column that names what `series` only numbers
    most: int = 50  # rows that are drawn; the table has the others
    incomplete: str = ""  # the category whose time is not over
    axis: Message | None = None  # what the numbers are, where the title does not say it


@dataclass(frozen=True, slots=True)
class Table:
    """Figures with their title, and notes that say how they came about and what is not in them.

    `period` and `origin` belong to the title: from when to when, and out of which records.
    """

    name: str
    title: Message
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    period: str = ""
    origin: Origin = UNNAMED
    notes: tuple[Message, ...] = ()
    summary: Message | None = None  # one sentence for those who do not see the chart
    drawing: Drawing | None = None

    def place(self, name: str) -> int:
        """Give where the column of this name is."""
        return next(place for place, column in enumerate(self.columns) if column.name == name)

    def values(self, name: str) -> tuple[Cell, ...]:
        """Give the cells of a column."""
        place = self.place(name)
        return tuple(row.cells[place] for row in self.rows)


def full_title(table: Table, title: str) -> str:
    """Give a title, said in some language, with period and origin behind it."""
    dated = f"{title}, {table.period}" if table.period else title
    origin = str(table.origin.beside(table.period))
    return f"{dated} · {origin}" if origin else dated
