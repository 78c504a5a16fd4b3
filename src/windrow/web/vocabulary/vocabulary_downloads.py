"""Downloads of vocabularies and concepts: SKOS in four serialisations, Zthes, and a table.

A whole vocabulary is written to disk by a thread as fast as possible, and sent from there at the pace of the
reader: otherwise a reader who takes hours would hold a transaction open and block the store's housekeeping.
"""

from __future__ import annotations

import io
import os
import tempfile
import threading
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import IO, Any, NamedTuple, cast

from windrow.model.thesaurus import Concept
from windrow.store.store import Store
from windrow.vocabularies import skos, vocabulary_files
from windrow.vocabularies.vocabulary_directory import SUFFIXES, PublishedVocabulary
from windrow.vocabularies.vocabulary_files import CSV, MEDIA_TYPES, ZTHES, export_vocabulary
from windrow.vocabularies.zthes import write_zthes
from windrow.web.http.clients import client_prefix
from windrow.web.http.http_request import HttpRefusal, Request
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

MAX_DOWNLOADS = 2
MAX_OPEN_DOWNLOADS = 16
DOWNLOAD_RETRY_SECONDS = 30
DOWNLOADS_BUSY = message(
    "Other vocabularies are being downloaded at the moment. Try again in half a minute; each network can"
    " download one at a time."
)
MAX_NARROWER = 1_000  # of one concept, in its own file
PIECE_BYTES = 64 * 1024
FORMAT_TITLES = {
    "ttl": "SKOS, Turtle",
    "rdf": "SKOS, RDF/XML",
    "jsonld": "SKOS, JSON-LD",
    "nt": "SKOS, N-Triples",
    ZTHES: "Zthes",
    CSV: "CSV",
}
NO_RDF = "This server cannot write RDF: it lacks pyoxigraph. There are .xml (Zthes) and .csv."


class DownloadFormat(NamedTuple):
    """A format that can be downloaded."""

    title: str
    suffix: str
    media_type: str


def download_formats(*, is_whole: bool = True) -> list[DownloadFormat]:
    """Return the formats that this server can write; a table only of a whole vocabulary."""
    has_rdf = find_spec("pyoxigraph") is not None
    return [
        DownloadFormat(FORMAT_TITLES[kind], suffix, MEDIA_TYPES[kind])
        for suffix, kind in SUFFIXES.items()
        if (has_rdf or kind not in vocabulary_files.RDF_FORMATS) and (is_whole or kind != CSV)
    ]


class VocabularyDownloads:
    """The view of downloads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._turns = StreamSlots(MAX_DOWNLOADS, most_of_one=1, most_open=MAX_OPEN_DOWNLOADS)
        self._crew = ThreadPool(at_once=MAX_DOWNLOADS, name="vocabulary-file")

    def whole(self, request: Request, place: PublishedVocabulary, suffix: str) -> Response:
        kind = _media_type(suffix, is_whole=True)

        def write(file: IO[bytes]) -> None:
            export_vocabulary(place.view, self._store, file, kind)

        pieces = self._turns.take(SpooledFile(write), client_prefix(request.client))
        if pieces is None:
            raise HttpRefusal(
                503, DOWNLOADS_BUSY, headers=[(b"retry-after", str(DOWNLOAD_RETRY_SECONDS).encode())]
            )
        return Response(200, b"", _headers(kind, f"{place.name}{suffix}"), pieces, self._crew)

    def one(self, place: PublishedVocabulary, concept: Concept, suffix: str) -> Response:
        kind, file = _media_type(suffix, is_whole=False), io.BytesIO()
        if kind == ZTHES:
            write_zthes(
                [concept], file, neighbours=place.view.neighbours, languages=place.vocabulary.languages[:1]
            )
        else:
            vocabulary_files.write_rdf(skos.triples([_with_neighbours(place, concept)]), file, kind)
        return Response(200, file.getvalue(), _headers(kind, ""))


class SpooledFile:
    """A file in pieces, read from disk while a thread writes it. The thread starts with the first piece."""

    def __init__(self, write: Callable[[IO[bytes]], None]) -> None:
        self._write = write
        self._changed = threading.Condition()
        self._file: IO[bytes] | None = None
        self._written = self._read = 0
        self._is_done = self._is_closed = False
        self._failure: BaseException | None = None

    def __iter__(self) -> SpooledFile:
        return self

    def __next__(self) -> bytes:
        """Return the next piece; raise the writer's exception if it failed."""
        if self._file is None:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed after writer and reader
            threading.Thread(target=self._run, args=(self._file,), daemon=True).start()
        with self._changed:
            self._changed.wait_for(lambda: self._is_done or self._written > self._read)
            if self._written == self._read:
                if self._failure is not None:
                    raise ConnectionAbortedError("the file could not be written") from self._failure
                raise StopIteration
        piece = os.pread(self._file.fileno(), PIECE_BYTES, self._read)
        self._read += len(piece)
        return piece

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            if self._file is not None and self._is_done:
                self._file.close()

    def add(self, data: bytes) -> None:
        assert self._file is not None
        self._file.write(data)
        with self._changed:
            if self._is_closed:
                raise ConnectionAbortedError("the client has gone")
            self._written += len(data)
            self._changed.notify_all()

    def _run(self, file: IO[bytes]) -> None:
        try:
            sink = _SpoolWriter(self.add)
            self._write(cast("IO[bytes]", sink))
            sink.finish()
        except BaseException as exc:  # noqa: BLE001 - raised again for the reader
            self._failure = exc
        with self._changed:
            self._is_done = True
            self._changed.notify_all()
            if self._is_closed:
                file.close()


class _SpoolWriter(io.RawIOBase):
    """A file object that passes on what is written in larger pieces. Closing it does not flush it."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        super().__init__()
        self._take = take
        self._held = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._held += data
        if len(self._held) >= PIECE_BYTES:
            self.finish()
        return len(data)

    def finish(self) -> None:
        held, self._held = bytes(self._held), bytearray()
        self._take(held)


def _with_neighbours(place: PublishedVocabulary, concept: Concept) -> Concept:
    """Return a concept with its broader and narrower concepts, whichever of the two states the relation."""
    view = place.view
    below = [each.uri for each in view.narrower(concept.uri)][:MAX_NARROWER]
    above = [each.uri for each in view.broader(concept.uri)]
    return replace(
        concept,
        broader=tuple(dict.fromkeys((*concept.broader, *above))),
        narrower=tuple(dict.fromkeys((*concept.narrower[:MAX_NARROWER], *below))),
    )


def _media_type(suffix: str, *, is_whole: bool) -> str:
    known = {each.suffix for each in download_formats(is_whole=is_whole)}
    if suffix in known:
        return SUFFIXES[suffix]
    if SUFFIXES.get(suffix) in vocabulary_files.RDF_FORMATS:
        raise HttpRefusal(501, NO_RDF)
    raise HttpRefusal(404, f"There is no such form. There are: {', '.join(sorted(known))}.")


def _headers(kind: str, name: str) -> list[Header]:
    saved = [attachment_header(name)] if name else []
    media_type = MEDIA_TYPES[kind] + ("; charset=utf-8" if kind in ("ttl", CSV) else "")
    anywhere = (b"access-control-allow-origin", b"*")
    return [(b"content-type", media_type.encode()), *saved, NO_CACHE, NO_INDEX, anywhere, *DATA_HEADERS]
