"""`/gateway/getrecord/FORMAT/IDENTIFIER`: the metadata of a record in one format, as a page.

The addresses are those of DP9, the OAI gateway service for web crawlers. They return the same bytes to every
client: from the library, in the language of the portal, without redirects. A canonical link names the
record's own page as the one for search engines to keep.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple
from urllib.parse import quote

from windrow.config.schema import Config
from windrow.formats.dublin_core.oai_dc import write_oai_dc
from windrow.search.record_addresses import form_path, getrecord_path, record_path
from windrow.search.record_view import RecordView, find_moved, find_record
from windrow.store.published import selection
from windrow.store.published.public_records import (
    NamedRecord,
    find_by_identifier,
    find_merging_sources,
    list_formats,
)
from windrow.store.store import Store
from windrow.web.gateway.stylesheets import (
    MAX_PAYLOAD_BYTES,
    StyledMarkup,
    Stylesheet,
    StylesheetRunner,
    Stylesheets,
    StylingJob,
)
from windrow.web.http.conditional import is_unchanged, not_modified, validator_headers, weak_etag
from windrow.web.http.http_request import Request, check_read
from windrow.web.http.http_response import (
    NO_CACHE,
    PAGE_HEADERS,
    VARY_ENCODING,
    Header,
    Response,
    html_response,
)
from windrow.web.i18n.translation import get_translator, message
from windrow.web.layout.page_layout import PageLayout, PageLayouts, render_template
from windrow.web.layout.page_text import headline
from windrow.web.stale_records import ignore_view

OAI_DC = "oai_dc"  # every record has it
_MAX_PATH_LENGTH = 200  # of the client's own text that is repeated on the page
NO_RECORD = message("There is no record with this identifier.")
NO_FORMAT = message("This record is not here in that format.")
WITHDRAWN = message("Its source has withdrawn this record.")
METADATA_TOO_LONG = message("This metadata is too long to be shown here. The XML has all of it.")
NOT_SHOWN = message("This metadata cannot be shown here. The XML has all of it.")


class FormatLink(NamedTuple):
    """A link to the page of a format."""

    prefix: str
    address: str
    is_here: bool = False


class ShownRecord(NamedTuple):
    """A requested record that exists."""

    record: NamedRecord
    prefix: str
    identifier: str
    formats: tuple[str, ...]  # all formats of the record
    sheet: Stylesheet | None  # of the library's own


class MetadataView:
    """The view of `/gateway/getrecord`. `looked_at` is called for each record that is shown."""

    def __init__(
        self,
        config: Config,
        frames: PageLayouts,
        store: Store,
        *,
        looked_at: Callable[[int, str], None] = ignore_view,
        styler: StylesheetRunner | None = None,
    ) -> None:
        self._frames = frames
        self._store = store
        self._looked_at = looked_at
        self._sheets = Stylesheets(config.path)
        self._styler = styler or StylesheetRunner()
        self._tongue = get_translator(config.portal.language)

    def __call__(self, request: Request, rest: str) -> Response:
        """Return the page; `rest` is the format and the identifier, each after a slash."""
        check_read(request.method)
        prefix, _, identifier = rest.removeprefix("/").partition("/")
        with self._store.reading() as connection:
            record = find_by_identifier(connection, identifier, prefix) if identifier else None
            stored = list_formats(connection, record.number) if record else ()
        if record is None or record.is_deleted:
            return self._elsewhere(record, prefix, identifier)
        formats = tuple(dict.fromkeys((OAI_DC, *stored)))
        if prefix not in formats:
            return self._missing(404, NO_FORMAT, prefix, identifier, formats, record=record)
        self._looked_at(record.number, record.source)
        return self._answer(
            request, ShownRecord(record, prefix, identifier, formats, self._sheets.find(prefix))
        )

    def _answer(self, request: Request, shown: ShownRecord) -> Response:
        written = max(shown.sheet.written if shown.sheet else 0, self._sheets.touched())
        modified = max(shown.record.at, written, self._frames.since)
        style = shown.sheet.digest if shown.sheet else ""
        tag = weak_etag(shown.record.number, shown.record.seq, shown.prefix, style, self._frames.mark)
        if is_unchanged(request, tag, modified):
            return not_modified(tag, modified, VARY_ENCODING)
        found = find_record(self._store, shown.record.source, shown.identifier)
        if not isinstance(found, RecordView):  # deleted since the lookup
            return self._missing(410, WITHDRAWN, shown.prefix, shown.identifier, (), record=shown.record)
        key = f"{found.number} {found.seq}"
        return self._page(shown, found, key, validator_headers(tag, modified))

    def _page(self, shown: ShownRecord, found: RecordView, key: str, told: Sequence[Header]) -> Response:
        raw = found.raw(shown.prefix)
        payload = raw.data if raw is not None else write_oai_dc(found.document)
        work = StylingJob(f"{key} {shown.prefix}", payload, shown.prefix, self._tongue.code, shown.identifier)
        styled = self._styler.style(work, shown.sheet)
        path = record_path(found.source, found.identifier)
        frame, said = self._frame(path), headline(found.document, self._tongue)
        body = self._render(
            "gateway/getrecord.html",
            frame,
            title=said.short,
            description=said.description,
            canonical=frame.site.url + path,
            is_indexed=True,
            said=said,
            prefix=shown.prefix,
            identifier=shown.identifier,
            markup=styled.markup,
            problem=_styling_problem(styled, payload),
            ways=self._ways(shown.formats, shown.identifier, shown.prefix),
            page=frame.link(path),
            xml=frame.link(_raw_path(found, shown.prefix)),
        )
        # A failed stylesheet may succeed the next time, so that page must not be cached.
        return html_response(body, VARY_ENCODING, *(told if styled.is_whole else ()), is_indexed=True)

    def _elsewhere(self, record: NamedRecord | None, prefix: str, identifier: str) -> Response:
        with self._store.reading() as connection:
            sources = [record.source] if record else find_merging_sources(connection, identifier)
            formats = tuple(dict.fromkeys((OAI_DC, *sorted(selection.list_formats(connection)))))
        for source in sources:
            target = find_moved(self._store, source, identifier, to_gone=record is None)
            if target is not None:
                return self._moved(getrecord_path(prefix, target))
        if record is not None:
            return self._missing(410, WITHDRAWN, prefix, identifier, (), record=record)
        return self._missing(404, NO_RECORD, prefix, identifier, formats)

    def _moved(self, path: str) -> Response:
        location = (self._frames.site.path + path).encode("ascii", "replace")
        return Response(301, b"", [(b"location", location), NO_CACHE, *PAGE_HEADERS])

    def _missing(
        self,
        status: int,
        words: str,
        prefix: str,
        identifier: str,
        formats: Sequence[str],
        *,
        record: NamedRecord | None = None,
    ) -> Response:
        path = record_path(record.source, identifier) if record is not None else ""
        frame, say = self._frame(path or "/"), self._tongue.say
        body = self._render(
            "gateway/missing.html",
            frame,
            title=say("This record was withdrawn") if status == 410 else say("Nothing here"),
            description="",
            canonical="",
            is_indexed=False,
            words=say(words),
            prefix=prefix[:_MAX_PATH_LENGTH],
            identifier=identifier[:_MAX_PATH_LENGTH],
            ways=self._ways(formats, identifier if record is not None else ""),
            page=frame.link(path) if path else "",
        )
        return html_response(body, VARY_ENCODING, status=status)

    def _frame(self, here: str) -> PageLayout:
        """Return the layout of these pages; a change of language leads to the record's own page."""
        return PageLayout(self._frames.site, self._tongue, self._frames.looks.library, here)

    def _render(self, template: str, frame: PageLayout, **values: object) -> bytes:
        return render_template(template, spoken=frame.tongue, site=frame.site, frame=frame, **values)

    def _ways(self, formats: Sequence[str], identifier: str, here: str = "") -> list[FormatLink]:
        root = self._frames.site.path
        return [
            FormatLink(
                prefix, root + getrecord_path(prefix, identifier) if identifier else "", prefix == here
            )
            for prefix in formats
        ]


def _styling_problem(styled: StyledMarkup, payload: bytes) -> str:
    if styled.markup:
        return ""
    return METADATA_TOO_LONG if len(payload) > MAX_PAYLOAD_BYTES else NOT_SHOWN


def _raw_path(found: RecordView, prefix: str) -> str:
    """Return where the XML is: stored beside the record's page, or as OAI-PMH disseminates it."""
    if found.raw(prefix) is not None:
        return form_path("format", prefix, found.source, found.identifier)
    wanted = quote(found.identifier, safe="", errors="replace")
    return f"/oai?verb=GetRecord&metadataPrefix={quote(prefix, safe='')}&identifier={wanted}"
