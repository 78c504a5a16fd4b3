"""What a face gives back: status, headers and a body. `app` compresses and sends it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from windrow.web.http.thread_pools import ThreadPool

Header = tuple[bytes, bytes]

# What came from strangers must not run, frame, load or leak anything, not even as XML: a browser would
# execute a script element in the namespace of XHTML.
_PAGE_POLICY = (
    b"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; media-src 'self';"
    b" connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# Inline styles and data: pictures are the browser's own: with them it shows XML as a tree.
_DATA_POLICY = (
    b"default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"
)
_NOSNIFF: Header = (b"x-content-type-options", b"nosniff")
_NO_REFERRER: Header = (b"referrer-policy", b"no-referrer")
DATA_HEADERS: tuple[Header, ...] = (_NOSNIFF, _NO_REFERRER, (b"content-security-policy", _DATA_POLICY))
PAGE_HEADERS: tuple[Header, ...] = (_NOSNIFF, _NO_REFERRER, (b"content-security-policy", _PAGE_POLICY))
# Metadata as it came: where it is XHTML or SVG, a browser that shows it makes a page of our origin of it. So
# it is never shown, and has no style where it would be.
FOREIGN_HEADERS: tuple[Header, ...] = (
    _NOSNIFF,
    _NO_REFERRER,
    (b"content-security-policy", b"default-src 'none'; style-src 'none'; frame-ancestors 'none'; sandbox"),
)
NO_CACHE: Header = (b"cache-control", b"no-cache")
NO_INDEX: Header = (b"x-robots-tag", b"noindex")
IMMUTABLE_CACHE: Header = (b"cache-control", b"public, max-age=31536000, immutable")
VARY_ENCODING: Header = (b"vary", b"accept-encoding")


class BodyPieces(Protocol):
    """A body that is made while it is sent; closed in the end, also when the client has gone."""

    def __next__(self) -> bytes:
        """Return the next piece; StopIteration after the last."""

    def close(self) -> None:
        """Let go of everything."""


@dataclass(slots=True)
class Response:
    """One answer. `headers` are without Content-Length and Content-Encoding."""

    status: int
    body: bytes
    headers: list[Header] = field(default_factory=list)
    pieces: BodyPieces | None = None  # instead of a body
    crew: ThreadPool | None = None  # the threads that the pieces are made in; None is those of all


def text_response(status: int, words: str, *headers: Header) -> Response:
    """Return a short answer in words."""
    plain: Header = (b"content-type", b"text/plain; charset=utf-8")
    return Response(status, f"{words}\n".encode(), [plain, NO_CACHE, *DATA_HEADERS, *headers])


def attachment_header(name: str) -> Header:
    """Return the header with which a browser saves a file under this name and never shows it.

    `name` has letters, digits, dots and hyphens.
    """
    return (b"content-disposition", f'attachment; filename="{name}"'.encode())


def html_response(body: bytes, *headers: Header, status: int = 200, is_indexed: bool = False) -> Response:
    """Return a page for people; unless it is to be indexed, no search engine keeps it."""
    kind: Header = (b"content-type", b"text/html; charset=utf-8")
    robots = [] if is_indexed else [NO_INDEX]
    return Response(status, body, [kind, NO_CACHE, *robots, *PAGE_HEADERS, *headers])


def json_response(value: Mapping[str, object], *headers: Header, status: int = 200) -> Response:
    """Return a value as JSON."""
    kind: Header = (b"content-type", b"application/json")
    body = json.dumps(value, ensure_ascii=False).encode() + b"\n"
    return Response(status, body, [kind, NO_CACHE, *DATA_HEADERS, *headers])


# What a face answers at once at one of its paths: without waiting for anything, so that no task is
# needed.
# A face that has an `at_once` is asked for this by `app`.


class DirectAnswer(NamedTuple):
    """For programs without credentials: queries with this mark in them have this answer, status 200."""

    mark: bytes
    answer: Callable[[bytes], bytes]  # the query; what goes wrong it raises, as any face does
    headers: tuple[Header, ...]
