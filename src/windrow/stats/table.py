"""A table of figures: the form of every statistic before it becomes a page, a chart or a file.

Rows and columns carry filters, so that front ends can link a number to the records behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple, Protocol

from windrow.model.file_content import short_name

# Messages independent of their language: an English sentence with placeholders and their values. The English
# text is the key for translation: the portal looks it up in its catalogues, and a terminal prints it
# unchanged.


class LanguageCode(str):
    """A language code in a message; the translation may use the name of the language."""

    __slots__ = ()


class ConceptName(str):
    """A type, access right or licence in a message; the translation may use its label."""

    __slots__ = ()


class EventValue(str):
    """A place or period of an event in a message, which a vocabulary may have labels for."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Message:
    """An English sentence with `{placeholders}`, and their values in order."""

    text: str
    values: tuple[tuple[str, Value], ...] = ()
    leads_to: tuple[tuple[str, str], ...] = ()  # the filter for the records it mentions

    def __str__(self) -> str:
        return to_english(self)


Value = str | int | float | Message
# Text from records stays unchanged; only messages are translated.
Label = str | Message


def message(text: str, **values: Value) -> Message:
    return Message(text, tuple(values.items()))


def to_english(label: Label) -> str:
    if isinstance(label, str):
        return label
    return label.text.format_map({name: _plain(value) for name, value in label.values})


def _plain(value: Value) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.1f}"
    return to_english(value)


# The origin of the records in a table's title: the library, and what they have in common.

_LONGEST = 160  # characters of what they have in common


@dataclass(frozen=True, slots=True)
class Origin:
    """The name of a library or collection, and the search within it: fields and labels of values."""

    name: str = ""
    asked: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        listed = ", ".join(value for _, value in self.asked)
        if not listed:
            return self.name
        return f"{self.name}: {listed if len(listed) <= _LONGEST else f'{listed[:_LONGEST]}…'}"

    def beside(self, period: str) -> Origin:
        """Return the origin to follow a period, without the years if they repeat it."""
        years = [value for field, value in self.asked if field == "year"]
        if years != [period]:
            return self
        return Origin(self.name, tuple(pair for pair in self.asked if pair[0] != "year"))


UNNAMED = Origin()

# Fields and values, all of which must match. Fields are those of filters or of the query language; `pages` is
# a range.
Filter = tuple[tuple[str, str], ...]
Cell = str | int | float | datetime | Message | None


class Kind(StrEnum):
    """The kind of values in a column."""

    TEXT = "text"
    LANGUAGE = "language"  # a code, shown as its name
    TYPE = "type"  # the name of a concept, shown as its label
    ACCESS = "access"
    LICENCE = "licence"
    SUBJECT = "subject"  # a topic, which may have labels
    KEYWORD = "keyword"
    PLACE = "place"  # of events: a code, which a vocabulary may have labels for
    PERIOD = "period"
    MEDIA = "media"  # a media type, shown as its common name
    SIZE = "size"  # a range of bytes
    NUMBER = "number"
    DECIMAL = "decimal"
    SHARE = "share"  # a fraction of one, shown in per cent
    CHANGE = "change"  # a factor: 2.0 is twice as much
    RATIO = "ratio"  # one number per unit of another
    MOMENT = "moment"

    @property
    def is_number(self) -> bool:
        """True if the values are numbers, aligned by digits."""
        return self in (Kind.NUMBER, Kind.DECIMAL, Kind.SHARE, Kind.CHANGE, Kind.RATIO)


class Column(NamedTuple):
    """One column; `filter` narrows a row's filter to this column's part of it."""

    name: str
    label: Label
    kind: Kind = Kind.TEXT
    filter: Filter = ()


class Row(NamedTuple):
    """One row, with the filter for its records; empty if no filter matches exactly these."""

    cells: tuple[Cell, ...]
    filter: Filter = ()


