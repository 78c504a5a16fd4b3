"""Every page becomes UTF-8 before it is cut, so that offsets, slices and stored bytes mean one thing."""

from __future__ import annotations

import codecs
import re

MISLABELLED = "the declared encoding is not the real one"

_DECLARED = re.compile(rb"""(<\?xml[^>]{0,200}?\sencoding\s*=\s*["'])([\w.:-]+)(["'])""")
_DECLARED_WITHIN = 400
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UNMARKED = (
    (re.compile(rb"<\0[^\0]\0"), "utf-16-le"),
    (re.compile(rb"\0<\0[^\0]"), "utf-16-be"),
)
_UTF8 = frozenset(("utf-8", "utf8", "us-ascii", "ascii"))
_ONE_BYTE = ("iso-8859", "iso8859", "iso_8859", "latin", "windows-125", "cp125")
# What Python calls encodings though they are none of text's; some take time by the square of the length.
_NO_CHARSETS = frozenset(
    ("idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape")
)


def to_utf8(body: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Give the same characters in UTF-8, and what is wrong with the declared encoding, in words.

    It goes by byte order mark, zero bytes and declaration. A page that is UTF-8 comes back as it is, but
    for a byte order mark. Where the bytes do not fit what is declared, the page comes back unchanged too:
    then it is damaged, and a matter for `repair`.
    """
    for mark, marked in _BOMS:
        if body.startswith(mark):
            return _transcode(body.removeprefix(mark), marked) or body, ()
    for start, encoding in _UNMARKED:
        if start.match(body):
            return _transcode(body, encoding) or body, ()
    named = declared(body)
    if named is None or named in _UTF8 or named.startswith(("utf-16", "utf16", "utf-32", "ucs")):
        return body, ()
    if named.startswith(_ONE_BYTE) and _is_utf8_after_all(body):
        return redeclare(body), (MISLABELLED,)
    return _transcode(body, named) or body, ()


def declared(body: bytes) -> str | None:
    """Give the encoding that the XML declaration names, in lower case."""
    found = _DECLARED.search(body[:_DECLARED_WITHIN])
    return found.group(2).decode("ascii").lower() if found else None


def redeclare(body: bytes) -> bytes:
    """Give the page with a declaration that says UTF-8, where it has one."""
    start, rest = body[:_DECLARED_WITHIN], body[_DECLARED_WITHIN:]
    return _DECLARED.sub(rb"\g<1>UTF-8\g<3>", start, count=1) + rest


def _is_utf8_after_all(body: bytes) -> bool:
    """Is it UTF-8, which OAI-PMH demands, under another name? Latin letters never happen to look so."""
    try:
        return not body.isascii() and bool(body.decode())
    except UnicodeDecodeError:
        return False


def _transcode(body: bytes, encoding: str) -> bytes | None:
    try:
        if codecs.lookup(encoding).name in _NO_CHARSETS:
            return None
        return redeclare(_decode(body, encoding).encode())
    except (LookupError, UnicodeError):
        return None


def _decode(body: bytes, encoding: str) -> str:
    """The text; of a page cut short in the middle of a character, all that comes before."""
    try:
        return body.decode(encoding)
    except UnicodeDecodeError as exc:
        if exc.end < len(body):
            raise
        return body[: exc.start].decode(encoding)
