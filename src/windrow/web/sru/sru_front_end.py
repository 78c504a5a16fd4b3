"""The SRU front end: GET, HEAD and POST to `/sru` and `/sru/NAME`; XML for programs, pages for browsers.

All errors are SRU diagnostics. Searches run in the portal's pools, so that OAI-PMH and health checks never
wait for them. Records are read in batches, so that the size of a response is bounded.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial

from windrow.errors import WindrowError
from windrow.formats import windrow_record
from windrow.index.protocol import Index
from windrow.protocols.sru.sru_diagnostics import Diagnostic, SruError
from windrow.protocols.sru.sru_request import Operation, SruRequest, operation_of, read_request, version_of
from windrow.search.databases import Database, Databases, MissingRecord, Record
from windrow.search.record_schemas import render_record
from windrow.web.http.content_negotiation import prefers_page
from windrow.web.http.http_request import (
    HttpRefusal,
    Pairs,
    Request,
    check_method,
    parse_form_body,
    parse_query_string,
)
from windrow.web.http.http_response import (
    DATA_HEADERS,
    FOREIGN_HEADERS,
    NO_CACHE,
    NO_INDEX,
    Header,
    Response,
    attachment_header,
)
from windrow.web.http.thread_pools import RequestPool
from windrow.web.layout.error_responses import failure_response
from windrow.web.layout.page_cache import check_index_ready, pinned_index
from windrow.web.layout.page_layout import PageLayouts
from windrow.web.sru import sru_responses
from windrow.web.sru.sru_operations import SearchOutcome, SruOperations
from windrow.web.sru.sru_pages import SruPages
from windrow.web.sru.sru_responses import ResponseRecord, write_surrogate
from windrow.web.sru.zeerex import SruLimits, render_zeerex

SRU_METHODS = ("GET", "HEAD", "POST", "OPTIONS")
MAX_BODY_BYTES = 65_536
MAX_RESPONSE_BYTES = 16_000_000  # of the records of one response; the rest is in the next one
MAX_RECORD_BYTES = 8_000_000
RESERVED_SEGMENT = "-"  # not allowed as the name of a database
_FORM = b"application/x-www-form-urlencoded"
_XML: Header = (b"content-type", b"text/xml; charset=utf-8")
_SRU_XML: Header = (b"content-type", b"application/sru+xml; charset=utf-8")
_VARY: Header = (b"vary", b"accept, accept-encoding")
_CORS: tuple[Header, ...] = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", b"GET, HEAD, POST"),
    (b"access-control-allow-headers", b"content-type"),
)
# Responses contain metadata as received: a browser must never show them as a page of this site.
_HEADERS: tuple[Header, ...] = (
    _VARY,
    NO_CACHE,
    NO_INDEX,
    attachment_header("sru.xml"),
    *FOREIGN_HEADERS,
    *_CORS,
)
_KINDS = ("text/xml", "application/xml", "application/sru+xml", "text/html", "application/xhtml+xml", "*/*")
_LOG = logging.getLogger("windrow.serve")


class SruFrontEnd:
    """The front end for the databases of one library."""

    def __init__(
        self,
        databases: Databases,
        index: Index,
        frames: PageLayouts,
        pool: RequestPool,
        *,
        limits: SruLimits | None = None,
        contact: str = "",
    ) -> None:
        self._index = index
        self._frames = frames
        self._pool = pool
        self._contact = contact
        self._operations = SruOperations(databases, frames.site.url, limits or SruLimits())
        self._pages = SruPages(frames, self._operations)
        self.site = frames.site

    async def __call__(self, request: Request, rest: str) -> Response:
        """Answer a request; `rest` is the path after `/sru`."""
        name = rest.strip("/")
        check_method(request.method, SRU_METHODS)
        if name.partition("/")[0] == RESERVED_SEGMENT:
            return _schema_of_path(name)
        if request.method == "OPTIONS":
            return Response(204, b"", [*_CORS, NO_CACHE])
        pairs = await _parse_arguments(request)
        return await self._pool.run(
            partial(self._answer, request, name, pairs), client=request.client, is_gone=request.is_gone
        )

    def tell(self, exc: Exception, request: Request) -> Response:
        """Return the response for an error raised around a request, such as a rate limit."""
        if prefers_page(request.headers.get(b"accept", b"")):
            return failure_response(exc, request, self.site)
        status, diagnostic = 200, Diagnostic(1)
        headers: tuple[Header, ...] = ()
        if isinstance(exc, HttpRefusal):
            number = 2 if exc.status in (429, 503) else 4 if exc.status == 405 else 6
            status, headers, diagnostic = exc.status, exc.headers, Diagnostic(number, str(exc))
        elif isinstance(exc, WindrowError):
            status, diagnostic = (
                exc.http_status,
                Diagnostic(2 if exc.http_status == 503 else 1, exc.sentences),
            )
        else:
            _LOG.error("%s %s failed", request.method, request.path, exc_info=exc)
        try:
            pairs = parse_query_string(request.query)
        except HttpRefusal:
            pairs = []
        body = sru_responses.write_failure(operation_of(pairs), version_of(pairs), [diagnostic])
        return Response(status, body, [_XML, *_HEADERS, *headers])

    def _answer(self, request: Request, name: str, pairs: Pairs) -> Response:
        with pinned_index(self._index):
            check_index_ready(self._index)
            is_page, kind = _prefers_html(request, pairs)
            if is_page:
                return self._pages.page(request, name, pairs)
            return Response(200, self.answer(name, pairs), [kind, *_HEADERS])

    def answer(self, name: str, pairs: Sequence[tuple[str, str]]) -> bytes:
        """Return the XML response to a request, including diagnostics."""
        try:
            database = self._operations.database(name)
            return self._operate(database, read_request(pairs))
        except SruError as exc:
            return sru_responses.write_failure(operation_of(pairs), version_of(pairs), [exc.diagnostic])

    def _operate(self, database: Database, asked: SruRequest) -> bytes:
        if asked.operation is Operation.SEARCH:
            return self._search(self._operations.search(database, asked))
        if asked.operation is Operation.SCAN:
            scanned = self._operations.scan(database, asked)
            return sru_responses.write_scan(asked, scanned.terms, scanned.places, scanned.diagnostics)
        address = self._operations.address(database.name)
        record = render_zeerex(
            database, address, asked.version, self._operations.limits, contact=self._contact
        )
        return sru_responses.write_explain(asked, record, asked.warnings)

    def _search(self, found: SearchOutcome) -> bytes:
        records: list[ResponseRecord] = []
        size = 0
        for batch in found.batches:
            for record in batch:
                written = _render_record(record, found)
                if records and size + len(written.data) > MAX_RESPONSE_BYTES:
                    return self._whole(found, records)
                records.append(written)
                size += len(written.data)
        return self._whole(found, records)

    def _whole(self, found: SearchOutcome, records: Sequence[ResponseRecord]) -> bytes:
        return sru_responses.write_search(
            found.request,
            found.total,
            records,
            following=found.following(len(records)),
            query=found.cql,
            diagnostics=found.diagnostics,
            facets=found.facets,
            links=self._operations.links(found),
        )


def _render_record(record: Record | MissingRecord, found: SearchOutcome) -> ResponseRecord:
    """Return a record in the requested schema, or a surrogate diagnostic."""
    version = found.request.version
    if isinstance(record, MissingRecord):
        return write_surrogate(Diagnostic(65), record.place, version)
    data = render_record(record, found.schema.name)
    if data is None:
        return write_surrogate(Diagnostic(67, record.identifier), record.place, version)
    if len(data) > MAX_RECORD_BYTES:
        return write_surrogate(Diagnostic(70, f"{len(data):,} bytes"), record.place, version)
    return ResponseRecord(found.schema.identifier, data, record.place, record.identifier)


def _prefers_html(request: Request, pairs: Pairs) -> tuple[bool, Header]:
    asked = dict(pairs).get("httpAccept", "").strip()
    accept = asked.encode("latin-1", "replace") if asked else request.headers.get(b"accept", b"")
    if asked and not any(kind in asked.lower() for kind in _KINDS):
        return False, _XML
    is_own = b"application/sru+xml" in accept.lower() and b"text/xml" not in accept and b"/xml" not in accept
    return prefers_page(accept), _SRU_XML if is_own else _XML


async def _parse_arguments(request: Request) -> Pairs:
    pairs = parse_query_string(request.query)
    if request.method != "POST":
        return pairs
    body = await request.body(MAX_BODY_BYTES)
    kind = request.headers.get(b"content-type", b"").split(b";")[0].strip().lower()
    if body and kind != _FORM:
        raise HttpRefusal(415, f"A POST must have its parameters as {_FORM.decode()}.")
    return pairs + parse_form_body(body)


def _schema_of_path(path: str) -> Response:
    if path == f"{RESERVED_SEGMENT}/{windrow_record.SCHEMA_FILE}":
        return Response(200, windrow_record.schema(), [_XML, *DATA_HEADERS])
    raise HttpRefusal(404, "There is nothing at this address.")
