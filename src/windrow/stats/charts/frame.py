"""What all charts share: points, label widths, colours, axes and titles. Pure."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import ceil, radians, sin
from typing import Any, NamedTuple

from windrow.stats.table import Column, Filter, Kind, Row, Table, Words

# Points: the cells of a table, each with its text and address.

Address = Callable[[Filter], str]  # of the search for a filter; empty if there is none


# Characters that XML, and therefore a drawing, cannot contain.
_UNDRAWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


class Point(NamedTuple):
    """One value: its category, its texts and its address."""

    category: str
    series: str
    value: float | None
    text: str  # the value as text
    label: str  # the point as a sentence
    address: str
    is_whole: bool = True  # False for a period that is not over

    def as_data(self) -> dict[str, object]:
        data: dict[str, object] = {"c": self.category, "s": self.series, "v": self.value, "t": self.text}
        data |= {"l": self.label, "o": 1 if self.is_whole else 0.5}
        return data | ({"h": self.address} if self.address else {})


def make_points(table: Table, words: Words, address: Address) -> list[Point]:
    return list(_points(table, words, address))


def list_series(table: Table, words: Words) -> list[str]:
    drawing = table.drawing
    if drawing is None:
        return []
    if drawing.series:
        column = table.columns[table.place(drawing.series)]
        found = (words.cell(cell, column.kind) for cell in table.values(drawing.series)[: drawing.most])
        return list(dict.fromkeys(map(to_drawable, found)))
    return [to_drawable(words.say(table.columns[table.place(name)].label)) for name in drawing.values]


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
                to_drawable(category),
                to_drawable(series),
                float(value) if isinstance(value, int | float) else None,
                to_drawable(text),
                to_drawable(_sentence(table, row, (category, series, text), words)),
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
    """Return the label of a point; a column may provide the name of a numbered series."""
    category, series, text = parts
    drawing = table.drawing
    if drawing is not None and drawing.named:
        place = table.place(drawing.named)
        series = words.cell(row.cells[place], table.columns[place].kind)
    return f"{category}, {series}: {text}"


def to_drawable(text: str) -> str:
    """Return a text without characters that a drawing cannot contain."""
    return _UNDRAWABLE.sub("\ufffd", text)


# Upper bounds for the width of labels, so that Vega need not measure short ones: it measures each label
# several times to compare it with a limit, which took half of the drawing time.

_NARROW = frozenset(" !'(),-./:;I[]fijlrt|")
_BROAD = frozenset("%@MWmwæœÆŒ")
_LAST_LATIN = "\u024f"


def label_limit(names: Iterable[str], limit: int, *, size: int) -> int:
    """Return the limit in pixels if a label may exceed it at this font size, else 0 (no limit)."""
    return limit if any(_width(name) * size > limit for name in names) else 0


def longest_label(names: Iterable[str], limit: int, *, size: int) -> float:
    """Return the greatest width in pixels of these labels, at most the limit."""
    return min(limit, max((_width(name) * size for name in names), default=0))


def _width(name: str) -> float:
    return sum(map(_letter_width, name))


def _letter_width(letter: str) -> float:
    """Return the greatest width of a letter in sans-serif fonts, relative to the font size."""
    if letter in _NARROW:
        return 0.34
    if letter in _BROAD or letter > _LAST_LATIN:
        return 1.02
    return 0.62 if letter.islower() or letter.isdecimal() else 0.82


# Colours of charts: on pages, names whose values for the light and dark schemes are in a style sheet. Each
# has a contrast of 3:1 with its background, and any two of a scheme are distinguishable with protanopia,
# deuteranopia and tritanopia. The first three are from Okabe and Ito; some of their others are too pale.

LIGHT = ("#0072b2", "#d55e00", "#009e73", "#642874", "#8c74ef", "#88090d", "#0d3aaa", "#8e4769")
DARK = ("#56b4e9", "#e69f00", "#009e73", "#9b6eec", "#f2eb6e", "#d45e12", "#24f5fe", "#97d3a4")
INK = "currentColor"
PAPER = "var(--chart-paper)"
_PRINTED = {INK: "#1f2421", PAPER: "#ffffff"} | {
    f"var(--chart-{place})": colour for place, colour in enumerate(LIGHT, start=1)
}


def colour(place: int) -> str:
    """Return the name of a colour; the sequence repeats."""
    return f"var(--chart-{place % len(LIGHT) + 1})"


def to_print_colours(value: Any) -> Any:
    """Return a specification with the colours of the light scheme instead of their names."""
    if isinstance(value, str):
        return _PRINTED.get(value, value)
    if isinstance(value, dict):
        return {key: to_print_colours(inner) for key, inner in value.items()}
    return [to_print_colours(inner) for inner in value] if isinstance(value, list) else value


Spec = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH = 560
FONT_SIZE = 13
MAX_NAME_PIXELS = 270  # of a name on an axis
_WIDER = 0.16  # how much wider a reader's font may be than the measured one: DejaVu Sans
_TITLE_WIDTH = 84  # characters
SLANT_DEGREES = 50
_UPRIGHT = 4  # characters up to which names above a chart are horizontal
_FEW = 5  # records: an axis with fewer has a line for each number
_FORMATS = {Kind.SHARE: ".3~%", Kind.NUMBER: ",.0f", Kind.CHANGE: "~g", Kind.RATIO: "~g"}

HREF = {"field": "h", "type": "nominal"}
DESCRIPTION = {"field": "l", "type": "nominal"}
TOOLTIP = {"field": "l", "type": "nominal"}
# A paler mark for a year that is not over.
OPACITY = {"field": "o", "type": "quantitative", "scale": None, "legend": None}


def frame_chart(body: Spec, points: Sequence[Point], description: str) -> Spec:
    return {
        "$schema": SCHEMA,
        "description": description,
        "data": {"values": [point.as_data() for point in points]},
        **body,
        "config": _CONFIG,
    }


def add_chart_title(spec: Spec, title: str, below: str = "") -> Spec:
    """Return a chart with a title and a subtitle: for a file, which has no page around it."""
    lines = textwrap.wrap(title, _TITLE_WIDTH) or [""]
    words = {"text": lines, "anchor": "start", "frame": "bounds"} | ({"subtitle": below} if below else {})
    return {**spec, "title": words}


def number_axis(kind: Kind, most: float) -> Spec:
    """Return a numeric axis up to `most` with few lines and no duplicate labels."""
    axis = {"format": _FORMATS.get(kind, ",~f"), "tickCount": 5, "grid": True, "title": None}
    axis["labelOverlap"] = False  # so few labels never overlap
    if kind is not Kind.NUMBER:
        return axis
    # Half a record does not exist, but Vega halves its minimum step where there are few.
    return axis | ({"values": list(range(int(most) + 1))} if most < _FEW else {"tickMinStep": 1})


def name_axis(names: Iterable[str], limit: int = MAX_NAME_PIXELS) -> Spec:
    """Return an axis of names, cut only if they exceed the limit."""
    room = label_limit(names, limit, size=FONT_SIZE)
    return {"title": None, "labelLimit": room, "ticks": False, "domain": False, "labelPadding": 6}


def slanted_axis(names: Sequence[str], limit: int) -> Spec:
    """Return an axis of names above a chart, slanted if they are wider than their columns."""
    angle = -SLANT_DEGREES if max(map(len, names), default=0) > _UPRIGHT else 0
    return {**name_axis(names, limit), "orient": "top", "labelAngle": angle}


def padding_below(names: Sequence[str], limit: int) -> Spec:
    """Return the padding of a chart with such an axis: wider fonts need more height as well."""
    higher = longest_label(names, limit, size=FONT_SIZE) * _WIDER * sin(radians(SLANT_DEGREES))
    return {**_PADDING, "top": max(_PADDING["top"], ceil(higher))}


def legend_limit(names: Iterable[str]) -> Spec:
    return {"labelLimit": label_limit(names, 420, size=FONT_SIZE)}


# Room for fonts that are wider than the measured one.
_PADDING = {"left": ceil(MAX_NAME_PIXELS * _WIDER), "right": 30, "top": 6, "bottom": 6}
_CONFIG: Spec = {
    "background": None,
    "padding": _PADDING,
    # The first is measured where charts are drawn; readers have any of them, and all are equally wide.
    "font": "Liberation Sans, Arial, Helvetica, sans-serif",
    "view": {"stroke": None},
    "title": {
        "color": INK,
        "fontSize": 15,
        "fontWeight": "bold",
        "offset": 14,
        "subtitleColor": INK,
        "subtitleFontSize": FONT_SIZE,
        "subtitlePadding": 6,
    },
    "axis": {
        "aria": False,  # Vega would describe it in English; every mark has its own label
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": FONT_SIZE,
        "labelLimit": 0,
        "titleFontSize": FONT_SIZE,
        "titleFontWeight": "normal",
        "gridColor": INK,
        "gridOpacity": 0.15,
        "domainColor": INK,
        "domainOpacity": 0.5,
        "tickColor": INK,
        "tickOpacity": 0.5,
    },
    "legend": {
        "aria": False,
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": FONT_SIZE,
        "titleFontSize": FONT_SIZE,
        "titleFontWeight": "normal",
        "orient": "top",
        "direction": "vertical",
        "title": None,
        "symbolStrokeWidth": 2.5,
        "symbolSize": 140,
        "columnPadding": 28,  # wider fonts than the measured one use part of it
    },
}
