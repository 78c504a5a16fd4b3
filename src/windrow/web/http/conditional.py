"""Answers that a client has already: validators (RFC 9110, 8.8) and the 304 that saves making them again.

A face finds out cheaply what the validators of its answer are, asks `is_unchanged`, and only then makes it.
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
_MAX_DATE_LENGTH = 40  # the longest way of the three to write one has 33


def fingerprint(*parts: object) -> str:
    """Return a few letters that are others whenever one of the parts is."""
    told = "\0".join(map(str, parts)).encode("utf-8", "replace")
    return hashlib.sha256(told).hexdigest()[:20]


def weak_etag(*parts: object) -> bytes:
    """Return the ETag of what depends on these. Weak: compressed or not, it is the same answer."""
    return f'W/"{fingerprint(*parts)}"'.encode()


def is_unchanged(request: Request, etag: bytes, modified: int) -> bool:
    """Return whether a client has this answer already; `modified` is in Unix seconds.

    Only for an answer that would be 200: no condition turns a refusal into a 304 (RFC 9110, 13.2.1).
    """
    if request.method not in ("GET", "HEAD"):
        return False
    if b"if-none-match" in request.headers:  # then no date counts (13.1.3)
        return matches_none_match(request, etag)
    since = request.headers.get(b"if-modified-since")
    seconds = None if since is None else parse_http_date(since)
    return seconds is not None and modified <= seconds


def matches_none_match(request: Request, etag: bytes) -> bool:
    """Return whether If-None-Match has this tag, compared weakly. A list that is too long has none."""
    tags = request.headers.get(b"if-none-match", b"")
    if tags.strip() == b"*":
        return True
    bare = etag.removeprefix(b"W/")
    return len(tags) <= _MAX_TAGS_LENGTH and bare in _OPAQUE_TAG.findall(tags)


def validator_headers(etag: bytes, modified: int) -> tuple[Header, ...]:
    """Return the headers by which a client can ask again."""
    return (b"etag", etag), (b"last-modified", http_date(modified).encode())


def not_modified(etag: bytes, modified: int, *headers: Header) -> Response:
    """Return the answer to a client that has it; `headers` as the whole one would have, such as Vary."""
    return Response(304, b"", [*validator_headers(etag, modified), NO_CACHE, *headers])


def parse_http_date(date: bytes) -> int | None:
    """Return a date of a header in Unix seconds; None for what is none."""
    if len(date) > _MAX_DATE_LENGTH:
        return None
    try:
        moment = parsedate_to_datetime(date.decode("ascii"))
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, IndexError, OverflowError, TypeError):
        return None


# On what conditions a file is sent (RFC 9110, 13): asked for by clients that have a part of it already.

_ENTITY_TAG = re.compile(rb'(?:W/)?"[^"]*"')


def fails_precondition(request: Request, etag: bytes, modified: int) -> bool:
    """Return whether the client wants the file only as it was once, and it is another now."""
    tags = request.headers.get(b"if-match")
    if tags is not None:
        return tags.strip() != b"*" and etag not in _ENTITY_TAG.findall(tags[:_MAX_TAGS_LENGTH])
    since = parse_http_date(request.headers.get(b"if-unmodified-since", b""))
    return since is not None and modified > since


def matches_if_range(request: Request, etag: bytes, modified: int) -> bool:
    """Return whether a part of the file fits what the client has of it; it does for one that does not ask."""
    wanted = request.headers.get(b"if-range", etag).strip()
    return wanted in (etag, http_date(modified).encode())  # exactly that date (13.1.5)


# Which part of a file a request asks for (RFC 9110, 14): one range, the whole, or nothing there is. Pure.

_RANGE = re.compile(rb"bytes[ \t]*=[ \t]*([0-9]*)[ \t]*-[ \t]*([0-9]*)[ \t]*", re.IGNORECASE)
_MAX_RANGE_LENGTH = 100  # letters of a header that asks for one range
_MAX_POSITION_DIGITS = 18


class ByteRange(NamedTuple):
    """Bytes of a file, from the first to the last of them."""

    first: int
    last: int

    @property
    def size(self) -> int:
        """How many there are."""
        return self.last - self.first + 1


class UnsatisfiableRange(Enum):
    """What is asked for lies behind the end of the file."""

    OUTSIDE = 0


def parse_range(header: bytes | None, size: int) -> ByteRange | UnsatisfiableRange | None:
    """Return the part of a file of this size that a Range header asks for; None: all of it.

    Several ranges at once, and what is no range, count as none (14.2 lets a server ignore them): nobody makes
    the server gather a thousand overlapping pieces.
    """
    found = _RANGE.fullmatch(header) if header is not None and len(header) <= _MAX_RANGE_LENGTH else None
    if found is None or found[1] == found[2] == b"" or max(map(len, found.groups())) > _MAX_POSITION_DIGITS:
        return None
    if not found[1]:
        return _suffix_range(int(found[2]), size)
    first = int(found[1])
    last = int(found[2]) if found[2] else size - 1
    if found[2] and last < first:
        return None  # not a range (14.1.1)
    return ByteRange(first, min(last, size - 1)) if first < size else UnsatisfiableRange.OUTSIDE


def _suffix_range(length: int, size: int) -> ByteRange | UnsatisfiableRange:
    """The last bytes of a file."""
    if not length or not size:
        return UnsatisfiableRange.OUTSIDE
    return ByteRange(max(size - length, 0), size - 1)
