"""The Retry-After header in both its forms (RFC 9110, 10.2.3), and in the forms servers really send."""

from __future__ import annotations

import re
from datetime import datetime

from windrow.net.http_date import parse_http_date

MAX_HEADER_CHARACTERS = 100
MAX_SECONDS = 10 * 366 * 86_400.0  # beyond this it is a number gone wrong, and datetime would overflow

_SECONDS = re.compile(r"\+?[0-9]{1,15}(\.[0-9]{0,9})?")


def parse_retry_after(value: str | None, *, now: datetime) -> float | None:
    """Give the seconds to wait from `now`; None where the header is absent, past or makes no sense.

    Two headers joined by a comma (a proxy added its own) count as the longer wait.
    """
    if value is None or len(value) > MAX_HEADER_CHARACTERS:
        return None
    waits = [_seconds(part.strip(), now) for part in _values(value)]
    longest = max((wait for wait in waits if wait is not None), default=0.0)
    return min(longest, MAX_SECONDS) if longest > 0 else None


def _values(value: str) -> list[str]:
    """Part joined headers; a date has a comma of its own, so only numbers are parted."""
    parts = value.split(",")
    return parts if all(_SECONDS.fullmatch(part.strip()) for part in parts) else [value]


def _seconds(text: str, now: datetime) -> float | None:
    if _SECONDS.fullmatch(text):
        return float(text)
    moment = parse_http_date(text)
    return None if moment is None else (moment - now).total_seconds()
