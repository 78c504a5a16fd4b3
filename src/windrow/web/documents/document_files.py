"""`/document/original/SOURCE/IDENTIFIER`: the original file, whole or in part (byte ranges).

`DocumentFiles` is the interface to the folders and archives behind a library, and `ServingTerms` the headers
under which a browser gets a file of unknown origin. The source and identifier of a request are looked up in
the store; no path from a request ever reaches the file system.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO, NamedTuple, Protocol
from urllib.parse import quote

from windrow.model.text.safe_text import strip_invisible
from windrow.search.record_view import find_state
from windrow.store.published.public_records import RecordGlance
from windrow.store.store import Store
from windrow.web.http.clients import client_prefix
from windrow.web.http.conditional import (
    ByteRange,
    UnsatisfiableRange,
    fails_precondition,
    fingerprint,
    is_unchanged,
    matches_if_range,
    not_modified,
    parse_range,
    validator_headers,
)
from windrow.web.http.http_request import HttpRefusal, Request
from windrow.web.http.http_response import NO_CACHE, Header, Response, text_response
from windrow.web.http.thread_pools import StreamSlots

# `wiring` passes an implementation in: no front end opens a file directly. Whether a record may be shown is
# the front end's business: it asks the store first, and `DocumentFiles` only for public records.

PICTURE_PIXELS = (160, 320, 1600)  # pixels of the longer side, the only sizes that are made


@dataclass(frozen=True, slots=True)
class OriginalFile:
    """An original file as it is now, open for reading. The caller closes it."""

    file: BinaryIO  # at its beginning, seekable
    size: int  # bytes of this open file, not of the file that was indexed
    modified: int  # Unix seconds
    media_type: str  # by its content when it was indexed
    name: str  # its own name without folders, used when it is saved
    sha256: str = ""  # of the content; empty where it may have changed since it was indexed
    charset: str = ""  # of plain text, by its IANA name, where known


COVER_PIXELS = 320  # the size of picture made while a file is indexed


class DocumentFiles(Protocol):
    """The files behind the documents of a library. Thread-safe; methods may block."""

    def original(self, source: str, identifier: str) -> OriginalFile | None:
        """Open a document's file; None if there is none (any more)."""

    def kept_picture(self, source: str, identifier: str, *, size: int, page: int) -> bytes | None:
        """Return a picture made earlier, quickly; None where it would have to be made.

        `size` is one of PICTURE_PIXELS; the next larger size may be returned. `page` counts from 1.
        """

    def make_picture(self, source: str, identifier: str, *, size: int, page: int) -> bytes | None:
        """Make a picture (JPEG, PNG or WebP) and keep it; None where the document has none.

        This may take as long as indexing a file. The caller limits how many are made at a time.
        """


def has_cover(holdings: DocumentFiles, source: str, identifier: str) -> bool:
    """Return whether a picture was found when the file was indexed, as in many sound recordings."""
    return holdings.kept_picture(source, identifier, size=COVER_PIXELS, page=1) is not None


# Paths under `/document` name a record, which must be present and public.

NO_DOCUMENT = "There is no such document."
WITHDRAWN = "This document was withdrawn."


def parse_document_path(rest: str) -> tuple[str, str, str]:
    """Split `/PART/SOURCE/IDENTIFIER`; each may be empty."""
    part, _, named = rest.removeprefix("/").partition("/")
    source, _, identifier = named.partition("/")
    return part, source, identifier


def check_public_record(store: Store, source: str, identifier: str) -> RecordGlance:
    """Return the state of a record; raise HttpRefusal if it is deleted, hidden or unknown."""
    state = find_state(store, source, identifier) if source and identifier else None
    if state is None:
        raise HttpRefusal(404, NO_DOCUMENT)
    if state.is_deleted:
        raise HttpRefusal(410, WITHDRAWN)
    return state


PIECE_BYTES = 128 * 1024


