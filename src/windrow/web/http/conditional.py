"""Conditional and range requests: validators, 304, If-Match, If-Range and Range (RFC 9110 §8.8, §13, §14).

A front end works out the validators of its response cheaply, calls `is_unchanged`, and makes the response
only if the client does not have it.
"""

from __future__ import annotations

import hashlib
import re
from datetime import UTC
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import NamedTuple

from windrow.formats.http_header import http_date
from windrow.web.http.http_request import Request
from windrow.web.http.http_response import NO_CACHE, Header, Response

_OPAQUE_TAG = re.compile(rb'"[^"]*"')
_MAX_TAGS_LENGTH = 8000
_MAX_DATE_LENGTH = 40  # the longest of the three date formats has 33


def fingerprint(*parts: object) -> str:
    told = "\0".join(map(str, parts)).encode("utf-8", "replace")
    return hashlib.sha256(told).hexdigest()[:20]


def weak_etag(*parts: object) -> bytes:
    """Return a weak entity tag from the parts. Weak, because the response may be sent compressed or not."""
    return f'W/"{fingerprint(*parts)}"'.encode()


def is_unchanged(request: Request, etag: bytes, modified: int) -> bool:
    """Return whether the client has this response already; `modified` is in Unix seconds.

    Only for a response that would be 200: no condition turns an error into a 304 (RFC 9110 §13.2.1).
    """
    if request.method not in ("GET", "HEAD"):
        return False
    if b"if-none-match" in request.headers:  # then If-Modified-Since is ignored (§13.1.3)
        return matches_none_match(request, etag)
    since = request.headers.get(b"if-modified-since")
    seconds = None if since is None else parse_http_date(since)
    return seconds is not None and modified <= seconds


def matches_none_match(request: Request, etag: bytes) -> bool:
    """Return whether If-None-Match contains this tag, compared weakly. An overlong list matches nothing."""
    tags = request.headers.get(b"if-none-match", b"")
    if tags.strip() == b"*":
        return True
    bare = etag.removeprefix(b"W/")
    return len(tags) <= _MAX_TAGS_LENGTH and bare in _OPAQUE_TAG.findall(tags)


def validator_headers(etag: bytes, modified: int) -> tuple[Header, ...]:
    return (b"etag", etag), (b"last-modified", http_date(modified).encode())


def not_modified(etag: bytes, modified: int, *headers: Header) -> Response:
    """Return a 304; `headers` are those the full response would have, such as Vary."""
    return Response(304, b"", [*validator_headers(etag, modified), NO_CACHE, *headers])


def parse_http_date(date: bytes) -> int | None:
    """Return an HTTP date in Unix seconds; None if it is malformed."""
    if len(date) > _MAX_DATE_LENGTH:
        return None
    try:
        moment = parsedate_to_datetime(date.decode("ascii"))
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, IndexError, OverflowError, TypeError):
        return None


# Preconditions of file transfers (RFC 9110 §13), sent by clients that already have a part of the file.

_ENTITY_TAG = re.compile(rb'(?:W/)?"[^"]*"')


def fails_precondition(request: Request, etag: bytes, modified: int) -> bool:
    """Return whether the client wants a version of the file that is no longer current."""
    tags = request.headers.get(b"if-match")
    if tags is not None:
        return tags.strip() != b"*" and etag not in _ENTITY_TAG.findall(tags[:_MAX_TAGS_LENGTH])
    since = parse_http_date(request.headers.get(b"if-unmodified-since", b""))
    return since is not None and modified > since


def matches_if_range(request: Request, etag: bytes, modified: int) -> bool:
    """Return whether a range may be sent: If-Range is absent or names the current version."""
    wanted = request.headers.get(b"if-range", etag).strip()
    return wanted in (etag, http_date(modified).encode())  # exactly that date (§13.1.5)


# Range requests (RFC 9110 §14): one range, the whole, or an unsatisfiable range.

_RANGE = re.compile(rb"bytes[ \t]*=[ \t]*([0-9]*)[ \t]*-[ \t]*([0-9]*)[ \t]*", re.IGNORECASE)
_MAX_RANGE_LENGTH = 100  # characters of a header with one range
_MAX_POSITION_DIGITS = 18


class ByteRange(NamedTuple):
    """An inclusive range of bytes."""

    first: int
    last: int

    @property
    def size(self) -> int:
        return self.last - self.first + 1


class UnsatisfiableRange(Enum):
    """The requested range begins after the end of the file."""

    OUTSIDE = 0


def parse_range(header: bytes | None, size: int) -> ByteRange | UnsatisfiableRange | None:
    """Return the part of a file of this size that a Range header requests; None for all of it.

    Several ranges and invalid ones are ignored, as §14.2 allows: otherwise a client could make the server
    gather a thousand overlapping pieces.
    """
    found = _RANGE.fullmatch(header) if header is not None and len(header) <= _MAX_RANGE_LENGTH else None
    if found is None or found[1] == found[2] == b"" or max(map(len, found.groups())) > _MAX_POSITION_DIGITS:
        return None
    if not found[1]:
        return _suffix_range(int(found[2]), size)
    first = int(found[1])
    last = int(found[2]) if found[2] else size - 1
    if found[2] and last < first:
        return None  # not a range (§14.1.1)
    return ByteRange(first, min(last, size - 1)) if first < size else UnsatisfiableRange.OUTSIDE


def _suffix_range(length: int, size: int) -> ByteRange | UnsatisfiableRange:
    if not length or not size:
        return UnsatisfiableRange.OUTSIDE
    return ByteRange(max(size - length, 0), size - 1)
