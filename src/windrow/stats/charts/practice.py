"""Charts of nothing in particular, one of each form: what draws is quicker at what it has drawn before. Pure.

The first lines or groups of bars that a JavaScript engine draws cost it twice as much as the next ones.
`drawing` has it draw these when a server has started, so that no visitor waits for that.
"""

from __future__ import annotations

from collections.abc import Iterator

from windrow.stats.charts.bodies import Matter
from windrow.stats.charts.chart import BODIES
from windrow.stats.charts.frame import Spec, framed
from windrow.stats.charts.points import Point
from windrow.stats.table import Kind

_SERIES = ("Hay", "Straw")
_YEARS = range(2000, 2015)


def practice() -> Iterator[Spec]:
    """Give a chart of each form."""
    points = [
        Point(str(year), name, 0.5 + place, str(year), f"{year}, {name}", "/")
        for place, year in enumerate(_YEARS)
        for name in _SERIES
    ]
    matter = Matter(points, _SERIES, Kind.NUMBER)
    for body in dict.fromkeys(BODIES.values()):
        yield framed(body(matter), points, "")
