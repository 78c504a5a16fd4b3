"""Where the marks of a chart lead: taken out before it is drawn, and put back by `cleaning`.

Vega asks about every address by itself, which is a fifth of the work of drawing, and changes it, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from windrow.stats.charts.frame import Spec

# By what a mark says; several that say the same lead where they do in this order.
Ways = Mapping[str, Sequence[str]]


def ways_of(spec: Spec) -> Ways:
    """Give the addresses that the marks of a chart lead to."""
    ways: dict[str, list[str]] = {}
    for point in _values(spec):
        if "h" in point:
            ways.setdefault(str(point["l"]), []).append(str(point["h"]))
    return ways


def unlinked(spec: Spec) -> Spec:
    """Give the same chart, whose marks lead nowhere."""
    values = [{key: value for key, value in point.items() if key != "h"} for point in _values(spec)]
    return _without_channel(spec) | ({"data": {"values": values}} if values else {})


def _without_channel(part: Spec) -> Spec:
    """A chart, or a layer of one, with nothing that says where to find an address."""
    made = dict(part)
    if isinstance(part.get("encoding"), Mapping):
        made["encoding"] = {name: channel for name, channel in part["encoding"].items() if name != "href"}
    if "layer" in part:
        made["layer"] = [_without_channel(each) for each in part["layer"]]
    return made


def _values(spec: Spec) -> Sequence[Spec]:
    values: Sequence[Spec] = spec.get("data", {}).get("values", ())
    return values
