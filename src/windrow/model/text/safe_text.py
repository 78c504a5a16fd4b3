"""Untrusted text made safe to show: invisible characters are removed, and only web addresses become links."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_LONGEST_ADDRESS = 4000


def strip_invisible(text: str) -> str:
    """Return the text without control characters and unpaired surrogates."""
    return text if text.isprintable() else _UNSEEN.sub("", text)


def is_web_address(url: str | None) -> bool:
    """Return whether an address may become a link: only http and https, with a host."""
    if not url or len(url) > _LONGEST_ADDRESS or url.split(None, 1) != [url]:
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme.lower() in ("http", "https") and bool(parts.netloc)
