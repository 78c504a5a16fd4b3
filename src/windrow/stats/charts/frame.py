"""What all charts have in common: sizes, fonts, axes and the words around the drawing. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from math import ceil, radians, sin
from typing import Any

from windrow.stats.charts.points import Point
from windrow.stats.charts.room import limit_of, longest_of
from windrow.stats.palette import INK
from windrow.stats.table import Kind

Spec = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH = 560
FONT_SIZE = 13
LONGEST_NAME = 270  # pixels of a name on an axis
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


def framed(body: Spec, points: Sequence[Point], description: str) -> Spec:
    """Give the whole specification of a chart."""
    return {
        "$schema": SCHEMA,
        "description": description,
        "data": {"values": [point.as_data() for point in points]},
        **body,
        "config": _CONFIG,
    }


def titled(spec: Spec, title: str, below: str = "") -> Spec:
    """Give a chart that says what it shows, with words below: for a file, which has no page around it."""
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


def name_axis(names: Iterable[str], limit: int = LONGEST_NAME) -> Spec:
    """An axis of names, as long as there is room."""
    room = limit_of(names, limit, size=FONT_SIZE)
    return {"title": None, "labelLimit": room, "ticks": False, "domain": False, "labelPadding": 6}


def slanted_axis(names: Sequence[str], limit: int) -> Spec:
    """An axis of names above a chart, which lean to the right where they are longer than their columns."""
    angle = -SLANT_DEGREES if max(map(len, names), default=0) > _UPRIGHT else 0
    return {**name_axis(names, limit), "orient": "top", "labelAngle": angle}


def padding_below(names: Sequence[str], limit: int) -> Spec:
    """Room around a chart with such an axis: names that are wider than was measured reach higher, too."""
    higher = longest_of(names, limit, size=FONT_SIZE) * _WIDER * sin(radians(SLANT_DEGREES))
    return {**_PADDING, "top": max(_PADDING["top"], ceil(higher))}


def legend_limit(names: Iterable[str]) -> Spec:
    """How long names in a legend may be."""
    return {"labelLimit": limit_of(names, 420, size=FONT_SIZE)}


# Room for readers whose letters are wider than those that were measured.
_PADDING = {"left": ceil(LONGEST_NAME * _WIDER), "right": 30, "top": 6, "bottom": 6}
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
