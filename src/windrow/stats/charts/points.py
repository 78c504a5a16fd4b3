"""What a chart draws: the cells of a table as points, each with its words and its address. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from windrow.stats.table import Column, Filter, Row, Table
from windrow.stats.words import Words

Address = Callable[[Filter], str]  # of the search for what a filter finds; empty for none


# What XML, and so a drawing, cannot hold.
_UNDRAWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


class Point(NamedTuple):
    """One value: what it is of, how it reads, where it leads."""

    category: str
    series: str
    value: float | None
    text: str  # the value for people
    label: str  # the whole in a sentence
    address: str
    is_whole: bool = True  # False: of a time that is not over

    def as_data(self) -> dict[str, object]:
        """The point as a chart's data."""
        data: dict[str, object] = {"c": self.category, "s": self.series, "v": self.value, "t": self.text}
        data |= {"l": self.label, "o": 1 if self.is_whole else 0.5}
        return data | ({"h": self.address} if self.address else {})


def points_of(table: Table, words: Words, address: Address) -> list[Point]:
    """Give the points of a table in the order of its rows."""
    return list(_points(table, words, address))


def series_of(table: Table, words: Words) -> list[str]:
    """Give what the series are called, in their order."""
    drawing = table.drawing
    if drawing is None:
        return []
    if drawing.series:
        column = table.columns[table.place(drawing.series)]
        found = (words.cell(cell, column.kind) for cell in table.values(drawing.series)[: drawing.most])
        return list(dict.fromkeys(map(drawable, found)))
    return [drawable(words.say(table.columns[table.place(name)].label)) for name in drawing.values]


def _points(table: Table, words: Words, address: Address) -> Iterator[Point]:
    drawing = table.drawing
    if drawing is None:
        return
    first = table.place(drawing.category)
    for row in table.rows[: drawing.most]:
        category = words.cell(row.cells[first], table.columns[first].kind)
        for name in drawing.values:
            place = table.place(name)
            column = table.columns[place]
            series = _series(table, row, column, words)
            value = row.cells[place]
            text = words.cell(value, column.kind)
            yield Point(
                drawable(category),
                drawable(series),
                float(value) if isinstance(value, int | float) else None,
                drawable(text),
                drawable(_sentence(table, row, (category, series, text), words)),
                address((*row.filter, *column.filter)) if row.filter else "",
                is_whole=category != drawing.incomplete,
            )


def _series(table: Table, row: Row, column: Column, words: Words) -> str:
    drawing = table.drawing
    if drawing is not None and drawing.series:
        place = table.place(drawing.series)
        return words.cell(row.cells[place], table.columns[place].kind)
    return words.say(column.label)


def _sentence(table: Table, row: Row, parts: tuple[str, str, str], words: Words) -> str:
    """Say what a point shows; where a column names what the series only numbers, that name."""
    category, series, text = parts
    drawing = table.drawing
    if drawing is not None and drawing.named:
        place = table.place(drawing.named)
        series = words.cell(row.cells[place], table.columns[place].kind)
    return f"{category}, {series}: {text}"


def drawable(text: str) -> str:
    """Give a text that a drawing can hold."""
    return _UNDRAWABLE.sub("\ufffd", text)
