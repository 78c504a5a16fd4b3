"""An answer of which the headers are here and the body is still to come, whichever way it takes.

`direct` and `proxied` give it, `exchange` reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from windrow.net.address import Address
from windrow.net.headers import Headers


class Incoming(Protocol):
    """What comes back. Where it breaks off, reading raises Fault."""

    status: int
    headers: Headers

    @property
    def length(self) -> int | None:
        """How many bytes are still to come; None where nobody said."""

    def read(self, most: int | None = None) -> bytes:
        """Give what there is of the body, undecoded; nothing at its end."""

    def release(self) -> None:
        """Keep the connection if the answer was read to its end, drop it otherwise."""


class Way(Protocol):
    """How requests get to a host and answers back: one connection is kept open per host."""

    def ask(self, address: Address, headers: Mapping[str, str], body: bytes | None) -> Incoming:
        """Send a request, a POST where there is a body; give its answer. Fault says why there is none."""

    def close(self) -> None:
        """Close every connection; the next request opens its own."""
