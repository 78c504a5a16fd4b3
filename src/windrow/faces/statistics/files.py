"""Tables as files: CSV and JSON of the numbers, SVG and PNG of the chart, and the chart's specification."""

from __future__ import annotations

import json
from collections.abc import Mapping

from windrow.errors import CannotDraw, NotFound
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.response import DATA_HEADERS, NO_CACHE, NO_INDEX, VARY_ENCODING, Header, Response
from windrow.faces.statistics.saying import Saying
from windrow.faces.statistics.ways import Ways
from windrow.stats.charts.chart import chart_of, picture_of
from windrow.stats.drawing import Drawer
from windrow.stats.table import Table
from windrow.stats.writing import as_csv, as_json

SPEC = "vl.json"
KINDS: Mapping[str, str] = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
    SPEC: "application/json",
}


def file_of(table: Table, suffix: str, ways: Ways, drawer: Drawer) -> Response:
    """Give a table as a file of this kind."""
    try:
        body = _body(table, suffix, ways, drawer)
    except CannotDraw as exc:
        raise Refused(503, f"{exc}.") from exc
    named = f'attachment; filename="{table.name}.{suffix}"'.encode()
    headers: list[Header] = [(b"content-type", KINDS[suffix].encode()), NO_CACHE, NO_INDEX, VARY_ENCODING]
    if suffix != SPEC:
        headers.append((b"content-disposition", named))
    return Response(200, body, [*headers, *DATA_HEADERS])


def _body(table: Table, suffix: str, ways: Ways, drawer: Drawer) -> bytes:
    words = Saying(ways.frame.tongue, ways.frame.look, ways.frame.topics, ways.frame.expander)
    if suffix == "csv":
        return as_csv(table).encode("utf-8", "replace")
    if suffix == "json":
        return _json(as_json(table))
    if suffix == SPEC:
        return _json(_interactive(table, words, ways))
    picture = picture_of(table, words=words)
    if picture is None:
        raise NotFound("there is nothing to draw")
    if suffix == "svg":
        return drawer.file(picture, numbers=words.numbers)
    return drawer.png(picture, numbers=words.numbers)


def _interactive(table: Table, words: Saying, ways: Ways) -> dict[str, object]:
    """The chart as a script in the page wants it: with addresses, and numbers in the page's language."""
    chart = chart_of(table, words=words, address=ways.records)
    if chart is None:
        raise NotFound("there is nothing to draw")
    return {**chart, "usermeta": {"numbers": words.numbers}}


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
