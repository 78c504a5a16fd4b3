"""Sending a response: whole when it is small, in pieces at the pace of the reader when it is not."""

from __future__ import annotations

from windrow.faces.shared.gate import Gate
from windrow.faces.shared.request import Send
from windrow.faces.shared.response import Response

WHOLE_BYTES = 128 * 1024
PIECE_BYTES = 64 * 1024


async def deliver(send: Send, response: Response, *, is_head: bool, gate: Gate) -> int:
    """Send a response; give how many bytes of body went out. A client that is gone costs nothing more."""
    body = response.body
    headers = [*response.headers, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    if is_head:
        await send({"type": "http.response.body", "body": b""})
        return 0
    if len(body) <= WHOLE_BYTES:
        await send({"type": "http.response.body", "body": body})
    else:
        await _drip(send, body, gate)
    return len(body)


async def _drip(send: Send, body: bytes, gate: Gate) -> None:
    """Send in pieces: the server takes the next one when the client has read enough of those before.

    Meanwhile the body is in memory, so it counts at the gate.
    """
    gate.waiting_bytes += len(body)
    try:
        view = memoryview(body)
        for start in range(0, len(body), PIECE_BYTES):
            piece = bytes(view[start : start + PIECE_BYTES])
            is_last = start + PIECE_BYTES >= len(body)
            await send({"type": "http.response.body", "body": piece, "more_body": not is_last})
    finally:
        gate.waiting_bytes -= len(body)
