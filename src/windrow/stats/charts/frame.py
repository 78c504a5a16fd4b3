"""What all charts have in common: sizes, fonts, axes and the words around the drawing. Pure."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import ceil, radians, sin
from typing import Any, NamedTuple

from windrow.stats.table import Column, Filter, Kind, Row, Table, Words

# What a chart draws: the cells of a table as points, each with its words and its address. Pure.

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


def make_points(table: Table, words: Words, address: Address) -> list[Point]:
    """Return the points of a table in the order of its rows."""
    return list(_points(table, words, address))


def list_series(table: Table, words: Words) -> list[str]:
    """Return what the series are called, in their order."""
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
    """Return what a point shows; where a column names what the series only numbers, that name."""
    category, series, text = parts
    drawing = table.drawing
    if drawing is not None and drawing.named:
        place = table.place(drawing.named)
        series = words.cell(row.cells[place], table.columns[place].kind)
    return f"{category}, {series}: {text}"


def to_drawable(text: str) -> str:
    """Return a text that a drawing can hold."""
    return _UNDRAWABLE.sub("\ufffd", text)


# How much room names need in a drawing, at most: so that Vega need not measure what is short anyway.
# Pure.
# To compare every name with a limit, Vega measures each several times, which is half of the work of
# drawing.

_NARROW = frozenset(" !'(),-./:;I[]fijlrt|")
_BROAD = frozenset("%@MWmwæœÆŒ")
_LAST_LATIN = "\u024f"


def label_limit(names: Iterable[str], limit: int, *, size: int) -> int:
    """Return the limit in pixels where a name in letters of this size may be longer; 0, for none, else."""
    return limit if any(_width(name) * size > limit for name in names) else 0


def longest_label(names: Iterable[str], limit: int, *, size: int) -> float:
    """Return the pixels that the longest of these names takes at most, where none is longer than the limit."""
    return min(limit, max((_width(name) * size for name in names), default=0))


def _width(name: str) -> float:
    return sum(map(_letter_width, name))


def _letter_width(letter: str) -> float:
    """How wide a letter of a sans serif is at most, in parts of its size."""
    if letter in _NARROW:
        return 0.34
    if letter in _BROAD or letter > _LAST_LATIN:
        return 1.02
    return 0.62 if letter.islower() or letter.isdecimal() else 0.82


# Colours of charts: by name on pages, where a style sheet gives each a value for light and one for dark.
# Each keeps a contrast of 3:1 with its background, and any two of one scheme stay apart for people who
# see no red, no green or no blue. The first three are Okabe's and Ito's; some of their others are too
# pale for that.

LIGHT = ("#0072b2", "#d55e00", "#009e73", "#642874", "#8c74ef", "#88090d", "#0d3aaa", "#8e4769")
DARK = ("#56b4e9", "#e69f00", "#009e73", "#9b6eec", "#f2eb6e", "#d45e12", "#24f5fe", "#97d3a4")
INK = "currentColor"
PAPER = "var(--chart-paper)"
_PRINTED = {INK: "#1f2421", PAPER: "#ffffff"} | {
    f"var(--chart-{place})": colour for place, colour in enumerate(LIGHT, start=1)
}


def colour(place: int) -> str:
    """Return the name of a colour; after the last comes the first again."""
    return f"var(--chart-{place % len(LIGHT) + 1})"


def to_print_colours(value: Any) -> Any:
    """Return a specification with the values of the light scheme in place of their names."""
    if isinstance(value, str):
        return _PRINTED.get(value, value)
    if isinstance(value, dict):
        return {key: to_print_colours(inner) for key, inner in value.items()}
    return [to_print_colours(inner) for inner in value] if isinstance(value, list) else value


Spec = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH = 560
FONT_SIZE = 13
MAX_NAME_PIXELS = 270  # pixels of a name on an axis
_WIDER = 0.16  # by so much the letters of a reader may be wider than those that were measured: DejaVu Sans
_TITLE_WIDTH = 84  # characters
SLANT_DEGREES = 50
_UPRIGHT = 4  # characters up to which names above a chart stand level
_FEW = 5  # records: on an axis of fewer, each number has its line
_FORMATS = {Kind.SHARE: ".3~%", Kind.NUMBER: ",.0f", Kind.CHANGE: "~g", Kind.RATIO: "~g"}

HREF = {"field": "h", "type": "nominal"}
DESCRIPTION = {"field": "l", "type": "nominal"}
TOOLTIP = {"field": "l", "type": "nominal"}
# Of a year that is not over, a paler mark.
OPACITY = {"field": "o", "type": "quantitative", "scale": None, "legend": None}


def frame_chart(body: Spec, points: Sequence[Point], description: str) -> Spec:
    """Return the whole specification of a chart."""
    return {
        "$schema": SCHEMA,
        "description": description,
        "data": {"values": [point.as_data() for point in points]},
        **body,
        "config": _CONFIG,
    }


def add_chart_title(spec: Spec, title: str, below: str = "") -> Spec:
    """Return a chart that says what it shows, with words below: for a file, which has no page around it."""
    lines = textwrap.wrap(title, _TITLE_WIDTH) or [""]
    words = {"text": lines, "anchor": "start", "frame": "bounds"} | ({"subtitle": below} if below else {})
    return {**spec, "title": words}


def number_axis(kind: Kind, most: float) -> Spec:
    """An axis of numbers up to `most`, with few lines and no two of the same words."""
    axis = {"format": _FORMATS.get(kind, ",~f"), "tickCount": 5, "grid": True, "title": None}
    axis["labelOverlap"] = False  # of so few labels none comes near another
    if kind is not Kind.NUMBER:
        return axis
    # A count of half a record does not exist; what Vega calls the least step, it halves where there are few.
    return axis | ({"values": list(range(int(most) + 1))} if most < _FEW else {"tickMinStep": 1})


def name_axis(names: Iterable[str], limit: int = MAX_NAME_PIXELS) -> Spec:
    """An axis of names, as long as there is room."""
    room = label_limit(names, limit, size=FONT_SIZE)
    return {"title": None, "labelLimit": room, "ticks": False, "domain": False, "labelPadding": 6}


def slanted_axis(names: Sequence[str], limit: int) -> Spec:
    """An axis of names above a chart, which lean to the right where they are longer than their columns."""
    angle = -SLANT_DEGREES if max(map(len, names), default=0) > _UPRIGHT else 0
    return {**name_axis(names, limit), "orient": "top", "labelAngle": angle}


def padding_below(names: Sequence[str], limit: int) -> Spec:
    """Room around a chart with such an axis: names that are wider than was measured reach higher, too."""
    higher = longest_label(names, limit, size=FONT_SIZE) * _WIDER * sin(radians(SLANT_DEGREES))
    return {**_PADDING, "top": max(_PADDING["top"], ceil(higher))}


def legend_limit(names: Iterable[str]) -> Spec:
    """How long names in a legend may be."""
    return {"labelLimit": label_limit(names, 420, size=FONT_SIZE)}


# Room for readers whose letters are wider than those that were measured.
_PADDING = {"left": ceil(MAX_NAME_PIXELS * _WIDER), "right": 30, "top": 6, "bottom": 6}
_CONFIG: Spec = {
    "background": None,
    "padding": _PADDING,
    # Measured in the first where charts are drawn, shown in whichever a reader has: all are equally wide.
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
        "aria": False,  # Vega would describe it in English; every mark says its own words
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
        "columnPadding": 28,  # of which wider letters than those that were measured take some
    },
}
