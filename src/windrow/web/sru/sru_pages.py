"""SRU responses as pages of the portal: explain, results, scan and diagnostics.

Each page is at the address of its request, and links to the XML response.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from windrow.protocols.cql.cql_syntax import Clause, CqlQuery, Relation, escape_term
from windrow.protocols.sru.sru_diagnostics import Diagnostic, SruError
from windrow.protocols.sru.sru_request import Operation, SruRequest, read_request
from windrow.search.databases import Database, MissingRecord, Record
from windrow.search.record_addresses import record_path
from windrow.web.http.http_request import Request
from windrow.web.http.http_response import Header, Response
from windrow.web.layout.page_layout import PageLayout, PageLayouts, render_page
from windrow.web.layout.page_text import visible_title
from windrow.web.sru.sru_operations import SearchOutcome, SruOperations, all_records
from windrow.web.sru.zeerex import explained_indexes, schemas_in

MAX_PEOPLE = 3
_VARY: Header = (b"vary", b"accept, accept-language, cookie, accept-encoding")
_PER_PAGE = 20
_MAX_SHOWN_LENGTH = 200


@dataclass(frozen=True, slots=True)
class SruResultLine:
    """A record in a list of results; without a link if it is deleted."""

    place: int
    title: str
    link: str = ""
    people: tuple[str, ...] = ()
    year: int | None = None


@dataclass(frozen=True, slots=True)
class TermLine:
    """A term in a list, with the search that finds its records."""

    display: str
    count: int
    link: str


class SruPages:
    """The views of SRU."""

    def __init__(self, frames: PageLayouts, operations: SruOperations) -> None:
        self._frames = frames
        self._operations = operations

    def page(self, request: Request, name: str, pairs: Sequence[tuple[str, str]]) -> Response:
        frame = self._frames.frame(request)
        try:
            database = self._operations.database(name)
        except SruError as exc:
            return self._refused(frame, None, pairs, exc.diagnostic, status=404)
        try:
            asked = read_request(pairs)
            if asked.operation is Operation.SEARCH:
                return self._found(frame, self._operations.search(database, asked))
            if asked.operation is Operation.SCAN:
                return self._scanned(frame, database, asked)
            return self._explained(frame, database)
        except SruError as exc:
            return self._refused(frame, database, pairs, exc.diagnostic)

    def _explained(self, frame: PageLayout, database: Database) -> Response:
        names = self._operations.databases.names()
        return self._show(
            frame,
            "sru/explain.html",
            database,
            (),
            indexes=list(explained_indexes(database)),
            databases=[(self._operations.databases.get(each), self._path(frame, each)) for each in names],
        )

    def _found(self, frame: PageLayout, found: SearchOutcome) -> Response:
        request = found.request
        records = all_records(found)
        previous = max(1, found.start - max(1, found.count or _PER_PAGE)) if found.start > 1 else None
        following = found.following(len(records))
        return self._show(
            frame,
            "sru/results.html",
            found.database,
            list(request.given.items()),
            query=request.query,
            schema=found.schema.name,
            total=found.total,
            first=found.start,
            last=found.start + len(records) - 1,
            lines=[self._line(frame, record) for record in records],
            diagnostics=found.diagnostics,
            previous=self._turned(frame, found.database, request, previous),
            following=self._turned(frame, found.database, request, following),
        )

    def _scanned(self, frame: PageLayout, database: Database, asked: SruRequest) -> Response:
        scanned = self._operations.scan(database, asked)
        root = scanned.clause.root
        index = root.index if isinstance(root, Clause) else ""
        relation = root.relation if isinstance(root, Clause) else Relation()

        def link(term: str) -> str:
            query = str(CqlQuery(Clause(escape_term(term), index or "cql.serverChoice", relation)))
            return self._path(frame, database.name, {"query": query})

        def on(term: str) -> str:
            clause = str(CqlQuery(Clause(escape_term(term), index or "cql.serverChoice", relation)))
            return self._path(frame, database.name, {"scanClause": clause})

        terms = [
            TermLine(each.display[:_MAX_SHOWN_LENGTH], each.count, link(each.display))
            for each in scanned.terms
        ]
        is_end = not terms or scanned.places[-1] in ("last", "only")
        return self._show(
            frame,
            "sru/terms.html",
            database,
            list(asked.given.items()),
            query=asked.scan_clause,
            terms=terms,
            following=None if is_end else on(scanned.terms[-1].term),
        )

    def _refused(
        self,
        frame: PageLayout,
        database: Database | None,
        pairs: Sequence[tuple[str, str]],
        diagnostic: Diagnostic,
        *,
        status: int = 200,
    ) -> Response:
        given = dict(pairs)
        return self._show(
            frame,
            "sru/refused.html",
            database or self._operations.database(""),
            list(pairs),
            status=status,
            query=given.get("query", given.get("scanClause", ""))[: _MAX_SHOWN_LENGTH * 40],
            diagnostic=diagnostic,
        )

    def _show(
        self,
        frame: PageLayout,
        template: str,
        database: Database,
        pairs: Sequence[tuple[str, str]],
        *,
        query: str = "",
        schema: str = "",
        status: int = 200,
        **values: Any,
    ) -> Response:
        xml = {name: value for name, value in pairs if name != "httpAccept"}
        return render_page(
            frame,
            template,
            _VARY,
            title=f"SRU: {database.title}",
            status=status,
            database=database,
            address=self._operations.address(database.name),
            here=self._path(frame, database.name),
            xml=self._path(frame, database.name, {**xml, "httpAccept": "application/xml"}),
            query=query,
            schema=schema,
            schemas=schemas_in(database),
            **values,
        )

    def _line(self, frame: PageLayout, record: Record | MissingRecord) -> SruResultLine:
        if isinstance(record, MissingRecord):
            return SruResultLine(record.place, "")
        document = record.document
        title = visible_title(document.title or "") or frame.tongue.say("Without a title")
        people = tuple(agent.name[:_MAX_SHOWN_LENGTH] for agent in document.creators[:MAX_PEOPLE])
        link = frame.link(record_path(record.source, record.identifier))
        return SruResultLine(record.place, title, link, people, document.year)

    def _turned(self, frame: PageLayout, database: Database, request: SruRequest, place: int | None) -> str:
        if place is None:
            return ""
        return self._path(frame, database.name, {**request.given, "startRecord": str(place)})

    def _path(self, frame: PageLayout, name: str, pairs: dict[str, str] | None = None) -> str:
        path = self._operations.address(name).removeprefix(frame.site.url)
        query = urlencode(pairs or {}, errors="replace")
        return frame.link(path) + (f"?{query}" if query else "")
