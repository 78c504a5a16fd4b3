"""Encoding and well-formedness of a response, checked before records are cut out of it.

Every page is converted to UTF-8 and parsed strictly. A response that is not OAI-PMH is described for people.
"""

from __future__ import annotations

import binascii
import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.parsers import expat
from xml.parsers.expat import errors as codes

from pybase64 import b64decode

# Files that records contain as base64 are removed from a page before it is parsed. Base64 has no characters
# with a meaning in XML, and its decoder is ten times as fast as an XML parser.

LEAST_BYTES = 8192  # shorter runs are rare
_KEPT_BYTES = 4  # text where XML allows none remains an error; a multiple of four keeps base64 aligned


def without_files(body: bytes) -> bytes:
    """Return a page without long runs of base64 between two tags, except for their first letters.

    The result is well-formed if and only if the page is. Offsets in it are not those of the page.
    """
    if len(body) < LEAST_BYTES:
        return body
    view, parts, kept = memoryview(body), list[memoryview](), 0
    for start, end in _runs(body):
        if _is_base64(view[start:end]):
            parts.append(view[kept : start + _KEPT_BYTES])
            kept = end
    return b"".join((*parts, view[kept:])) if parts else body


def _runs(body: bytes) -> Iterator[tuple[int, int]]:
    """Yield long stretches between `>` and `<`: all from twice the minimum length, and some shorter ones."""
    place = done = 0
    while (end := body.find(b"<", place)) >= 0:
        if end - place >= LEAST_BYTES:
            start = body.rfind(b">", done, end) + 1
            if start and end - start >= LEAST_BYTES:
                yield start, end
        done, place = end, end + LEAST_BYTES


