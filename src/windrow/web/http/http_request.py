"""One HTTP request as a face sees it: made by `app` from what ASGI says."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any

from windrow.faces.shared.refusal import Refused

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

BODY_SECONDS = 30.0


# Our own extension of ASGI: a function that returns whether the client has closed its side of the connection.
# ASGI itself reports that a client has gone, but not that it sends nothing more.
EXTENSION = "windrow"
IS_GONE = "is_gone"


def never() -> bool:
    """Answer for a server that cannot tell whether a client has gone."""
    return False


@dataclass(slots=True)  # not frozen: one is made for each request, and that takes three times as long
class Request:
    """What a client asked, with headers by their lower-case names; of one sent twice the last counts."""

    method: str
    path: str
    query: bytes
    headers: Mapping[bytes, bytes]
    client: str
    receive: Receive
    is_gone: Callable[[], bool] = never

    async def body(self, most: int) -> bytes:
        """Read the body; more than `most` bytes, or a client that does not go on sending, is Refused."""
        try:
            async with asyncio.timeout(BODY_SECONDS):
                return await self._read(most)
        except TimeoutError:
            raise Refused(408, "The request took too long to arrive.") from None

    async def _read(self, most: int) -> bytes:
        pieces: list[bytes] = []
        size = 0
        while True:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise Refused(400, "The request was broken off.")
            piece = message.get("body", b"")
            size += len(piece)
            if size > most:
                raise Refused(413, f"The body of a request may have {most:,} bytes at most.")
            pieces.append(piece)
            if not message.get("more_body", False):
                return b"".join(pieces)
