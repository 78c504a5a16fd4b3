"""`/document/original/SOURCE/IDENTIFIER`: the file itself, from where it lies, whole or in part.

What a request names is looked up in the library; no path out of it ever touches the disk.
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

# What the faces ask of the folders behind a library. `wiring` hands it in: no face opens a file by
# itself.
# Whether a record may be shown is the face's business: it asks the store first, and Holdings only for
# records that are there and for everybody. No path from a request comes this far: a source and an
# identifier do.

PICTURE_PIXELS = (160, 320, 1600)  # pixels of the longer side, the only ones pictures are made in


@dataclass(frozen=True, slots=True)
class OriginalFile:
    """A file as it lies there now, open for reading. Whoever asked for it closes it."""

    file: BinaryIO  # at its beginning; it can be sought in
    size: int  # bytes, of this open file and not of what was read some day
    modified: int  # Unix seconds
    media_type: str  # by its content, when it was read
    name: str  # its own, without folders: for whoever saves it
    sha256: str = ""  # of the content; empty where it may have changed since it was read
    charset: str = ""  # of plain text, by its IANA name, where it is known


COVER_PIXELS = 320  # the size of picture that is made when a file is read


class DocumentFiles(Protocol):
    """The files behind the documents of a library. Used by many threads at once; may block."""

    def original(self, source: str, identifier: str) -> OriginalFile | None:
        """Open a document's file; None where there is none (any more)."""

    def kept_picture(self, source: str, identifier: str, *, size: int, page: int) -> bytes | None:
        """Return a picture that was made before, quickly; None where it would have to be made.

        `size` is one of SIZES; a picture for the next larger one will do. `page` counts from 1.
        """

    def make_picture(self, source: str, identifier: str, *, size: int, page: int) -> bytes | None:
        """Make a picture (JPEG, PNG or WebP) and keep it; None where the document has none.

        It may take as long as the reading of a file may; the face sees that few are made at once.
        """


def has_cover(holdings: DocumentFiles, source: str, identifier: str) -> bool:
    """Return whether a picture was found in a file when it was read, as in many sound recordings."""
    return holdings.kept_picture(source, identifier, size=COVER_PIXELS, page=1) is not None


# What a request under `/document` names: a record that is there, and for everybody.

NO_DOCUMENT = "There is no such document."
WITHDRAWN = "This document was withdrawn."


def parse_document_path(rest: str) -> tuple[str, str, str]:
    """Return part, source and identifier from `/PART/SOURCE/IDENTIFIER`; each may be empty."""
    part, _, named = rest.removeprefix("/").partition("/")
    source, _, identifier = named.partition("/")
    return part, source, identifier


def check_public_record(store: Store, source: str, identifier: str) -> RecordGlance:
    """Return the state of a record; Refused as its own page would be where it is gone, hidden or none."""
    state = find_state(store, source, identifier) if source and identifier else None
    if state is None:
        raise HttpRefusal(404, NO_DOCUMENT)
    if state.is_deleted:
        raise HttpRefusal(410, WITHDRAWN)
    return state


# An open file on its way to a client, piece by piece: read in threads, at the client's own pace.

PIECE_BYTES = 128 * 1024


class FilePieces:
    """The bytes of one part of a file. Closes the file in the end."""

    def __init__(self, file: BinaryIO, part: ByteRange) -> None:
        self._file = file
        self._first = part.first
        self._left = part.size
        self._has_begun = False

    def __iter__(self) -> FilePieces:
        return self

    def __next__(self) -> bytes:
        """Return the next piece. A file that became shorter meanwhile ends the connection, not the answer."""
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
        """Let go of the file."""
        self._file.close()


# On what terms a browser gets a stranger's file: as what, shown or saved, and what it may do. Pure.
# The file lies at the portal's own origin. Whatever could run script there is only ever saved, under a
# type that no browser opens, and all of it in a sandbox.

UNKNOWN = "application/octet-stream"
PDF = "application/pdf"
_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,80}/[a-z0-9][a-z0-9!#$&^_.+-]{0,80}")
_CHARSET = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+-]{0,40}")
_AS_TEXT = frozenset(("text/plain", "text/markdown", "text/csv", "text/tab-separated-values"))
_PLAYED = ("audio/", "video/")
_SHOWN = ("image/", *_PLAYED)
# Browsers read these as pages, or as parts of pages.
_ACTIVE = re.compile(r"(?:text|message|multipart)/.*|.*[/+]xml|.*(?:html|javascript|ecmascript|flash).*")
_MAX_NAME_LENGTH = 150  # letters; file systems end at 255 bytes
_UNSAFE_IN_NAME = re.compile(r'["\\/:*?<>|%\r\n\t]|[^\x20-\x7e]')
# Where a name is written the other way round, .exe can look like .pdf; and a name is on one line.
_MISLEADING = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\r\n\t]")
# Inline styles are the browser's own, with which it lays out a picture or a player.
_CONTENT_POLICY = (
    b"default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; base-uri 'none';"
    b" form-action 'none'; frame-ancestors 'self'; sandbox"
)
# A browser's own player asks for the file again, which it may only from the same origin. Scripts stay out.
_PLAYER_POLICY = _CONTENT_POLICY + b" allow-same-origin"
# Many a browser's viewer of PDF does not open in a sandbox. What a PDF can run, it runs inside that viewer.
_PDF_POLICY = (
    b"default-src 'none'; object-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline';"
    b" base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)


class ServingTerms(NamedTuple):
    """How a file is handed over."""

    content_type: str
    is_shown: bool  # in the browser; else it is saved

    def headers(self, name: str) -> list[Header]:
        """Return the headers that say so."""
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
    """Return the terms for a file of a media type."""
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
    """Name the file for whoever saves it (RFC 6266): in plain letters, and as it is really called."""
    called = _MISLEADING.sub("", strip_invisible(name)).strip(". ")[-_MAX_NAME_LENGTH:] or "document"
    plain = _UNSAFE_IN_NAME.sub("_", called)
    way = "inline" if is_shown else "attachment"
    exact = quote(called, safe="!#$&+-.^_`|~", errors="replace")
    return f"{way}; filename=\"{plain}\"; filename*=UTF-8''{exact}".encode("ascii")


MAX_TRANSFERS = 64  # files that are on their way at a time
MAX_TRANSFERS_IN_MEMORY = (
    4  # of those that were taken out of an archive, each of which is in memory as a whole
)
_ACCEPT_RANGES: Header = (b"accept-ranges", b"bytes")


class OriginalFiles:
    """Answers with files. Blocks while it looks for one, not while it is sent."""

    def __init__(self, store: Store, holdings: DocumentFiles, *, at_once: int = MAX_TRANSFERS) -> None:
        self._store = store
        self._holdings = holdings
        in_memory = min(at_once, MAX_TRANSFERS_IN_MEMORY)
        self._turns = StreamSlots(at_once, most_of_one=_max_per_client(at_once))
        self._memory_turns = StreamSlots(in_memory, most_of_one=_max_per_client(in_memory))

    def __call__(self, request: Request, source: str, identifier: str) -> Response:
        """Return a document's file, or what is asked for of it."""
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
    """How many of the files on their way may be one client's: it leaves some, however slowly it reads."""
    return max(1, at_once * 3 // 4)


def _file_etag(original: OriginalFile) -> bytes:
    """A strong tag: by the content where that is known, and by what changes with it."""
    return f'"{fingerprint(original.sha256, original.size, original.modified)}"'.encode()
