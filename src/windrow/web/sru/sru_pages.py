"""SRU for people: explain, a result, a scan and a diagnostic as pages of the portal.

Each page is at the address of the request that it shows; the XML of the same is linked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from windrow.faces.shared.frame import Frame, Frames, show
from windrow.faces.shared.headline import seen_title
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Header, Response
from windrow.faces.sru.explain import explained_indexes, schemas_in
from windrow.faces.sru.operations import Found, Operations, all_records
from windrow.finding.addresses import record_path
from windrow.finding.databases import Database, MissingRecord, Record
from windrow.protocols.cql.terms import escape_term
from windrow.protocols.cql.tree import Clause, CqlQuery, Relation
from windrow.protocols.sru.diagnostics import Diagnostic, SruError
from windrow.protocols.sru.request import Operation, SruRequest, read_request

MOST_PEOPLE = 3
_VARY: Header = (b"vary", b"accept, accept-language, cookie, accept-encoding")
_PER_PAGE = 20
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Line:
    """A record as a page lists it; without a link it is gone."""

    place: int
    title: str
    link: str = ""
    people: tuple[str, ...] = ()
    year: int | None = None


@dataclass(frozen=True, slots=True)
class TermLine:
    """A term as a page lists it, with the search that finds what has it."""

    display: str
    count: int
    link: str


class Pages:
    """Makes the pages."""

    def __init__(self, frames: Frames, operations: Operations) -> None:
        self._frames = frames
        self._operations = operations

    def page(self, request: Request, name: str, pairs: Sequence[tuple[str, str]]) -> Response:
        """Return the page for a request."""
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

    def _explained(self, frame: Frame, database: Database) -> Response:
        names = self._operations.databases.names()
        return self._show(
            frame,
            "sru/explain.html",
            database,
            (),
            indexes=list(explained_indexes(database)),
            databases=[(self._operations.databases.get(each), self._path(frame, each)) for each in names],
        )

    def _found(self, frame: Frame, found: Found) -> Response:
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

    def _scanned(self, frame: Frame, database: Database, asked: SruRequest) -> Response:
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

        terms = [TermLine(each.display[:_LONGEST], each.count, link(each.display)) for each in scanned.terms]
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
        frame: Frame,
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
            query=given.get("query", given.get("scanClause", ""))[: _LONGEST * 40],
            diagnostic=diagnostic,
        )

    def _show(
        self,
        frame: Frame,
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
        return show(
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

    def _line(self, frame: Frame, record: Record | MissingRecord) -> Line:
        if isinstance(record, MissingRecord):
            return Line(record.place, "")
        document = record.document
        title = seen_title(document.title or "") or frame.tongue.say("Without a title")
        people = tuple(agent.name[:_LONGEST] for agent in document.creators[:MOST_PEOPLE])
        link = frame.link(record_path(record.source, record.identifier))
        return Line(record.place, title, link, people, document.year)

    def _turned(self, frame: Frame, database: Database, request: SruRequest, place: int | None) -> str:
        if place is None:
            return ""
        return self._path(frame, database.name, {**request.given, "startRecord": str(place)})

    def _path(self, frame: Frame, name: str, pairs: dict[str, str] | None = None) -> str:
        """Return the path of a database, or of a request to it."""
        path = self._operations.address(name).removeprefix(frame.site.url)
        query = urlencode(pairs or {}, errors="replace")
        return frame.link(path) + (f"?{query}" if query else "")
