"""A response's body read from the wire, bounded, as the server encoded it."""

from __future__ import annotations

from urllib3.response import BaseHTTPResponse

CHUNK_BYTES = 8 * 1024 * 1024  # what a Content-Length is believed for at once: more is asked for bit by bit


def read_body(response: BaseHTTPResponse, *, limit: int) -> bytes | None:
    """Give the bytes of the body; None where there are more than `limit`."""
    length = response.length_remaining
    if length is not None and length > limit:
        return None
    if length is not None and length <= CHUNK_BYTES:
        return response.read(decode_content=False)
    parts: list[bytes] = []
    left = limit
    while part := response.read(min(CHUNK_BYTES, left + 1), decode_content=False):
        left -= len(part)
        if left < 0:
            return None
        parts.append(part)
    return b"".join(parts)


def drain(response: BaseHTTPResponse, *, limit: int = 64 * 1024) -> None:
    """Read away a body nobody wants so that the connection can be used again, unless it is long."""
    read_body(response, limit=limit)
