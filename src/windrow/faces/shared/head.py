"""The head of an answer as bytes, for a server that takes an answer whole (`App.at_once`). Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from windrow.faces.shared.response import Header

_CONTROLS = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")


@lru_cache(maxsize=64)  # most answers of a face have the same
def render_headers(headers: tuple[Header, ...]) -> bytes:
    """Give header lines; ValueError for what would break out of its line."""
    for name, value in headers:
        if _CONTROLS.search(name) or _CONTROLS.search(value):
            raise ValueError(f"no header can be {name!r}: {value!r}")
    return b"".join(b"%b: %b\r\n" % header for header in headers)
