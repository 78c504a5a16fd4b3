"""What a source gets from the client for one address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole response: body decoded, `url` where it came from after redirects, without its secrets."""

    url: str
    status: int
    headers: Mapping[str, str]  # looked up whatever the case of the name
    body: bytes = field(repr=False)
    wire_bytes: int  # of the body as it travelled
    seconds: float  # of the try that succeeded, from request to last byte
    retries: int  # tries before it that failed
    moved_to: str | None = None  # where permanent redirects alone (301, 308) led; None: there were none
    dropped_by: str | None = None  # the redirect that dropped arguments of the request, which were put back