class Form(StrEnum):
    """How a table is drawn."""

    BARS = "bars"  # one horizontal bar per row
    SERIES = "series"  # one vertical bar per year
    HISTOGRAM = "histogram"
    LINES = "lines"  # one line per value column
    SHARES = "shares"  # one bar per row, its parts stacked to 100 %
    GROUPED = "grouped"  # several bars per row
    HEAT = "heat"  # a cell for each row and series
    CHANGES = "changes"  # bars to the right for more, to the left for less


@dataclass(frozen=True, slots=True)
class Drawing:
    """Which columns are drawn, and how: the category column and the value columns.

    Several series are either columns of their own, or `series` names the column with the series of a row.
    """

    form: Form
    category: str
    values: tuple[str, ...]
    series: str = ""
    named: str = ""  # the column with names for what `series` numbers
    most: int = 50  # rows drawn; the table has all
    incomplete: str = ""  # the category whose period is not over
    axis: Message | None = None  # what the numbers are, if the title is not enough


@dataclass(frozen=True, slots=True)
class Table:
    """Figures with a title, and notes on their calculation and on what is missing.

    `period` and `origin` belong to the title.
    """

    name: str
    title: Message
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    period: str = ""
    origin: Origin = UNNAMED
    notes: tuple[Message, ...] = ()
    summary: Message | None = None  # one sentence as a text alternative to the chart
    drawing: Drawing | None = None

    def place(self, name: str) -> int:
        return next(place for place, column in enumerate(self.columns) if column.name == name)

    def values(self, name: str) -> tuple[Cell, ...]:
        place = self.place(name)
        return tuple(row.cells[place] for row in self.rows)


def full_title(table: Table, title: str) -> str:
    """Return a translated title followed by period and origin."""
    dated = f"{title}, {table.period}" if table.period else title
    origin = str(table.origin.beside(table.period))
    return f"{dated} · {origin}" if origin else dated


# Text of labels and cells, in English; the portal has its own.

Numbers = Mapping[str, object]  # a locale of d3-format


class Words(Protocol):
    """A language for showing tables."""

    @property
    def numbers(self) -> Numbers:
        """Its number format, for charts."""

    def say(self, label: Label) -> str:
        """Return a label in this language."""

    def cell(self, value: Cell, kind: Kind) -> str:
        """Return a cell of a table as text."""


class English:
    """Plain English, for terminals and as the default."""

    numbers: Numbers = {"decimal": ".", "thousands": ",", "grouping": [3], "currency": ["", ""]}  # noqa: RUF012

    def say(self, label: Label) -> str:
        return to_english(label)

    def cell(self, value: Cell, kind: Kind) -> str:
        """Return the cell, such as 1,234 or 56.7 %; empty for None."""
        if value is None:
            return ""
        if isinstance(value, str) and kind is Kind.MEDIA:
            return short_name(value) or value
        if isinstance(value, str) and kind is Kind.SIZE:
            return _sizes(value)
        if isinstance(value, str | Message):
            return to_english(value)
        if isinstance(value, datetime):
            return f"{value.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        return number(value, kind)


def _sizes(span: str) -> str:
    """Return a range of sizes, such as 10,000–99,999 bytes."""
    low, _, high = span.partition("..")
    return f"{int(low):,}–{int(high):,} bytes" if high else f"{int(low):,} bytes and more"


def number(value: float, kind: Kind) -> str:
    """Return a number in English notation."""
    if kind is Kind.SHARE:
        return f"{100 * value:.1f} %"
    if kind is Kind.CHANGE:
        return f"× {value:.2f}"
    if kind is Kind.RATIO:
        return f"{value:,.{ratio_digits(value)}f}"
    return f"{value:,.1f}" if kind is Kind.DECIMAL else f"{value:,.0f}"


def ratio_digits(value: float) -> int:
    """Return the number of decimals of a ratio, for about three significant digits."""
    return 1 if value >= 100 else 2 if value >= 1 else 3


ENGLISH = English()
