"""Downloads: one record (BibTeX, RIS, CSL JSON, JSON), and results as `/search.csv` and feeds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from windrow.errors import QueryTooCostly, UsageError
from windrow.exports.entries import as_dict
from windrow.formats.citations.bibtex import write_bibtex
from windrow.formats.citations.csl_json import write_csl_json
from windrow.formats.citations.ris import write_ris
from windrow.search.record_view import RecordView
from windrow.search.result_export import FORMATS, ExportFile, export
from windrow.web.http.clients import client_prefix
from windrow.web.http.http_request import HttpRefusal, Request, parse_query_string
from windrow.web.http.http_response import (
    DATA_HEADERS,
    NO_CACHE,
    NO_INDEX,
    Header,
    Response,
    attachment_header,
)
from windrow.web.http.thread_pools import StreamSlots, ThreadPool
from windrow.web.i18n.translation import message
from windrow.web.portal.portal_context import PortalContext

_UNSAFE = re.compile(r"[^A-Za-z0-9]+")
_MAX_STEM_LENGTH = 60


class RecordFormat(NamedTuple):
    """A file format: title, media type and the function that writes it."""

    title: str
    media_type: str
    write: Callable[[RecordView], str]


def _result_format(suffix: str, write: Callable[[RecordView], str]) -> RecordFormat:
    """Return a format in which whole results can be downloaded too."""
    return RecordFormat(FORMATS[suffix].title, FORMATS[suffix].media_type, write)


def _encode_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _complete_document(found: RecordView) -> dict[str, object]:
    return {
        "identifier": found.identifier,
        "source": found.source,
        "datestamp": found.stamp,
        "sets": [each.spec for each in found.sets],
        "document": as_dict(found.document),
    }


RECORD_FORMATS: Mapping[str, RecordFormat] = {
    "bib": _result_format("bib", lambda found: write_bibtex(found.document, found.identifier)),
    "ris": _result_format("ris", lambda found: write_ris(found.document, found.identifier)),
    "csl.json": _result_format(
        "csl.json", lambda found: _encode_json([write_csl_json(found.document, found.identifier)])
    ),
    "json": RecordFormat("JSON", "application/json", lambda found: _encode_json(_complete_document(found))),
}


def file_stem(text: str) -> str:
    """Return a file name made from an identifier or prefix."""
    return _UNSAFE.sub("-", text).strip("-")[-_MAX_STEM_LENGTH:] or "record"


def download_record(found: RecordView, name: str, *more: Header) -> Response:
    """Return a record in a format; raise HttpRefusal (404) for an unknown one."""
    kind = RECORD_FORMATS.get(name)
    if kind is None:
        raise HttpRefusal(404, f"A record can be had as {', '.join(RECORD_FORMATS)}.")
    headers: list[Header] = [
        (b"content-type", kind.media_type.encode()),
        attachment_header(f"{file_stem(found.identifier)}.{name}"),
    ]
    headers += more
    body = kind.write(found).encode("utf-8", "replace")
    return Response(200, body, [*headers, NO_CACHE, NO_INDEX, *DATA_HEADERS])


# Result files are written while they are sent; feeds are paged.

MAX_EXPORTS = 2  # of all clients together: each reads whole records as fast as it can
MAX_EXPORTS_PER_CLIENT = 1
# An export that waits for a slow reader costs nothing: this many may be open without blocking others.
MAX_OPEN_EXPORTS = 32
SLOW_SECONDS = 2.0
MAX_FEEDS = 8
MAX_FEEDS_PER_CLIENT = 4
EXPORT_RETRY_SECONDS = 30
EXPORTS_BUSY = message(
    "Other results are being saved at the moment. Try again in half a minute; each network can save one"
    " result at a time."
)
FEED = "atom"
SUFFIXES = tuple(FORMATS)
EXPORTS = tuple((each.title, f"/search.{name}") for name, each in FORMATS.items() if name != FEED)


class ResultExport:
    """The view of `/search.SUFFIX`."""

    def __init__(self, room: PortalContext, suffix: str, turns: StreamSlots, crew: ThreadPool) -> None:
        self._room = room
        self._suffix = suffix
        self._turns = turns
        self._crew = crew

    def __call__(self, request: Request, rest: str) -> Response:
        if rest.strip("/"):
            raise HttpRefusal(404, "There is nothing at this address.")
        room, suffix = self._room, self._suffix
        is_feed = suffix == FEED
        question, frame = room.asked_of_feed(request) if is_feed else room.asked_of_file(request)
        cursor = dict(parse_query_string(request.query)).get("cursor", "").strip() or None
        site, title = frame.site.url, frame.look.title
        most = room.config.portal.export_records
        try:
            made = export(
                question, room.index, room.store, suffix, site=site, title=title, most=most, after=cursor
            )
        except QueryTooCostly:
            raise
        except UsageError as exc:
            raise HttpRefusal(
                400, "No page of this feed gave such a cursor. Start with its first page."
            ) from exc
        pieces = self._turns.take(made.pieces, client_prefix(request.client))
        if pieces is None:
            raise HttpRefusal(
                503, EXPORTS_BUSY, headers=[(b"retry-after", str(EXPORT_RETRY_SECONDS).encode())]
            )
        kind = FORMATS[suffix].media_type
        headers = [(b"content-type", kind.encode()), NO_CACHE, NO_INDEX, *DATA_HEADERS]
        if not is_feed:
            headers += _disposition(made, suffix)
        return Response(200, b"", headers, pieces, self._crew)


def _disposition(made: ExportFile, suffix: str) -> list[Header]:
    """Return the headers for a file; the name of a cut one states that, for formats without comments."""
    name = f"results-first-{made.records}-of-{made.total}" if made.is_cut else "results"
    return [
        (b"content-disposition", f'attachment; filename="{name}.{suffix}"'.encode()),
        (b"x-total-records", str(made.total).encode()),
        (b"x-exported-records", str(made.records).encode()),
    ]