class FilePieces:
    """One range of a file in pieces, read in threads as the client reads. Closes the file at the end."""

    def __init__(self, file: BinaryIO, part: ByteRange) -> None:
        self._file = file
        self._first = part.first
        self._left = part.size
        self._has_begun = False

    def __iter__(self) -> FilePieces:
        return self

    def __next__(self) -> bytes:
        """Return the next piece. If the file became shorter meanwhile, abort the connection."""
        if not self._left:
            raise StopIteration
        if not self._has_begun:
            self._file.seek(self._first)
            self._has_begun = True
        piece = self._file.read(min(PIECE_BYTES, self._left))
        if not piece:  # half a file must not look like a whole one
            raise ConnectionAbortedError("the file became shorter while it was sent")
        self._left -= len(piece)
        return piece

    def close(self) -> None:
        self._file.close()


# A file from an unknown source has the portal's own origin. Types that could run script there are only ever
# saved, under a type that no browser opens, and everything is served in a sandbox.

UNKNOWN = "application/octet-stream"
PDF = "application/pdf"
_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,80}/[a-z0-9][a-z0-9!#$&^_.+-]{0,80}")
_CHARSET = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+-]{0,40}")
_AS_TEXT = frozenset(("text/plain", "text/markdown", "text/csv", "text/tab-separated-values"))
_PLAYED = ("audio/", "video/")
_SHOWN = ("image/", *_PLAYED)
# Browsers open these as pages, or as parts of pages.
_ACTIVE = re.compile(r"(?:text|message|multipart)/.*|.*[/+]xml|.*(?:html|javascript|ecmascript|flash).*")
_MAX_NAME_LENGTH = 150  # letters; file systems end at 255 bytes
_UNSAFE_IN_NAME = re.compile(r'["\\/:*?<>|%\r\n\t]|[^\x20-\x7e]')
# With right-to-left override characters, .exe can look like .pdf; and a file name is one line.
_MISLEADING = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\r\n\t]")
# Inline styles are the browser's own, with which it lays out a picture or a player.
_CONTENT_POLICY = (
    b"default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; base-uri 'none';"
    b" form-action 'none'; frame-ancestors 'self'; sandbox"
)
# The browser's own player requests the file again, which needs the same origin. Scripts stay blocked.
_PLAYER_POLICY = _CONTENT_POLICY + b" allow-same-origin"
# The PDF viewers of many browsers do not open in a sandbox. Scripts in a PDF run inside that viewer.
_PDF_POLICY = (
    b"default-src 'none'; object-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline';"
    b" base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)


class ServingTerms(NamedTuple):
    """The media type, disposition and content policy of a file."""

    content_type: str
    is_shown: bool  # in the browser; otherwise it is saved

    def headers(self, name: str) -> list[Header]:
        return [
            (b"content-type", self.content_type.encode("ascii")),
            (b"content-disposition", _content_disposition(name, is_shown=self.is_shown)),
            (b"content-security-policy", self._fence()),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"no-referrer"),
        ]

    def _fence(self) -> bytes:
        if self.content_type == PDF:
            return _PDF_POLICY
        return _PLAYER_POLICY if self.content_type.startswith(_PLAYED) else _CONTENT_POLICY


def serving_terms(media_type: str, charset: str = "") -> ServingTerms:
    kind = media_type.partition(";")[0].strip().lower()
    if not _TYPE.fullmatch(kind):
        return ServingTerms(UNKNOWN, is_shown=False)
    if kind in _AS_TEXT:
        declared = f"; charset={charset}" if _CHARSET.fullmatch(charset) else ""
        return ServingTerms(f"text/plain{declared}", is_shown=True)
    if _ACTIVE.fullmatch(kind):
        return ServingTerms(UNKNOWN, is_shown=False)
    return ServingTerms(kind, is_shown=kind == PDF or kind.startswith(_SHOWN))


