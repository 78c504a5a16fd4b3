"""The page of one record: description, files, citations and provenance.

The same address also serves its raw formats (`?format=`), its description for programs, and what takes long
to make and is rarely viewed (`?as=`). Pages link these forms under `/form/`, which robots.txt disallows.
Crawlers return again and again, so a conditional request costs a single small query of the store.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from urllib.parse import urlencode

from windrow.formats.page_metadata.meta_tags import render_head
from windrow.search.citations import STYLES, cite_all
from windrow.search.record_addresses import form_path, record_path
from windrow.search.record_view import (
    DeletedRecord,
    RecordView,
    find_moved,
    find_record,
    find_small,
    find_state,
)
from windrow.web.http.conditional import is_unchanged, not_modified, validator_headers, weak_etag
from windrow.web.http.http_request import HttpRefusal, Request, parse_query_string
from windrow.web.http.http_response import (
    FOREIGN_HEADERS,
    NO_CACHE,
    NO_INDEX,
    PAGE_HEADERS,
    Header,
    Response,
    attachment_header,
)
from windrow.web.i18n.translation import message
from windrow.web.i18n.value_labels import datestamp_label
from windrow.web.layout.page_layout import VARY_PAGE, PageLayout, render_page
from windrow.web.layout.page_text import headline
from windrow.web.portal.portal_context import PortalContext
from windrow.web.portal.portal_downloads import RECORD_FORMATS, download_record, file_stem
from windrow.web.portal.record_comparison import compare_path
from windrow.web.portal.record_description import describe_record
from windrow.web.portal.record_files import with_file_addresses
from windrow.web.portal.signposting import LINKSETS, back_link, link_header, linkset_response

MAX_SIMILAR_RECORDS = 5
HISTORY_WORDS: Mapping[str, str] = {
    "added": message("came into the library"),
    "changed": message("its metadata changed"),
    "deleted": message("was deleted by its source"),
    "restored": message("came back"),
    "sets": message("moved to other sets"),
    "format": message("came in a further format"),
}
_STYLES = ", ".join(style.title for style in STYLES.values())
_XML: Header = (b"content-type", b"text/xml; charset=utf-8")
_CONDITIONS = (b"if-none-match", b"if-modified-since")
# Bytes of metadata: a page made from no more delays other requests by about two milliseconds.
DIRECT_BYTES = 32_768


class RecordFrontEnd:
    """The front end for `/record`: answers on the event loop what is quickly made, else in threads."""

    def __init__(self, pages: RecordPageView, door: Callable[[Request, str], Awaitable[Response]]) -> None:
        self._pages = pages
        self._door = door
        self._has_made_one = False  # in this iteration of the event loop

    async def __call__(self, request: Request, rest: str) -> Response:
        # Without a thread, because switching threads takes longer than making a 304 and is a
        # good part of the cost of a page. But only one request per iteration of the event loop,
        # since all others wait meanwhile.
        if self._has_made_one:
            return await self._door(request, rest)
        found = self._pages.at_once(request, rest)
        if found is None:
            return await self._door(request, rest)
        self._has_made_one = True
        asyncio.get_running_loop().call_soon(self._begin_round)
        return found

    def _begin_round(self) -> None:
        self._has_made_one = False


class RecordFormView:
    """The view of `/form/as/NAME`, `/form/format/PREFIX` and `/form/compare`."""

    def __init__(self, page: RecordPageView, compare: Callable[[Request, str], Response]) -> None:
        self._page = page
        self._compare = compare

    def __call__(self, request: Request, rest: str) -> Response:
        kind, _, named = rest.removeprefix("/").partition("/")
        name, _, record = named.partition("/")
        if kind == "compare":
            return self._compare(request, named)
        if kind not in ("as", "format") or not name:
            raise HttpRefusal(404, "There is nothing at this address.")
        return self._page(replace(request, query=urlencode({kind: name}).encode()), record)


class RecordPageView:
    """The view of `/record/SOURCE/IDENTIFIER`."""

    def __init__(self, room: PortalContext) -> None:
        self._room = room

    def at_once(self, request: Request, rest: str) -> Response | None:
        """Return a page that is quickly made, or a 304; None for everything else."""
        if request.query or request.method not in ("GET", "HEAD"):
            return None
        source, identifier = _parse_record_path(rest)
        if any(name in request.headers for name in _CONDITIONS):
            unchanged = self._unchanged(request, source, identifier)
            if unchanged is not None:
                return unchanged
        found = find_small(self._room.store, source, identifier, most_bytes=DIRECT_BYTES)
        return (
            None if found is None else self._shown(request, self._frame(request, source, identifier), found)
        )

    def _unchanged(self, request: Request, source: str, identifier: str) -> Response | None:
        state = find_state(self._room.store, source, identifier)
        if state is None or state.is_deleted:
            return None
        tag = self._tag(state.seq, self._room.frames.spoken(request).code)
        modified = self._modified(state.at)
        if not is_unchanged(request, tag, modified):
            return None
        self._room.looked_at(state.number, source)
        return not_modified(tag, modified, VARY_PAGE)

    def __call__(self, request: Request, rest: str) -> Response:
        source, identifier = _parse_record_path(rest)
        found = find_record(self._room.store, source, identifier) if source and identifier else None
        if not isinstance(found, RecordView):
            target = find_moved(self._room.store, source, identifier, to_gone=found is None)
            if target is not None:
                return self._moved(request, record_path(source, target))
        if found is None:
            raise HttpRefusal(404, "There is no such record.")
        frame = self._frame(request, source, identifier)
        if isinstance(found, DeletedRecord):
            tag = self._tag(found.seq, frame.tongue.code)
            return _withdrawn_page(
                frame, found, *validator_headers(tag, self._modified(found.changed.timestamp()))
            )
        return self._shown(request, frame, found)

    def _frame(self, request: Request, source: str, identifier: str) -> PageLayout:
        return self._room.frames.frame(request, here=record_path(source, identifier))

    def _shown(self, request: Request, frame: PageLayout, found: RecordView) -> Response:
        pairs = dict(parse_query_string(request.query))
        found = with_file_addresses(found, frame.site.url)
        if "format" not in pairs and pairs.get("as") == "similar":
            return self._similar(frame, found)  # depends on all other records too
        response = self._wanted(frame, found, pairs)
        tag, modified = self._told_by(found, frame, pairs)
        if is_unchanged(request, tag, modified):  # only now, because an error is never a 304
            return not_modified(tag, modified, *(each for each in response.headers if each[0] == b"vary"))
        response.headers += validator_headers(tag, modified)
        return response

    def _wanted(self, frame: PageLayout, found: RecordView, pairs: Mapping[str, str]) -> Response:
        url, name = frame.site.url, pairs.get("as")
        if "format" in pairs:
            return _raw_payload(found, pairs["format"], back_link(found, url))
        if name is None:
            return self._page(frame, found)
        if name == "citations":
            return _citations_page(frame, found)
        if name in LINKSETS:
            return linkset_response(found, name, url)
        return download_record(found, name, back_link(found, url))

    def _page(self, frame: PageLayout, found: RecordView) -> Response:
        self._room.looked_at(found.number, found.source)
        ways = self._room.ways(frame)
        described = describe_record(found, frame, ways, self._room.has_cover)
        path = record_path(found.source, found.identifier)
        return render_page(
            frame,
            "portal/record.html",
            link_header(found, frame.site.url),
            title=described.called.short,
            description=described.called.description,
            canonical=path,
            is_indexed=True,
            told=render_head(found.document, frame.site.url + path, site_name=frame.site.title),
            record=found,
            stamp=datestamp_label(found.stamp, frame.tongue),
            described=described,
            compare=frame.link(compare_path((found.source, found.identifier))),
            styles=_STYLES,
            downloads=RECORD_FORMATS,
            happenings=HISTORY_WORDS,
            form=lambda kind, name: frame.link(form_path(kind, name, found.source, found.identifier)),
            ways=ways,
        )

    def _similar(self, frame: PageLayout, found: RecordView) -> Response:
        ways = self._room.ways(frame)
        return render_page(
            frame,
            "portal/similar.html",
            title=frame.tongue.say("Similar records"),
            name=headline(found.document, frame.tongue).title,
            similar=self._room.index.similar(found.number, limit=MAX_SIMILAR_RECORDS),
            back=frame.link(frame.here),
            compare=lambda card: frame.link(
                compare_path((found.source, found.identifier), (card.source, card.identifier))
            ),
            ways=ways,
        )

    def _moved(self, request: Request, path: str) -> Response:
        """Redirect to the record that this one was merged into, keeping the query."""
        query = b"?" + request.query if request.query else b""
        location = self._room.frames.site.path.encode() + path.encode() + query
        return Response(301, b"", [(b"location", location), NO_CACHE, *PAGE_HEADERS])

    def _told_by(self, found: RecordView, frame: PageLayout, pairs: Mapping[str, str]) -> tuple[bytes, int]:
        """Return the validators of the response. Raw metadata depends on neither layout nor language."""
        if "format" in pairs:
            return weak_etag(found.seq, pairs["format"]), int(found.changed.timestamp())
        return self._tag(found.seq, frame.tongue.code), self._modified(found.shown.timestamp())

    def _tag(self, seq: int, code: str) -> bytes:
        return weak_etag(seq, code, self._room.frames.mark)

    def _modified(self, at: float) -> int:
        """Return when a page last changed: its record, or the layout of all pages."""
        return max(int(at), self._room.frames.since)


def _parse_record_path(rest: str) -> tuple[str, str]:
    source, _, identifier = rest.removeprefix("/").partition("/")
    return source, identifier


def _citations_page(frame: PageLayout, found: RecordView) -> Response:
    """Return the page of formatted references, which cost too much to be on every page for crawlers."""
    cited = [(STYLES[each.style].title, each) for each in cite_all(found.document)]
    return render_page(
        frame,
        "portal/citations.html",
        title=frame.tongue.say("Cite"),
        name=headline(found.document, frame.tongue).title,
        citations=cited,
        back=frame.link(frame.here),
    )


def _withdrawn_page(frame: PageLayout, found: DeletedRecord, *headers: Header) -> Response:
    """Return the page (410) for a record that its source has deleted."""
    title = frame.tongue.say("This record was withdrawn")
    return render_page(
        frame, "portal/gone.html", *headers, title=title, gone=found, happenings=HISTORY_WORDS, status=410
    )


def _raw_payload(found: RecordView, prefix: str, *headers: Header) -> Response:
    raw = found.raw(prefix)
    if raw is None:
        known = ", ".join(each.prefix for each in found.raws)
        raise HttpRefusal(404, f"This record is not here in that format. There are: {known}.")
    saved = attachment_header(f"{file_stem(found.identifier)}.{file_stem(prefix)}.xml")
    return Response(200, raw.data, [_XML, saved, NO_CACHE, NO_INDEX, *FOREIGN_HEADERS, *headers])