def _is_base64(run: memoryview) -> bool:
    try:
        b64decode(run, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


_TRUNCATED = frozenset(
    codes.codes[name]
    for name in (
        codes.XML_ERROR_NO_ELEMENTS,
        codes.XML_ERROR_UNCLOSED_TOKEN,
        codes.XML_ERROR_PARTIAL_CHAR,
        codes.XML_ERROR_UNCLOSED_CDATA_SECTION,
    )
)
_CLOSED = re.compile(rb"</(?:[\w.-]+:)?OAI-PMH\s*>\s*\Z")
_STYLED = re.compile(rb"\s*(?:<\?xml\s[^>]*\?>\s*)?<\?xml-stylesheet\s")
_LONG_BYTES = 500_000  # minimum size of a page that is checked in pieces
_PIECE_BYTES = 100_000
_RECORD, _RECORD_END = b"<record>", b"</record>"
# Between namespace and name. Expat rejects a namespace that contains the separator, unless that character is
# valid in a URI: with a blank as separator, a namespace with a blank in it would be an error.
SEPARATOR = "#"
FORBIDDEN = -1  # our own code: declared entities, which only attackers use


@dataclass(frozen=True, slots=True)
class Flaw:
    """The position and reason of a strict parser's rejection."""

    code: int
    message: str
    line: int
    column: int
    offset: int
    is_truncated: bool = False

    def __str__(self) -> str:
        return f"{self.message} (line {self.line}, column {self.column})"


class ForbiddenMarkup(Exception):
    """An entity declaration, or a reference that only a document type could resolve."""


def new_parser() -> expat.XMLParserType:
    """Return a parser that checks namespaces and rejects declared and skipped entities."""
    parser = expat.ParserCreate(namespace_separator=SEPARATOR)
    parser.EntityDeclHandler = _forbid_declaration
    parser.SkippedEntityHandler = _forbid_skipping
    return parser


def find_flaw(body: bytes) -> Flaw | None:
    """Return the first error in a page; None if it is well-formed."""
    return _try(new_parser(), body)


def examine(body: bytes) -> tuple[Flaw | None, bool]:
    """Return the first flaw, and whether every `<` in the page starts a tag.

    The latter is so without comments, CDATA sections, document types and processing instructions (except for
    a stylesheet's before the root). The parser reports those anyway, at no extra cost.
    """
    short = without_files(body)
    is_cut = len(short) > _LONG_BYTES and 0 <= short.find(_RECORD) < short.rfind(_RECORD_END)
    pieces = _pieces(short) if is_cut else iter([short])
    if (is_cut or short is not body) and all(_examine(piece) == (None, True) for piece in pieces):
        return None, True
    return _examine(body)


def _pieces(body: bytes) -> Iterator[bytes]:
    """Split a long list into several documents, each with some of its records and the same head and tail.

    If all of them are well-formed, so is the whole. The parser takes a third less time for them: a document
    of more than a megabyte is fed in parts, and the parser counts lines at the end of each. They are made one
    at a time to reuse memory: all at once take a fifth more time.
    """
    start, last = body.find(_RECORD), body.rfind(_RECORD_END) + len(_RECORD_END)
    head, tail, view = body[:start], body[last:], memoryview(body)
    while start < last:
        cut = body.find(_RECORD, start + _PIECE_BYTES, last)
        end = cut if cut > 0 else last
        yield b"".join((head, view[start:end], tail))
        start = end


def _examine(body: bytes) -> tuple[Flaw | None, bool]:
    parser = new_parser()
    odd: list[str] = []
    parser.CommentHandler = odd.append
    parser.StartCdataSectionHandler = lambda: odd.append("CDATA")
    parser.StartDoctypeDeclHandler = lambda *_: odd.append("DOCTYPE")
    parser.ProcessingInstructionHandler = lambda target, _: odd.append(target)
    flaw = _try(parser, body)
    is_styled = odd == ["xml-stylesheet"] and _STYLED.match(body) is not None
    return flaw, not odd or is_styled


def is_closed(body: bytes) -> bool:
    """Return whether a page ends with its root's end tag; if not, it is truncated."""
    return _CLOSED.search(body[-200:]) is not None


def _try(parser: expat.XMLParserType, body: bytes) -> Flaw | None:
    try:
        parser.Parse(body, True)
    except expat.ExpatError as exc:
        return _flaw(exc, parser.ErrorByteIndex, body)
    except ForbiddenMarkup as exc:
        return Flaw(FORBIDDEN, str(exc), parser.CurrentLineNumber, parser.CurrentColumnNumber, 0)
    except (LookupError, ValueError) as exc:  # an encoding that is unknown to Python or not a text encoding
        return Flaw(codes.codes[codes.XML_ERROR_UNKNOWN_ENCODING], str(exc), 1, 0, 0)
    return None


def _flaw(exc: expat.ExpatError, offset: int, body: bytes) -> Flaw:
    message = expat.ErrorString(exc.code)
    is_truncated = exc.code in _TRUNCATED and not is_closed(body)
    return Flaw(exc.code, message, exc.lineno, exc.offset, offset, is_truncated)


def _forbid_declaration(name: str, *_rest: object) -> None:
    raise ForbiddenMarkup(f"declares the entity {name!r}; declared entities are refused")


def _forbid_skipping(name: str, *_rest: object) -> None:
    raise ForbiddenMarkup(f"uses the undeclared entity {name!r}")


# Every page is converted to UTF-8 before it is cut, so that offsets and stored bytes are consistent.

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
# Python codecs that are not character encodings; some take quadratic time.
_NO_CHARSETS = frozenset(
    ("idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape")
)


def to_utf8(body: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Convert a page to UTF-8; also return descriptions of errors in its declared encoding.

    The encoding is taken from byte order mark, zero bytes and declaration. A UTF-8 page is returned unchanged
    except for a byte order mark. If the bytes do not match the declaration, the page is damaged and returned
    unchanged, for `page_repair`.
    """
    for mark, marked in _BOMS:
        if body.startswith(mark):
            return _transcode(body.removeprefix(mark), marked) or body, ()
    for start, encoding in _UNMARKED:
        if start.match(body):
            return _transcode(body, encoding) or body, ()
    named = declared_encoding(body)
    if named is None or named in _UTF8 or named.startswith(("utf-16", "utf16", "utf-32", "ucs")):
        return body, ()
    if named.startswith(_ONE_BYTE) and _is_utf8_after_all(body):
        return declare_utf8(body), (MISLABELLED,)
    return _transcode(body, named) or body, ()


def declared_encoding(body: bytes) -> str | None:
    found = _DECLARED.search(body[:_DECLARED_WITHIN])
    return found.group(2).decode("ascii").lower() if found else None


def declare_utf8(body: bytes) -> bytes:
    start, rest = body[:_DECLARED_WITHIN], body[_DECLARED_WITHIN:]
    return _DECLARED.sub(rb"\g<1>UTF-8\g<3>", start, count=1) + rest


def _is_utf8_after_all(body: bytes) -> bool:
    """Return whether a page with another declared encoding is UTF-8, which OAI-PMH requires.

    Text in a Latin encoding never happens to be valid UTF-8.
    """
    try:
        return not body.isascii() and bool(body.decode())
    except UnicodeDecodeError:
        return False


def _transcode(body: bytes, encoding: str) -> bytes | None:
    try:
        if codecs.lookup(encoding).name in _NO_CHARSETS:
            return None
        return declare_utf8(_decode(body, encoding).encode())
    except (LookupError, UnicodeError):
        return None


def _decode(body: bytes, encoding: str) -> str:
    """Decode a page; of one truncated in the middle of a character, all that precedes it."""
    try:
        return body.decode(encoding)
    except UnicodeDecodeError as exc:
        if exc.end < len(body):
            raise
        return body[: exc.start].decode(encoding)


# Descriptions of responses that are not OAI-PMH, for librarians to act on.

_TITLE = re.compile(rb"<title[^>]*>([^<]{0,200})", re.IGNORECASE)
_HTML = re.compile(
    # Atomic and possessive, so that a series of comments causes no catastrophic backtracking.
    rb"\s*+(?:<\?xml[^>]*\?>\s*+)?(?><!--.{0,2000}?-->\s*+)*+(?:<!doctype\s+html|<html[\s>])",
    re.IGNORECASE | re.DOTALL,
)
_WALLS = (b"just a moment", b"captcha", b"cf-challenge", b"attention required", b"are you human", b"anubis")
_ROOT = re.compile(rb"<(?![?!])(?:[\w.-]+:)?([\w.-]+)")


def describe_foreign_body(body: bytes) -> str:
    """Describe a response, as the rest of "the repository answered with …"."""
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
    return _HTML.match(body[:5000].removeprefix(b"\xef\xbb\xbf")) is not None


def _clean(raw: bytes) -> str:
    from html import unescape  # noqa: PLC0415 - thousands of names, for pages that are not ours

    text = unescape(raw.decode("utf-8", "replace"))
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