def _content_disposition(name: str, *, is_shown: bool) -> bytes:
    """Return a Content-Disposition with the file's name (RFC 6266), both as plain ASCII and exact."""
    called = _MISLEADING.sub("", strip_invisible(name)).strip(". ")[-_MAX_NAME_LENGTH:] or "document"
    plain = _UNSAFE_IN_NAME.sub("_", called)
    way = "inline" if is_shown else "attachment"
    exact = quote(called, safe="!#$&+-.^_`|~", errors="replace")
    return f"{way}; filename=\"{plain}\"; filename*=UTF-8''{exact}".encode("ascii")


MAX_TRANSFERS = 64  # files being sent at a time
MAX_TRANSFERS_IN_MEMORY = 4  # of files extracted from an archive, each of which is wholly in memory
_ACCEPT_RANGES: Header = (b"accept-ranges", b"bytes")


class OriginalFiles:
    """The view of original files. Looking a file up blocks; sending it does not."""

    def __init__(self, store: Store, holdings: DocumentFiles, *, at_once: int = MAX_TRANSFERS) -> None:
        self._store = store
        self._holdings = holdings
        in_memory = min(at_once, MAX_TRANSFERS_IN_MEMORY)
        self._turns = StreamSlots(at_once, most_of_one=_max_per_client(at_once))
        self._memory_turns = StreamSlots(in_memory, most_of_one=_max_per_client(in_memory))

    def __call__(self, request: Request, source: str, identifier: str) -> Response:
        check_public_record(self._store, source, identifier)
        original = self._holdings.original(source, identifier)
        if original is None:
            raise HttpRefusal(404, "The file of this document cannot be read at the moment.")
        try:
            response = self._answer(request, original)
        except BaseException:
            original.file.close()
            raise
        if response.pieces is None:
            original.file.close()
        return response

    def _answer(self, request: Request, original: OriginalFile) -> Response:
        tag = _file_etag(original)
        told = validator_headers(tag, original.modified)
        if fails_precondition(request, tag, original.modified):
            return text_response(412, "The file has changed.", *told)
        if is_unchanged(request, tag, original.modified):
            return not_modified(tag, original.modified)
        asked = request.headers.get(b"range") if request.method == "GET" else None
        part = (
            parse_range(asked, original.size) if matches_if_range(request, tag, original.modified) else None
        )
        if isinstance(part, UnsatisfiableRange):
            extent = (b"content-range", f"bytes */{original.size}".encode())
            return text_response(416, "The file ends before that.", extent, _ACCEPT_RANGES)
        return self._send(original, part, told, client_prefix(request.client))

    def _send(
        self, original: OriginalFile, part: ByteRange | None, told: tuple[Header, ...], client: str
    ) -> Response:
        whole = ByteRange(0, original.size - 1)
        turns = self._memory_turns if isinstance(original.file, BytesIO) else self._turns
        pieces = turns.take(FilePieces(original.file, part or whole), client)
        if pieces is None:
            busy = "Many files are being sent at the moment. Try again in a few seconds."
            raise HttpRefusal(503, busy, headers=[(b"retry-after", b"5")])
        length = (b"content-length", str((part or whole).size).encode())
        headers = [*serving_terms(original.media_type, original.charset).headers(original.name), *told]
        headers += [NO_CACHE, _ACCEPT_RANGES, length]
        if part is not None:
            extent = f"bytes {part.first}-{part.last}/{original.size}"
            headers.append((b"content-range", extent.encode()))
        return Response(200 if part is None else 206, b"", headers, pieces)


def _max_per_client(at_once: int) -> int:
    """Return how many transfers one client may have: never all of them, however slowly it reads."""
    return max(1, at_once * 3 // 4)


def _file_etag(original: OriginalFile) -> bytes:
    """Return a strong entity tag, from the content hash where known and from size and time."""
    return f'"{fingerprint(original.sha256, original.size, original.modified)}"'.encode()
