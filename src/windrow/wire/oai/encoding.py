"""Every page becomes UTF-8 before it is cut, so that offsets, slices and stored bytes mean one thing."""

from __future__ import annotations

import codecs
import re

_DECLARED = re.compile(rb"""(<\?xml[^>]{0,200}?\sencoding\s*=\s*["'])([\w.:-]+)(["'])""")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UTF8 = frozenset(("utf-8", "utf8", "us-ascii", "ascii"))


def to_utf8(body: bytes) -> bytes:
    """Give the same characters in UTF-8, going by byte order mark, zero bytes and declaration.

    A page that is UTF-8 comes back as it is, but for a byte order mark. Where the bytes do not fit what is declared, the page
    comes back unchanged too: then it is damaged, and a matter for `repair`.
    """
    for mark, encoding in _BOMS:
        if body.startswith(mark):
            return _transcode(body.removeprefix(mark), encoding) or body
    if body[:2] in (b"<\0", b"\0<"):
        return _transcode(body, "utf-16-le" if body[:1] == b"<" else "utf-16-be") or body
    encoding = declared(body)
    if encoding is None or encoding in _UTF8 or encoding.startswith(("utf-16", "utf16", "utf-32", "ucs")):
        return body
    return _transcode(body, encoding) or body


def declared(body: bytes) -> str | None:
    """Give the encoding that the XML declaration names, in lower case."""
    found = _DECLARED.search(body[:400])
    return found.group(2).decode("ascii").lower() if found else None


def redeclare(body: bytes) -> bytes:
    """Give the page with a declaration that says UTF-8, where it has one."""
    return _DECLARED.sub(rb"\g<1>UTF-8\g<3>", body[:400], count=1) + body[400:]


def _transcode(body: bytes, encoding: str) -> bytes | None:
    try:
        return redeclare(body.decode(encoding).encode())
    except (LookupError, UnicodeError):
        return None
