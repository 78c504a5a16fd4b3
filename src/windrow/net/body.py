"""A response's body read from the wire, bounded, as the server encoded it."""

from __future__ import annotations

from windrow.net.incoming import Incoming

CHUNK_BYTES = 8 * 1024 * 1024  # what a Content-Length is believed for at once: more is asked for bit by bit


def read_body(incoming: Incoming, *, limit: int) -> bytes | None:
    """Give the bytes of the body; None where there are more than `limit`."""
    length = incoming.length
    if length is not None and length > limit:
        return None
    if length is not None and length <= CHUNK_BYTES:
        return incoming.read()
    parts: list[bytes] = []
    left = limit
    while part := incoming.read(min(CHUNK_BYTES, left + 1)):
        left -= len(part)
        if left < 0:
            return None
        parts.append(part)
    return b"".join(parts)


def drain(incoming: Incoming, *, limit: int = 64 * 1024) -> None:
    """Read away a body nobody wants so that the connection can be used again, unless it is long."""
    read_body(incoming, limit=limit)
