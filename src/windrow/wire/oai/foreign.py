"""What did come, when what came is not OAI-PMH: said in words a librarian can act on."""

from __future__ import annotations

import re

_TITLE = re.compile(rb"<title[^>]*>([^<]{0,200})", re.IGNORECASE)
_HTML = re.compile(
    # Atomic and possessive, lest a row of comments be tried in every grouping.
    rb"\s*+(?:<\?xml[^>]*\?>\s*+)?(?><!--.{0,2000}?-->\s*+)*+(?:<!doctype\s+html|<html[\s>])",
    re.IGNORECASE | re.DOTALL,
)
_WALLS = (b"just a moment", b"captcha", b"cf-challenge", b"attention required", b"are you human", b"anubis")
_ROOT = re.compile(rb"<(?![?!])(?:[\w.-]+:)?([\w.-]+)")


def describe(body: bytes) -> str:
    """Say what this answer is, as the rest of "the repository answered with …"."""
    start = body[:20_000]
    if not start.strip():
        return "an empty page"
    if is_html(body):
        title = _TITLE.search(start)
        named = f' titled "{_clean(title.group(1))}"' if title and title.group(1).strip() else ""
        if any(wall in start.lower() for wall in _WALLS):
            return f"an HTML page{named} that keeps robots out, instead of OAI-PMH"
        return f"an HTML page{named} instead of OAI-PMH"
    root = _ROOT.search(start)
    if root and start.lstrip().startswith(b"<"):
        return f"XML whose root is <{_clean(root.group(1))}> instead of OAI-PMH"
    return f'text that is not XML ("{_clean(start.strip()[:60])}")'


def is_html(body: bytes) -> bool:
    """Is this a web page?"""
    return _HTML.match(body[:5000].removeprefix(b"\xef\xbb\xbf")) is not None


def _clean(raw: bytes) -> str:
    from html import unescape  # noqa: PLC0415 - thousands of names, for pages that are not ours

    text = unescape(raw.decode("utf-8", "replace"))
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
