"""Sending a response: whole when it is small, in pieces at the pace of the reader when it is not.

A body that is made while it is sent is made in threads, and no further once its client has gone.
"""

from __future__ import annotations

import asyncio
from functools import partial

from windrow.faces.shared.gate import Gate
from windrow.faces.shared.request import Receive, Send
from windrow.faces.shared.response import Pieces, Response

WHOLE_BYTES = 128 * 1024
PIECE_BYTES = 64 * 1024


async def deliver(send: Send, response: Response, *, is_head: bool, gate: Gate) -> int:
    """Send a response; give how many bytes of body went out. A client that is gone costs nothing more."""
    body = response.body
    headers = response.headers
    if response.status != 304:  # which would tell the length of what it stands for (RFC 9110, 8.6)
        headers = [*headers, (b"content-length", str(len(body)).encode())]
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

    Meanwhile the body is in memory, so it counts at the gate, which may break it off in favour of others.
    """
    task = asyncio.current_task()
    assert task is not None
    with gate.delivering(len(body), task.cancel) as delivery:
        view = memoryview(body)
        for start in range(0, len(body), PIECE_BYTES):
            piece = bytes(view[start : start + PIECE_BYTES])
            is_last = start + PIECE_BYTES >= len(body)
            await send({"type": "http.response.body", "body": piece, "more_body": not is_last})
            delivery.get_on()


async def stream(send: Send, receive: Receive, response: Response, *, is_head: bool) -> int:
    """Send a response whose body is made meanwhile; give how many bytes of it went out."""
    pieces = response.pieces
    assert pieces is not None
    run = response.crew.run if response.crew is not None else asyncio.to_thread
    gone = asyncio.ensure_future(_until_gone(receive))
    size = 0
    try:
        await send({"type": "http.response.start", "status": response.status, "headers": response.headers})
        while not is_head and not gone.done():
            piece = await run(partial(_gather, pieces))
            if not piece:
                break
            size += len(piece)
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        if not gone.done():
            await send({"type": "http.response.body", "body": b""})
    finally:
        gone.cancel()
        await run(pieces.close)
    return size


async def _until_gone(receive: Receive) -> None:
    """Wait until the client has gone: the server says so after the request's body, of which there is none."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _gather(pieces: Pieces) -> bytes:
    """Give some pieces together, so that not every line is sent by itself; nothing at the end."""
    found: list[bytes] = []
    size = 0
    while size < PIECE_BYTES:
        try:
            piece = next(pieces)
        except StopIteration:
            break
        found.append(piece)
        size += len(piece)
    return b"".join(found)
