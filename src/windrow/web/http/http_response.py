"""HTTP responses: status, headers and a body. `app` compresses and sends them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from windrow.web.http.thread_pools import ThreadPool

Header = tuple[bytes, bytes]

# Third-party content must not run, frame, load or leak anything, not even as XML: a browser would execute a
# script element in the XHTML namespace.
_PAGE_POLICY = (
    b"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; media-src 'self';"
    b" connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# Inline styles and data: images are the browser's own, with which it shows XML as a tree.
_DATA_POLICY = (
    b"default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"
)
_NOSNIFF: Header = (b"x-content-type-options", b"nosniff")
_NO_REFERRER: Header = (b"referrer-policy", b"no-referrer")
DATA_HEADERS: tuple[Header, ...] = (_NOSNIFF, _NO_REFERRER, (b"content-security-policy", _DATA_POLICY))
PAGE_HEADERS: tuple[Header, ...] = (_NOSNIFF, _NO_REFERRER, (b"content-security-policy", _PAGE_POLICY))
# Metadata as received: if it is XHTML or SVG, a browser that displays it makes a page of our origin of it. So
# it is always an attachment, and has no styles even if it is displayed.
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
    """A body that is generated while it is sent; closed at the end, also when the client disconnects."""

    def __next__(self) -> bytes:
        """Return the next piece; raise StopIteration after the last."""

    def close(self) -> None:
        """Release all resources."""


@dataclass(slots=True)
class Response:
    """A response. `headers` exclude Content-Length and Content-Encoding."""

    status: int
    body: bytes
    headers: list[Header] = field(default_factory=list)
    pieces: BodyPieces | None = None  # instead of a body
    crew: ThreadPool | None = None  # the threads that make the pieces; None: the default pool


def text_response(status: int, words: str, *headers: Header) -> Response:
    plain: Header = (b"content-type", b"text/plain; charset=utf-8")
    return Response(status, f"{words}\n".encode(), [plain, NO_CACHE, *DATA_HEADERS, *headers])


def attachment_header(name: str) -> Header:
    """Return the header that makes a browser save the response under this name and never show it.

    `name` consists of letters, digits, dots and hyphens.
    """
    return (b"content-disposition", f'attachment; filename="{name}"'.encode())


def html_response(body: bytes, *headers: Header, status: int = 200, is_indexed: bool = False) -> Response:
    """Return an HTML page; search engines keep it only if it `is_indexed`."""
    kind: Header = (b"content-type", b"text/html; charset=utf-8")
    robots = [] if is_indexed else [NO_INDEX]
    return Response(status, body, [kind, NO_CACHE, *robots, *PAGE_HEADERS, *headers])


def json_response(value: Mapping[str, object], *headers: Header, status: int = 200) -> Response:
    kind: Header = (b"content-type", b"application/json")
    body = json.dumps(value, ensure_ascii=False).encode() + b"\n"
    return Response(status, body, [kind, NO_CACHE, *DATA_HEADERS, *headers])
