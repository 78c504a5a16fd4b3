"""Is this page well-formed? The first thing asked of every answer, before anything is cut out of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.parsers import expat
from xml.parsers.expat import errors as codes

from windrow.wire.oai.by_value import without_files

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
_LONG_BYTES = 500_000  # a page to cut into pieces
_PIECE_BYTES = 100_000
_RECORD, _RECORD_END = b"<record>", b"</record>"
# Between address and name. Of what no name can hold, the parser lets pass in addresses only what belongs
# there: with a blank here, an address with a blank in it would be a flaw.
SEPARATOR = "#"
FORBIDDEN = -1  # our own code: declared entities, which nobody needs and attackers use


@dataclass(frozen=True, slots=True)
class Flaw:
    """Where and why a strict parser refuses a page."""

    code: int
    message: str
    line: int
    column: int
    offset: int
    is_truncated: bool = False

    def __str__(self) -> str:
        return f"{self.message} (line {self.line}, column {self.column})"


class ForbiddenMarkup(Exception):
    """An entity declaration, or a reference that a declared document type would have to explain."""


def new_parser() -> expat.XMLParserType:
    """Give a parser that checks namespaces too and refuses declared entities and skipped ones."""
    parser = expat.ParserCreate(namespace_separator=SEPARATOR)
    parser.EntityDeclHandler = _forbid_declaration
    parser.SkippedEntityHandler = _forbid_skipping
    return parser


def find_flaw(body: bytes) -> Flaw | None:
    """Give the first thing that makes this page not well-formed; None when it is."""
    return _try(new_parser(), body)


def examine(body: bytes) -> tuple[Flaw | None, bool]:
    """Give the first flaw, and whether every `<` in the page starts a tag.

    It does where there are no comments, CDATA sections, document types and processing instructions
    (a stylesheet's before the root aside). The parser sees those anyway; asking it costs nothing.
    """
    short = without_files(body)
    is_cut = len(short) > _LONG_BYTES and 0 <= short.find(_RECORD) < short.rfind(_RECORD_END)
    pieces = _pieces(short) if is_cut else iter([short])
    if (is_cut or short is not body) and all(_examine(piece) == (None, True) for piece in pieces):
        return None, True
    return _examine(body)


def _pieces(body: bytes) -> Iterator[bytes]:
    """Give a long list as several short ones: each some of its records, with the same head and tail.

    If all of them are well-formed, so is the whole. The parser takes a third less time for them: what is
    longer than a megabyte it is fed in parts, and at the end of each part it counts lines. They are made one
    at a time, so that one takes the place of the other in memory: all of them at once take a fifth more.
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
    """Does this page end with its root's end tag? What does not is cut short, whatever else is wrong."""
    return _CLOSED.search(body[-200:]) is not None


def _try(parser: expat.XMLParserType, body: bytes) -> Flaw | None:
    try:
        parser.Parse(body, True)
    except expat.ExpatError as exc:
        return _flaw(exc, parser.ErrorByteIndex, body)
    except ForbiddenMarkup as exc:
        return Flaw(FORBIDDEN, str(exc), parser.CurrentLineNumber, parser.CurrentColumnNumber, 0)
    except (LookupError, ValueError) as exc:  # an encoding that Python does not know, or not as one of bytes
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
