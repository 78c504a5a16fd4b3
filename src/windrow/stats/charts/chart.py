"""A table as a chart: its Vega-Lite specification, title and description. Pure.

There is one function for each form of chart (`table.Form`), which turns points into marks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from windrow.stats.charts.frame import (
    DESCRIPTION,
    FONT_SIZE,
    HREF,
    INK,
    OPACITY,
    PAPER,
    TOOLTIP,
    WIDTH,
    Address,
    Point,
    Spec,
    add_chart_title,
    colour,
    frame_chart,
    legend_limit,
    list_series,
    make_points,
    name_axis,
    number_axis,
    padding_below,
    slanted_axis,
    to_drawable,
)
from windrow.stats.table import ENGLISH, Form, Kind, Table, Words, full_title, message

# The forms of charts.

_STEP = 24  # pixels per horizontal bar
_NARROW = 13  # … in groups
_TALL = 260
_DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [4, 4], [12, 4], [1, 3], [9, 3, 2, 3, 2, 3])
_ANGLED = 9  # characters above which names below an axis are slanted
_SLANTED_NAME = 150  # pixels for a name above a chart
_LONG_NAME = 12  # characters above which the names in a legend are stacked
_APART = 6  # minimum pixels between names below an axis: academic years are wide, and phones narrow
_YEARS: Spec = {"title": None, "labelAngle": -45, "labelOverlap": "parity"}
_POINTING: Spec = {"href": HREF, "description": DESCRIPTION, "tooltip": TOOLTIP}


class ChartData(NamedTuple):
    """The content of a chart: points, the names of their series, and the kinds of values and series."""

    points: Sequence[Point]
    series: Sequence[str]
    kind: Kind
    legend: str = ""
    axis: str = ""  # the label of the value axis; empty if the title is enough

    @property
    def names(self) -> list[str]:
        return [point.category for point in self.points]

    @property
    def most(self) -> float:
        return max((point.value for point in self.points if point.value is not None), default=0)


def bars(matter: ChartData) -> Spec:
    """One horizontal bar per row, with its number at the end."""
    y = {"field": "c", "type": "nominal", "sort": None, "axis": name_axis(matter.names)}
    axis = number_axis(matter.kind, matter.most) | {"title": matter.axis or None}
    x = {"field": "v", "type": "quantitative", "axis": axis}
    return {
        "width": WIDTH,
        "height": {"step": _STEP},
        "encoding": {"y": y, "x": x},
        "layer": [
            {"mark": {"type": "bar", "color": colour(0)}, "encoding": _POINTING},
            {"mark": _written("left", 5), "encoding": {"text": {"field": "t", "type": "nominal"}}},
        ],
    }


def columns(matter: ChartData) -> Spec:
    """One vertical bar per row: years, or classes of numbers."""
    is_turned = max(map(len, matter.names), default=0) * len(matter.points) > _ANGLED * 10
    x = {
        "field": "c",
        "type": "ordinal",
        "sort": None,
        "axis": {
            "title": None,
            "labelAngle": -45 if is_turned else 0,
            "labelOverlap": "parity",
            "labelSeparation": _APART,
        },
        "scale": {"paddingInner": 0.12, "paddingOuter": 0.05},
    }
    y = {"field": "v", "type": "quantitative", "axis": number_axis(matter.kind, matter.most)}
    return {
        "width": WIDTH + 120,
        "height": _TALL,
        "mark": {"type": "bar", "color": colour(0)},
        "encoding": {"x": x, "y": y, "opacity": OPACITY, **_POINTING},
    }


def lines(matter: ChartData) -> Spec:
    """One line per series, distinguished by colour and dashes; each point is a link."""
    x = {"field": "c", "type": "ordinal", "sort": None, "axis": _YEARS}
    y = {
        "field": "v",
        "type": "quantitative",
        "axis": number_axis(matter.kind, matter.most),
        "scale": {"zero": True},
    }
    dashes = [_DASHES[place % len(_DASHES)] for place in range(len(matter.series))]
    dash = {
        "field": "s",
        "type": "nominal",
        "sort": None,
        "scale": {"domain": list(matter.series), "range": dashes},
    }
    return {
        "width": WIDTH + 120,
        "height": _TALL,
        "encoding": {"x": x, "y": y, "color": _coloured(matter, symbol="stroke")},
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 2.2, "aria": False}, "encoding": {"strokeDash": dash}},
            {"mark": {"type": "point", "filled": True, "size": 50, "opacity": 1}, "encoding": _POINTING},
        ],
    }


def shares(matter: ChartData) -> Spec:
    """One horizontal bar per row, stacked from its parts."""
    y = {"field": "c", "type": "nominal", "sort": None, "axis": name_axis(matter.names)}
    x = {
        "field": "v",
        "type": "quantitative",
        "stack": "zero",
        "axis": number_axis(matter.kind, matter.most),
        "scale": {"domain": [0, 1]},
    }
    return {
        "width": WIDTH,
        "height": {"step": _STEP},
        "mark": {"type": "bar", "stroke": PAPER, "strokeWidth": 1.5},
        "encoding": {
            "y": y,
            "x": x,
            "color": _coloured(matter),
            "order": {"field": "s", "type": "ordinal"},
            **_POINTING,
        },
    }


def grouped(matter: ChartData) -> Spec:
    """Several horizontal bars per row."""
    y = {
        "field": "c",
        "type": "nominal",
        "sort": None,
        "axis": name_axis(matter.names),
        "scale": {"paddingInner": 0.3},
    }
    x = {"field": "v", "type": "quantitative", "axis": number_axis(matter.kind, matter.most)}
    offset = {"field": "s", "type": "nominal", "sort": None, "scale": {"domain": list(matter.series)}}
    return {
        "width": WIDTH,
        "height": {"step": _NARROW, "for": "offset"},
        "mark": {"type": "bar"},
        "encoding": {"y": y, "x": x, "yOffset": offset, "color": _coloured(matter), **_POINTING},
    }


def heat(matter: ChartData) -> Spec:
    """A cell for each row and series, darker for larger values, with its number."""
    x = {"field": "s", "type": "ordinal", "sort": None, "axis": slanted_axis(matter.series, _SLANTED_NAME)}
    y = {"field": "c", "type": "nominal", "sort": None, "axis": name_axis(matter.names)}
    # Text stays readable on the darkest cell, and the palest cell stays visible.
    depth = {
        "field": "v",
        "type": "quantitative",
        "scale": {"domain": [0, matter.most or 1], "range": [0.04, 0.55]},
        "legend": None,
    }
    number = {"field": "v", "type": "quantitative", "format": ".0%" if matter.kind is Kind.SHARE else ",.0f"}
    return {
        "padding": padding_below(matter.series, _SLANTED_NAME),
        "width": {"step": 40},
        "height": {"step": _STEP},
        "encoding": {"x": x, "y": y},
        "layer": [
            {
                "mark": {"type": "rect", "color": colour(0), "stroke": PAPER, "strokeWidth": 1},
                "encoding": {"fillOpacity": depth, **_POINTING},
            },
            {"mark": {**_written("center", 0), "fontSize": 11}, "encoding": {"text": number}},
        ],
    }


def changes(matter: ChartData) -> Spec:
    """Bars from 1 to the right for more, to the left for less: doubling and halving are equally long."""
    y = {"field": "c", "type": "nominal", "sort": None, "axis": name_axis(matter.names)}
    axis = {
        "title": None,
        "grid": True,
        "values": [0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16],
        "labelExpr": "'× ' + format(datum.value, '~g')",
    }
    # Never narrower than from half to double, so that small changes look small.
    values = [point.value for point in matter.points if point.value]
    domain = [min([0.5, *values]), max([2.0, *values])]
    x = {
        "field": "v",
        "type": "quantitative",
        "scale": {"type": "log", "base": 2, "domain": domain, "nice": False},
        "axis": axis,
    }
    side = {"condition": {"test": "datum.v < 1", "value": colour(1)}, "value": colour(0)}
    return {
        "width": WIDTH,
        "height": {"step": _STEP},
        "mark": {"type": "bar"},
        "encoding": {"y": y, "x": x, "x2": {"datum": 1}, "color": side, **_POINTING},
    }


def _coloured(matter: ChartData, symbol: str = "square") -> Spec:
    series = list(matter.series)
    is_long = max(map(len, series), default=0) > _LONG_NAME
    return {
        "field": "s",
        "type": "nominal",
        "sort": None,
        "scale": {"domain": series, "range": [colour(place) for place in range(len(series))]},
        "legend": {
            "columns": 1 if is_long else 0,
            "symbolType": symbol,
            "title": matter.legend or None,
            **legend_limit(series),
        },
    }


def _written(align: str, offset: int) -> Spec:
    """Text beside a mark; the mark has its own description."""
    return {
        "type": "text",
        "align": align,
        "dx": offset,
        "color": INK,
        "fontSize": FONT_SIZE - 1,
        "aria": False,
    }


Body = Callable[[ChartData], Spec]
BODIES: Mapping[Form, Body] = {
    Form.BARS: bars,
    Form.SERIES: columns,
    Form.HISTOGRAM: columns,
    Form.LINES: lines,
    Form.SHARES: shares,
    Form.GROUPED: grouped,
    Form.HEAT: heat,
    Form.CHANGES: changes,
}


def make_chart(table: Table, *, words: Words = ENGLISH, address: Address = lambda _: "") -> Spec | None:
    """Return the chart of a table; None if there is nothing to draw."""
    drawing = table.drawing
    if drawing is None or not table.rows:
        return None
    points = make_points(table, words, address)
    if all(point.value is None for point in points):
        return None
    kind = table.columns[table.place(drawing.values[0])].kind
    legend = words.say(table.columns[table.place(drawing.series)].label) if drawing.series else ""
    axis = words.say(drawing.axis) if drawing.axis else ""
    body = BODIES[drawing.form](ChartData(points, list_series(table, words), kind, legend, axis))
    return frame_chart(body, points, describe_chart(table, words))


def make_picture(table: Table, *, words: Words = ENGLISH) -> Spec | None:
    """Return the chart for a file: with title and a note on omitted rows, without links."""
    chart = make_chart(table, words=words)
    return add_chart_title(chart, chart_title(table, words), describe_cut(table, words)) if chart else None


def describe_cut(table: Table, words: Words = ENGLISH) -> str:
    """Return a note on how many rows the chart shows; empty if it shows all."""
    if table.drawing is None or len(table.rows) <= table.drawing.most:
        return ""
    drawn, count = table.drawing.most, len(table.rows)
    return words.say(message("The chart shows the first {drawn} of {count} rows.", drawn=drawn, count=count))


def chart_title(table: Table, words: Words = ENGLISH) -> str:
    """Return the full title: subject, period and origin."""
    return to_drawable(full_title(table, words.say(table.title)))


def describe_chart(table: Table, words: Words = ENGLISH) -> str:
    """Return a text alternative for a chart."""
    summary = f" {words.say(table.summary)}" if table.summary else ""
    cut = describe_cut(table, words)
    return f"{chart_title(table, words)}.{to_drawable(summary)}{f' {cut}' if cut else ''}"


# Practice charts, one of each form, drawn when a server starts. The first lines or groups of bars that the
# JavaScript engine draws take twice as long as later ones, and no visitor should wait for that.

_SERIES = ("Hay", "Straw")
_PRACTICE_YEARS = range(2000, 2015)


def make_practice_charts() -> Iterator[Spec]:
    """Yield a chart of each form."""
    points = [
        Point(str(year), name, 0.5 + place, str(year), f"{year}, {name}", "/")
        for place, year in enumerate(_PRACTICE_YEARS)
        for name in _SERIES
    ]
    matter = ChartData(points, _SERIES, Kind.NUMBER)
    for body in dict.fromkeys(BODIES.values()):
        yield frame_chart(body(matter), points, "")
