"""Vocabularies and concepts as files: SKOS in four forms, Zthes, and a table.

A whole vocabulary is written to disk by a thread of its own, as fast as it can be, and sent from there at the
pace of the reader: the store is not kept from tidying up by a reader who takes hours.
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

from windrow.faces.shared.catalogues import message
from windrow.faces.shared.clients import neighbourhood
from windrow.faces.shared.crew import Crew
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import DATA_HEADERS, NO_CACHE, NO_INDEX, Header, Response, attachment
from windrow.faces.shared.turns import Turns
from windrow.model.vocabulary import Concept
from windrow.store.store import Store
from windrow.vocabularies import rdf, skos
from windrow.vocabularies.directory import SUFFIXES, Place
from windrow.vocabularies.files import CSV, MEDIA_TYPES, ZTHES, export
from windrow.vocabularies.zthes import write_zthes

AT_ONCE = 2
MOST_OPEN = 16
BUSY_SECONDS = 30
BUSY = message(
    "Other vocabularies are being downloaded at the moment. Try again in half a minute; each network can"
    " download one at a time."
)
MOST_NARROWER = 1_000  # of one concept, in its own file
PIECE_BYTES = 64 * 1024
TITLES = {
    "ttl": "SKOS, Turtle",
    "rdf": "SKOS, RDF/XML",
    "jsonld": "SKOS, JSON-LD",
    "nt": "SKOS, N-Triples",
    ZTHES: "Zthes",
    CSV: "CSV",
}
NO_RDF = "This server cannot write RDF: it lacks pyoxigraph. There are .xml (Zthes) and .csv."


class Offer(NamedTuple):
    """One form to download."""

    title: str
    suffix: str
    media_type: str


def offered(*, is_whole: bool = True) -> list[Offer]:
    """Return the forms that this server can write; a table only of a whole vocabulary."""
    has_rdf = find_spec("pyoxigraph") is not None
    return [
        Offer(TITLES[kind], suffix, MEDIA_TYPES[kind])
        for suffix, kind in SUFFIXES.items()
        if (has_rdf or kind not in rdf.FORMATS) and (is_whole or kind != CSV)
    ]


class Downloads:
    """Makes files of vocabularies and of concepts."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._turns = Turns(AT_ONCE, most_of_one=1, most_open=MOST_OPEN)
        self._crew = Crew(at_once=AT_ONCE, name="vocabulary-file")

    def whole(self, request: Request, place: Place, suffix: str) -> Response:
        """Return a whole vocabulary, written while it is sent."""
        kind = _kind(suffix, is_whole=True)

        def write(file: IO[bytes]) -> None:
            export(place.view, self._store, file, kind)

        pieces = self._turns.take(Spooled(write), neighbourhood(request.client))
        if pieces is None:
            raise Refused(503, BUSY, headers=[(b"retry-after", str(BUSY_SECONDS).encode())])
        return Response(200, b"", _headers(kind, f"{place.name}{suffix}"), pieces, self._crew)

    def one(self, place: Place, concept: Concept, suffix: str) -> Response:
        """Return one concept."""
        kind, file = _kind(suffix, is_whole=False), io.BytesIO()
        if kind == ZTHES:
            write_zthes(
                [concept], file, neighbours=place.view.neighbours, languages=place.vocabulary.languages[:1]
            )
        else:
            rdf.write(skos.triples([_linked(place, concept)]), file, kind)
        return Response(200, file.getvalue(), _headers(kind, ""))


class Spooled:
    """The pieces of a file that a thread writes, read from disk behind it. It begins with the first."""

    def __init__(self, write: Callable[[IO[bytes]], None]) -> None:
        self._write = write
        self._changed = threading.Condition()
        self._file: IO[bytes] | None = None
        self._written = self._read = 0
        self._is_done = self._is_closed = False
        self._failure: BaseException | None = None

    def __iter__(self) -> Spooled:
        return self

    def __next__(self) -> bytes:
        """Return the next piece; what the writer failed with where it did."""
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
        """Stop the writer, and let go of the file."""
        with self._changed:
            self._is_closed = True
            if self._file is not None and self._is_done:
                self._file.close()

    def add(self, data: bytes) -> None:
        """Take what was written."""
        assert self._file is not None
        self._file.write(data)
        with self._changed:
            if self._is_closed:
                raise ConnectionAbortedError("the client has gone")
            self._written += len(data)
            self._changed.notify_all()

    def _run(self, file: IO[bytes]) -> None:
        try:
            sink = _Sink(self.add)
            self._write(cast("IO[bytes]", sink))
            sink.finish()
        except BaseException as exc:  # noqa: BLE001 - handed on to the reader
            self._failure = exc
        with self._changed:
            self._is_done = True
            self._changed.notify_all()
            if self._is_closed:
                file.close()


class _Sink(io.RawIOBase):
    """A file that hands on what is written to it, some at a time. Nothing is handed on when it is closed."""

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
        """Hand on the rest."""
        held, self._held = bytes(self._held), bytearray()
        self._take(held)


def _linked(place: Place, concept: Concept) -> Concept:
    """Return a concept with all that is right above and below it, whichever of the two states it."""
    view = place.view
    below = [each.uri for each in view.narrower(concept.uri)][:MOST_NARROWER]
    above = [each.uri for each in view.broader(concept.uri)]
    return replace(
        concept,
        broader=tuple(dict.fromkeys((*concept.broader, *above))),
        narrower=tuple(dict.fromkeys((*concept.narrower[:MOST_NARROWER], *below))),
    )


def _kind(suffix: str, *, is_whole: bool) -> str:
    known = {each.suffix for each in offered(is_whole=is_whole)}
    if suffix in known:
        return SUFFIXES[suffix]
    if SUFFIXES.get(suffix) in rdf.FORMATS:
        raise Refused(501, NO_RDF)
    raise Refused(404, f"There is no such form. There are: {', '.join(sorted(known))}.")


def _headers(kind: str, name: str) -> list[Header]:
    saved = [attachment(name)] if name else []
    media_type = MEDIA_TYPES[kind] + ("; charset=utf-8" if kind in ("ttl", CSV) else "")
    anywhere = (b"access-control-allow-origin", b"*")
    return [(b"content-type", media_type.encode()), *saved, NO_CACHE, NO_INDEX, anywhere, *DATA_HEADERS]
