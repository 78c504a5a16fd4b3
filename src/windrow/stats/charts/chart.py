"""A table as a chart: what faces and the command line ask for, before it is drawn. Pure."""

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

# The forms of charts, one function each: how points become marks. Pure.

_STEP = 24  # pixels from one lying bar to the next
_NARROW = 13  # … where several stand together
_TALL = 260
_DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [4, 4], [12, 4], [1, 3], [9, 3, 2, 3, 2, 3])
_ANGLED = 9  # characters from which names below an axis are turned
_SLANTED_NAME = 150  # pixels of a name above a chart
_LONG_NAME = 12  # characters from which names in a legend stand below one another
_APART = 6  # pixels at least between names below an axis: academic years are broad, and phones narrow
_YEARS: Spec = {"title": None, "labelAngle": -45, "labelOverlap": "parity"}
_POINTING: Spec = {"href": HREF, "description": DESCRIPTION, "tooltip": TOOLTIP}


class ChartData(NamedTuple):
    """What is drawn: points, the names of their series, what the values are, and what the series are."""

    points: Sequence[Point]
    series: Sequence[str]
    kind: Kind
    legend: str = ""
    axis: str = ""  # what the values are, in words; empty where the title says it

    @property
    def names(self) -> list[str]:
        """What the points are of."""
        return [point.category for point in self.points]

    @property
    def most(self) -> float:
        """The largest value."""
        return max((point.value for point in self.points if point.value is not None), default=0)


def bars(matter: ChartData) -> Spec:
    """One lying bar a row, with its number at the end."""
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
    """One standing bar a row: years, or classes of numbers."""
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
    """One line a series, told apart by colour and by dashes; each point leads somewhere."""
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
    """One lying bar a row, of its parts."""
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
    """Several lying bars a row."""
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
    """A cell for each row and series, the darker the more, with its number."""
    x = {"field": "s", "type": "ordinal", "sort": None, "axis": slanted_axis(matter.series, _SLANTED_NAME)}
    y = {"field": "c", "type": "nominal", "sort": None, "axis": name_axis(matter.names)}
    # Ink stays readable on the darkest cell, and the palest cell is still seen.
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
    """Bars from 1 to the right for more, to the left for less: twice and half are equally far."""
    y = {"field": "c", "type": "nominal", "sort": None, "axis": name_axis(matter.names)}
    axis = {
        "title": None,
        "grid": True,
        "values": [0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16],
        "labelExpr": "'× ' + format(datum.value, '~g')",
    }
    # Never narrower than from half to twice, so that small changes look small.
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
    """Words beside a mark; the mark's own description says the same."""
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
    """Return the chart of a table; None where there is nothing to draw."""
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
    """Return the chart as a file has it: it says what it shows and what not, and leads nowhere."""
    chart = make_chart(table, words=words)
    return add_chart_title(chart, chart_title(table, words), describe_cut(table, words)) if chart else None


def describe_cut(table: Table, words: Words = ENGLISH) -> str:
    """Return how many rows of a table its chart shows, where it does not show all; else nothing."""
    if table.drawing is None or len(table.rows) <= table.drawing.most:
        return ""
    drawn, count = table.drawing.most, len(table.rows)
    return words.say(message("The chart shows the first {drawn} of {count} rows.", drawn=drawn, count=count))


def chart_title(table: Table, words: Words = ENGLISH) -> str:
    """Return the whole title: what, from when to when, of what."""
    return to_drawable(full_title(table, words.say(table.title)))


def describe_chart(table: Table, words: Words = ENGLISH) -> str:
    """Return what a chart shows, in words, for those who do not see it."""
    summary = f" {words.say(table.summary)}" if table.summary else ""
    cut = describe_cut(table, words)
    return f"{chart_title(table, words)}.{to_drawable(summary)}{f' {cut}' if cut else ''}"


# Charts of nothing in particular, one of each form: what draws is quicker at what it has drawn before.
# Pure.
# The first lines or groups of bars that a JavaScript engine draws cost it twice as much as the next ones.
# `drawing` has it draw these when a server has started, so that no visitor waits for that.

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
