"""On what conditions a file is sent (RFC 9110, 13): asked for by clients that have a part of it already."""

from __future__ import annotations

import re

from windrow.faces.shared.conditional import read_date
from windrow.faces.shared.request import Request
from windrow.formats.http_header import http_date

_TAG = re.compile(rb'(?:W/)?"[^"]*"')
_LONGEST_TAGS = 8000


def is_refused(request: Request, etag: bytes, modified: int) -> bool:
    """Say whether the client wants the file only as it was once, and it is another now."""
    tags = request.headers.get(b"if-match")
    if tags is not None:
        return tags.strip() != b"*" and etag not in _TAG.findall(tags[:_LONGEST_TAGS])
    since = read_date(request.headers.get(b"if-unmodified-since", b""))
    return since is not None and modified > since


def is_same(request: Request, etag: bytes, modified: int) -> bool:
    """Say whether a part of the file fits what the client has of it; it does for one that does not ask."""
    wanted = request.headers.get(b"if-range", etag).strip()
    return wanted in (etag, http_date(modified).encode())  # exactly that date (13.1.5)
