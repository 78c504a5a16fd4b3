"""A table of figures: what every statistic is, before it becomes a page, a chart or a file.

Rows and columns carry the filter they stand for, so that whoever shows the table can lead from a number to
the records behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple, Protocol

from windrow.model.file_content import short_name

# Words that a table says, apart from the language they are said in: a sentence, and what stands in its
# gaps.
# The English text is its own name: the portal looks it up in its catalogues, a terminal prints it as it
# is.


class LanguageCode(str):
    """The code of a language in a gap of a message: whoever says it may name the language."""

    __slots__ = ()


class ConceptName(str):
    """A type, access or licence in a gap of a message: whoever says it may use the label of its language."""

    __slots__ = ()


class EventValue(str):
    """A place or period of an event in a gap of a message, for which a vocabulary may have a label."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence in English with `{gaps}`, and the values for them in the order in which they are named."""

    text: str
    values: tuple[tuple[str, Value], ...] = ()
    leads_to: tuple[tuple[str, str], ...] = ()  # the filter that finds the records it speaks of

    def __str__(self) -> str:
        return to_english(self)


Value = str | int | float | Message
# What came out of records stays as it is; only messages are said in the reader's language.
Label = str | Message


def message(text: str, **values: Value) -> Message:
    """Return a message with these values in its gaps."""
    return Message(text, tuple(values.items()))


def to_english(label: Label) -> str:
    """Say it in English."""
    if isinstance(label, str):
        return label
    return label.text.format_map({name: _plain(value) for name, value in label.values})


def _plain(value: Value) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.1f}"
    return to_english(value)


# What the records of a table are called in its title: whose they are, and what they have in common. Pure.

_LONGEST = 160  # letters of what they have in common


@dataclass(frozen=True, slots=True)
class Origin:
    """The name of a library or collection, and what was asked of it: fields, and values in words."""

    name: str = ""
    asked: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        listed = ", ".join(value for _, value in self.asked)
        if not listed:
            return self.name
        return f"{self.name}: {listed if len(listed) <= _LONGEST else f'{listed[:_LONGEST]}…'}"

    def beside(self, period: str) -> Origin:
        """The same for behind a period, without the years if they are just these: they are said once."""
        years = [value for field, value in self.asked if field == "year"]
        if years != [period]:
            return self
        return Origin(self.name, tuple(pair for pair in self.asked if pair[0] != "year"))


UNNAMED = Origin()

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
        """Return whether the values are written in digits, one below the other."""
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
        """Return where the column of this name is."""
        return next(place for place, column in enumerate(self.columns) if column.name == name)

    def values(self, name: str) -> tuple[Cell, ...]:
        """Return the cells of a column."""
        place = self.place(name)
        return tuple(row.cells[place] for row in self.rows)


def full_title(table: Table, title: str) -> str:
    """Return a title, said in some language, with period and origin behind it."""
    dated = f"{title}, {table.period}" if table.period else title
    origin = str(table.origin.beside(table.period))
    return f"{dated} · {origin}" if origin else dated


# How labels and cells become text for people. The portal has its own; this one is plain English.

Numbers = Mapping[str, object]  # a locale of d3-format


class Words(Protocol):
    """A language that tables are shown in."""

    @property
    def numbers(self) -> Numbers:
        """How it writes numbers, as charts want to know it."""

    def say(self, label: Label) -> str:
        """Return a label in it."""

    def cell(self, value: Cell, kind: Kind) -> str:
        """Return a value of a table as people write it."""


class English:
    """Plain English, for terminals and wherever nobody chose."""

    numbers: Numbers = {"decimal": ".", "thousands": ",", "grouping": [3], "currency": ["", ""]}  # noqa: RUF012

    def say(self, label: Label) -> str:
        """Return the label as it is."""
        return to_english(label)

    def cell(self, value: Cell, kind: Kind) -> str:
        """Return 1,234 and 56.7 %, nothing for nothing."""
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
    """From so many bytes to so many, as in 10,000–99,999 bytes."""
    low, _, high = span.partition("..")
    return f"{int(low):,}–{int(high):,} bytes" if high else f"{int(low):,} bytes and more"


def number(value: float, kind: Kind) -> str:
    """Return a number in English digits."""
    if kind is Kind.SHARE:
        return f"{100 * value:.1f} %"
    if kind is Kind.CHANGE:
        return f"× {value:.2f}"
    if kind is Kind.RATIO:
        return f"{value:,.{ratio_digits(value)}f}"
    return f"{value:,.1f}" if kind is Kind.DECIMAL else f"{value:,.0f}"


def ratio_digits(value: float) -> int:
    """Return how many digits of a ratio are shown behind the point: three that count, about."""
    return 1 if value >= 100 else 2 if value >= 1 else 3


ENGLISH = English()
