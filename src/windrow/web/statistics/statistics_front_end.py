"""Statistics on HTTP: `/statistics/` and all below it, made in threads and kept while the index stays."""

from __future__ import annotations

from collections.abc import Callable

from windrow.errors import NotFound, UsageError
from windrow.faces.shared.accepting import prefers_page
from windrow.faces.shared.crew import SEARCHES_OF_ONE, SEARCHES_WAITING, Crew
from windrow.faces.shared.kept_pages import KeptPages
from windrow.faces.shared.missing import show_missing
from windrow.faces.shared.readiness import keeping_still
from windrow.faces.shared.refusal import Refused, check_read
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import DATA_HEADERS, FOR_EVER, NO_CACHE, VARY_ENCODING, Header, Response
from windrow.faces.statistics.desk import STORED, Desk
from windrow.faces.statistics.files import KINDS, file_of
from windrow.faces.statistics.views import Views
from windrow.faces.statistics.ways import PATH, Ways
from windrow.model.academic_years import year_at
from windrow.stats.bundle import Bundle, bundle_name
from windrow.stats.catalogue import find_page, make_table, tables_of
from windrow.stats.per_number import PREFIX

AT_ONCE = 2
DATA = "data"  # the page for analysts
_SCRIPT: Header = (b"content-type", b"text/javascript; charset=utf-8")


class StatisticsFace:
    """Answers for everything under `/statistics`."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._views = Views(desk)
        # Apart from searches: a page waits for its charts to be drawn, one after the other.
        self._crew = Crew(
            at_once=AT_ONCE, most_waiting=SEARCHES_WAITING, most_of_one=SEARCHES_OF_ONE, name="statistics"
        )
        self._kept = KeptPages()
        self._bundle = Bundle(desk.drawer.engine)

    async def __call__(self, request: Request, rest: str) -> Response:
        """Give a page, a file or the script that charts need; what is not there has a page as well."""
        try:
            check_read(request.method)
            return await self._found(request, rest)
        except (Refused, UsageError) as exc:
            if not prefers_page(request.headers.get(b"accept", b"")):
                raise
            return show_missing(self._desk.frames, request, exc)

    async def _found(self, request: Request, rest: str) -> Response:
        name = rest.removeprefix("/")
        if not rest:
            return _moved(f"{self._desk.frames.site.path}{PATH}/", request.query)
        if name and name == bundle_name():
            body = await self._crew.run(self._bundle.get)
            return Response(200, body, [_SCRIPT, FOR_EVER, VARY_ENCODING, *DATA_HEADERS])
        return await self._crew.run(
            lambda: self._still(request, name), client=request.client, is_gone=request.is_gone
        )

    def _still(self, request: Request, name: str) -> Response:
        """Answer from one state of the index, even if another takes its place meanwhile."""
        with keeping_still(self._desk.index):
            return self._answer(request, name)

    def _answer(self, request: Request, name: str) -> Response:
        if name == DATA:
            return self._views.data(request)
        found = find_page(name, self._desk.own)
        table, _, suffix = name.partition(".")
        if name and found is None and not (table in tables_of(self._desk.own) and suffix in KINDS):
            raise NotFound("there are no such statistics", hint=f"All there are: {PATH}/")
        self._desk.check_ready(table, self._desk.asked(request)[0])
        if not name:
            return self._page(request, "", lambda: self._views.overview(request))
        if found is not None:
            return self._page(request, name, lambda: self._views.page(request, found))
        return self._file(request, table, suffix)

    def _page(self, request: Request, name: str, make: Callable[[], Response]) -> Response:
        """Give a page that was made for this generation of the index already, or make it."""
        if name in STORED or name.startswith(PREFIX):  # the owner's tables may have changed meanwhile
            return make()
        desk = self._desk
        year = year_at(desk.clock().date(), desk.index.year_starts)
        key = (desk.frames.frame(request).tongue.code, year, request.path, request.query)
        return self._kept.answer(f"{desk.index.generation} {desk.frames.mark}", key, make)

    def _file(self, request: Request, table: str, suffix: str) -> Response:
        question, frame = self._desk.asked_of_file(request)
        made = make_table(table, self._desk.population(question, frame))
        return file_of(made, suffix, Ways(frame, question), self._desk.drawer)


def _moved(path: str, query: bytes) -> Response:
    location = path.encode() + (b"?" + query if query else b"")
    if not location.isascii() or any(byte < 0x21 for byte in location):
        raise Refused(404, "There is nothing at this address.")
    return Response(308, b"", [(b"location", location), NO_CACHE, *DATA_HEADERS])
