"""The format `http_header`: the header of the response that a web server would have sent with a file.

Each header field is an element of its own name. The schema is in `schemas/http_header.xsd`.
"""

from __future__ import annotations

import re
import time
from html import unescape
from importlib.resources import files

from windrow.formats.mapping.markup import escape_xml

NAMESPACE = "urn:windrow:http-header:1"
PREFIX = "http_header"
SCHEMA_FILE = f"{PREFIX}.xsd"
LATEST_SECOND = 253402300799  # end of the year 9999, the last that an HTTP date can express
EARLIEST_SECOND = -62135596800  # start of the year 1
_CONTENT_TYPE = re.compile(rb"<http:Content-Type>([^<]*)</http:Content-Type>")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def write_http_header(media_type: str, size: int, modified: int) -> bytes:
    """Return the response header for a file of this type and size, modified at this Unix time."""
    return (
        f'<http:header xmlns:http="{NAMESPACE}" status="200">'
        f"<http:Content-Type>{escape_xml(media_type)}</http:Content-Type>"
        f"<http:Content-Length>{size}</http:Content-Length>"
        f"<http:Last-Modified>{http_date(modified)}</http:Last-Modified>"
        "</http:header>"
    ).encode()


def content_type(payload: bytes) -> str | None:
    """Return the media type in the output of `write_http_header`, or None for any other payload."""
    found = _CONTENT_TYPE.search(payload)
    return None if found is None else unescape(found[1].decode())


def http_date(second: int) -> str:
    """Format a Unix time as an HTTP date (RFC 9110 §5.6.7), independent of the locale."""
    year, month, day, hour, minute, left, weekday, *_ = time.gmtime(
        min(max(second, EARLIEST_SECOND), LATEST_SECOND)
    )
    date = f"{_DAYS[weekday]}, {day:02} {_MONTHS[month - 1]} {year:04}"
    return f"{date} {hour:02}:{minute:02}:{left:02} GMT"


def schema() -> bytes:
    return files("windrow.formats").joinpath("schemas", SCHEMA_FILE).read_bytes()
