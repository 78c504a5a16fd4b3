"""Answers that a client has already: validators (RFC 9110, 8.8) and the 304 that saves making them again.

A face finds out cheaply what the validators of its answer are, asks `is_unchanged`, and only then makes it.
"""

from __future__ import annotations

import hashlib
import re
from datetime import UTC
from email.utils import parsedate_to_datetime

from windrow.faces.shared.request import Request
from windrow.faces.shared.response import NO_CACHE, Header, Response
from windrow.formats.http_header import http_date

_TAG = re.compile(rb'"[^"]*"')
_LONGEST_TAGS = 8000
_LONGEST_DATE = 40  # the longest way of the three to write one has 33


def digest(*parts: object) -> str:
    """Give a few letters that are others whenever one of the parts is."""
    told = "\0".join(map(str, parts)).encode("utf-8", "replace")
    return hashlib.sha256(told).hexdigest()[:20]


def weak_tag(*parts: object) -> bytes:
    """Give the ETag of what depends on these. Weak: compressed or not, it is the same answer."""
    return f'W/"{digest(*parts)}"'.encode()


def is_unchanged(request: Request, etag: bytes, modified: int) -> bool:
    """Say whether a client has this answer already; `modified` is in Unix seconds.

    Only for an answer that would be 200: no condition turns a refusal into a 304 (RFC 9110, 13.2.1).
    """
    if request.method not in ("GET", "HEAD"):
        return False
    if b"if-none-match" in request.headers:  # then no date counts (13.1.3)
        return names_tag(request, etag)
    since = request.headers.get(b"if-modified-since")
    seconds = None if since is None else read_date(since)
    return seconds is not None and modified <= seconds


def names_tag(request: Request, etag: bytes) -> bool:
    """Say whether If-None-Match has this tag, compared weakly. A list that is too long has none."""
    tags = request.headers.get(b"if-none-match", b"")
    if tags.strip() == b"*":
        return True
    bare = etag.removeprefix(b"W/")
    return len(tags) <= _LONGEST_TAGS and bare in _TAG.findall(tags)


def validators(etag: bytes, modified: int) -> tuple[Header, ...]:
    """Give the headers by which a client can ask again."""
    return (b"etag", etag), (b"last-modified", http_date(modified).encode())


def not_modified(etag: bytes, modified: int, *headers: Header) -> Response:
    """Give the answer to a client that has it; `headers` as the whole one would have, such as Vary."""
    return Response(304, b"", [*validators(etag, modified), NO_CACHE, *headers])


def read_date(date: bytes) -> int | None:
    """Give a date of a header in Unix seconds; None for what is none."""
    if len(date) > _LONGEST_DATE:
        return None
    try:
        moment = parsedate_to_datetime(date.decode("ascii"))
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, IndexError, OverflowError, TypeError):
        return None
