"""An HTTP request as front ends see it, and the errors that end one before any protocol above HTTP.

`app` makes requests from ASGI scopes. Arguments are read as pairs: repeats and blanks are kept, because the
protocols differ in what they make of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

from windrow.web.i18n.translation import message


class HttpRefusal(Exception):
    """Ends the request with an HTTP status and a message for the client.

    With `values` the message is a template, which pages translate before they fill it in.
    """

    def __init__(
        self,
        status: int,
        words: str,
        *,
        headers: Sequence[tuple[bytes, bytes]] = (),
        values: Mapping[str, int | str] | None = None,
    ) -> None:
        super().__init__(words.format(**_format_values(values)) if values else words)
        self.status = status
        self.message = words
        self.values = values or {}
        self.headers = tuple(headers)


def _format_values(values: Mapping[str, int | str]) -> dict[str, str]:
    return {name: f"{value:,}" if isinstance(value, int) else value for name, value in values.items()}


def check_method(method: str, allowed: tuple[str, ...]) -> None:
    if method not in allowed:
        listed = ", ".join(allowed)
        raise HttpRefusal(405, f"This address takes {listed}.", headers=[(b"allow", listed.encode())])


def check_read(method: str) -> None:
    check_method(method, ("GET", "HEAD"))


Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

BODY_TIMEOUT_SECONDS = 30.0


# Windrow's extension of the ASGI scope: a function that returns whether the client has closed its side of the
# connection. ASGI itself reports a lost connection, but not a client that sends nothing more.
DISCONNECT_EXTENSION = "windrow"
DISCONNECT_CALLABLE = "is_gone"


def never_disconnected() -> bool:
    """Stand in for the extension on servers that do not have it."""
    return False


@dataclass(slots=True)  # not frozen: one is made per request, and frozen takes three times as long
class Request:
    """A client's request. Header names are lower-case; of a repeated header the last counts."""

    method: str
    path: str
    query: bytes
    headers: Mapping[bytes, bytes]
    client: str
    receive: Receive
    is_gone: Callable[[], bool] = never_disconnected

    async def body(self, most: int) -> bytes:
        """Read the body; raise HttpRefusal for more than `most` bytes, or if the client stops sending."""
        try:
            async with asyncio.timeout(BODY_TIMEOUT_SECONDS):
                return await self._read(most)
        except TimeoutError:
            raise HttpRefusal(408, "The request took too long to arrive.") from None

    async def _read(self, most: int) -> bytes:
        pieces: list[bytes] = []
        size = 0
        while True:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise HttpRefusal(400, "The request was broken off.")
            piece = message.get("body", b"")
            size += len(piece)
            if size > most:
                raise HttpRefusal(413, f"The body of a request may have {most:,} bytes at most.")
            pieces.append(piece)
            if not message.get("more_body", False):
                return b"".join(pieces)


MAX_QUERY_BYTES = 16_384
MAX_PAIRS = 64
QUERY_TOO_LONG = message(
    "The query may have {most} characters at most; longer ones to OAI-PMH can be sent by POST."
)
Pairs = list[tuple[str, str]]


def parse_query_string(query: bytes) -> Pairs:
    """Parse a query string; raise HttpRefusal (414) if it is too long."""
    if len(query) > MAX_QUERY_BYTES:
        raise HttpRefusal(414, QUERY_TOO_LONG, values={"most": MAX_QUERY_BYTES})
    return _parse_pairs(query, too_many=414)


def parse_form_body(body: bytes) -> Pairs:
    return _parse_pairs(body, too_many=413)


def _parse_pairs(text: bytes, *, too_many: int) -> Pairs:
    if not text:
        return []
    if text.count(b"&") >= MAX_PAIRS:
        raise HttpRefusal(too_many, f"A request may have {MAX_PAIRS} arguments at most.")
    found = []
    for piece in text.split(b"&"):
        if piece:
            name, _, value = piece.partition(b"=")
            found.append((_decode(name), _decode(value)))
    return found


def _decode(text: bytes) -> str:
    """Percent-decode; invalid UTF-8 becomes U+FFFD, which no argument may contain."""
    if b"%" in text or b"+" in text:
        text = unquote_to_bytes(text.replace(b"+", b" "))
    return text.decode("utf-8", "replace")
