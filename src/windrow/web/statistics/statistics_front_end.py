"""The front end for `/statistics/`: pages are made in threads and cached per index generation."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from windrow.errors import CannotDraw, NotFound, UsageError
from windrow.model.document_dates import year_of_day
from windrow.stats.catalogue import find_page, list_tables, make_table
from windrow.stats.charts.chart import make_chart, make_picture
from windrow.stats.charts.drawing import Drawer, ScriptBundle, bundle_name
from windrow.stats.own_ratios import PREFIX
from windrow.stats.table import Table
from windrow.stats.table_export import as_csv, as_json
from windrow.web.http.content_negotiation import prefers_page
from windrow.web.http.http_request import HttpRefusal, Request, check_read
from windrow.web.http.http_response import (
    DATA_HEADERS,
    IMMUTABLE_CACHE,
    NO_CACHE,
    NO_INDEX,
    VARY_ENCODING,
    Header,
    Response,
)
from windrow.web.http.thread_pools import MAX_SEARCHES_PER_CLIENT, MAX_SEARCHES_WAITING, ThreadPool
from windrow.web.layout.error_responses import render_missing_page
from windrow.web.layout.page_cache import PageCache, pinned_index
from windrow.web.statistics.shown_tables import TableTranslator
from windrow.web.statistics.statistics_context import (
    STATISTICS_PATH,
    STORE_BASED_TABLES,
    StatisticsContext,
    StatisticsLinks,
)
from windrow.web.statistics.statistics_pages import StatisticsViews

# Files of a table: CSV and JSON of its numbers, SVG, PNG and specification of its chart.

SPECIFICATION_SUFFIX = "vl.json"
TABLE_FILE_TYPES: Mapping[str, str] = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
    SPECIFICATION_SUFFIX: "application/json",
}


def table_file_response(table: Table, suffix: str, ways: StatisticsLinks, drawer: Drawer) -> Response:
    try:
        body = _file_body(table, suffix, ways, drawer)
    except CannotDraw as exc:
        raise HttpRefusal(503, f"{exc}.") from exc
    named = f'attachment; filename="{table.name}.{suffix}"'.encode()
    headers: list[Header] = [
        (b"content-type", TABLE_FILE_TYPES[suffix].encode()),
        NO_CACHE,
        NO_INDEX,
        VARY_ENCODING,
    ]
    if suffix != SPECIFICATION_SUFFIX:
        headers.append((b"content-disposition", named))
    return Response(200, body, [*headers, *DATA_HEADERS])


def _file_body(table: Table, suffix: str, ways: StatisticsLinks, drawer: Drawer) -> bytes:
    words = TableTranslator(ways.frame.tongue, ways.frame.look, ways.frame.topics, ways.frame.expander)
    if suffix == "csv":
        return as_csv(table).encode("utf-8", "replace")
    if suffix == "json":
        return _encode_json(as_json(table))
    if suffix == SPECIFICATION_SUFFIX:
        return _encode_json(_interactive_chart(table, words, ways))
    picture = make_picture(table, words=words)
    if picture is None:
        raise NotFound("there is nothing to draw")
    if suffix == "svg":
        return drawer.file(picture, numbers=words.numbers)
    return drawer.png(picture, numbers=words.numbers)


def _interactive_chart(table: Table, words: TableTranslator, ways: StatisticsLinks) -> dict[str, object]:
    """Return the chart for the script in the page: with links, and numbers in the page's format."""
    chart = make_chart(table, words=words, address=ways.records)
    if chart is None:
        raise NotFound("there is nothing to draw")
    return {**chart, "usermeta": {"numbers": words.numbers}}


def _encode_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


STATISTICS_THREADS = 2
DATA_SEGMENT = "data"  # the page for analysts
_SCRIPT: Header = (b"content-type", b"text/javascript; charset=utf-8")


class StatisticsFrontEnd:
    """The front end for `/statistics`."""

    def __init__(self, desk: StatisticsContext) -> None:
        self._desk = desk
        self._views = StatisticsViews(desk)
        # Separate from searches, because a page waits for its charts to be drawn one after the other.
        self._crew = ThreadPool(
            at_once=STATISTICS_THREADS,
            most_waiting=MAX_SEARCHES_WAITING,
            most_of_one=MAX_SEARCHES_PER_CLIENT,
            name="statistics",
        )
        self._kept = PageCache()
        self._bundle = ScriptBundle(desk.drawer.engine)

    async def __call__(self, request: Request, rest: str) -> Response:
        """Return a page, a file, or the script that charts need; errors are pages too."""
        try:
            check_read(request.method)
            return await self._found(request, rest)
        except (HttpRefusal, UsageError) as exc:
            if not prefers_page(request.headers.get(b"accept", b"")):
                raise
            return render_missing_page(self._desk.frames, request, exc)

    async def _found(self, request: Request, rest: str) -> Response:
        name = rest.removeprefix("/")
        if not rest:
            return _redirect(f"{self._desk.frames.site.path}{STATISTICS_PATH}/", request.query)
        if name and name == bundle_name():
            body = await self._crew.run(self._bundle.get)
            return Response(200, body, [_SCRIPT, IMMUTABLE_CACHE, VARY_ENCODING, *DATA_HEADERS])
        return await self._crew.run(
            lambda: self._still(request, name), client=request.client, is_gone=request.is_gone
        )

    def _still(self, request: Request, name: str) -> Response:
        """Answer from one generation of the index, even if it is replaced meanwhile."""
        with pinned_index(self._desk.index):
            return self._answer(request, name)

    def _answer(self, request: Request, name: str) -> Response:
        if name == DATA_SEGMENT:
            return self._views.data(request)
        found = find_page(name, self._desk.own)
        table, _, suffix = name.partition(".")
        if (
            name
            and found is None
            and not (table in list_tables(self._desk.own) and suffix in TABLE_FILE_TYPES)
        ):
            raise NotFound("there are no such statistics", hint=f"All there are: {STATISTICS_PATH}/")
        self._desk.check_ready(table, self._desk.asked(request)[0])
        if not name:
            return self._page(request, "", lambda: self._views.overview(request))
        if found is not None:
            return self._page(request, name, lambda: self._views.page(request, found))
        return self._file(request, table, suffix)

    def _page(self, request: Request, name: str, make: Callable[[], Response]) -> Response:
        """Return a cached page of this index generation, or make it."""
        if name in STORE_BASED_TABLES or name.startswith(PREFIX):  # the owner's tables may have changed
            return make()
        desk = self._desk
        year = year_of_day(desk.clock().date(), desk.index.year_starts)
        key = (desk.frames.frame(request).tongue.code, year, request.path, request.query)
        return self._kept.answer(f"{desk.index.generation} {desk.frames.mark}", key, make)

    def _file(self, request: Request, table: str, suffix: str) -> Response:
        question, frame = self._desk.asked_of_file(request)
        made = make_table(table, self._desk.population(question, frame))
        return table_file_response(made, suffix, StatisticsLinks(frame, question), self._desk.drawer)


def _redirect(path: str, query: bytes) -> Response:
    location = path.encode() + (b"?" + query if query else b"")
    if not location.isascii() or any(byte < 0x21 for byte in location):
        raise HttpRefusal(404, "There is nothing at this address.")
    return Response(308, b"", [(b"location", location), NO_CACHE, *DATA_HEADERS])
