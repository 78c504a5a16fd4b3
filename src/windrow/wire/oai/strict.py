"""Is this page well-formed? The first thing asked of every answer, before anything is cut out of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.parsers import expat
from xml.parsers.expat import errors as codes

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
_PROLOG_BYTES = 500
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


class ForbiddenMarkup(Exception):  # noqa: N818 - leaves this package only as a Flaw
    """An entity declaration, or a reference that a declared document type would have to explain."""


def new_parser() -> expat.XMLParserType:
    """Give a parser that checks namespaces too and refuses declared entities and skipped ones."""
    parser = expat.ParserCreate(namespace_separator=" ")
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
    parser = new_parser()
    odd: list[str] = []
    parser.CommentHandler = odd.append
    parser.StartCdataSectionHandler = lambda: odd.append("CDATA")
    parser.StartDoctypeDeclHandler = lambda *_: odd.append("DOCTYPE")
    parser.ProcessingInstructionHandler = lambda target, _: (
        None if target == "xml-stylesheet" and parser.CurrentByteIndex < _PROLOG_BYTES else odd.append(target)
    )
    return _try(parser, body), not odd


def _try(parser: expat.XMLParserType, body: bytes) -> Flaw | None:
    try:
        parser.Parse(body, True)
    except expat.ExpatError as exc:
        return _flaw(exc, parser.ErrorByteIndex, body)
    except ForbiddenMarkup as exc:
        return Flaw(FORBIDDEN, str(exc), parser.CurrentLineNumber, parser.CurrentColumnNumber, 0)
    except ValueError as exc:  # an encoding Python does not know
        return Flaw(codes.codes[codes.XML_ERROR_UNKNOWN_ENCODING], str(exc), 1, 0, 0)
    except LookupError as exc:
        return Flaw(codes.codes[codes.XML_ERROR_UNKNOWN_ENCODING], str(exc), 1, 0, 0)
    return None


def _flaw(exc: expat.ExpatError, offset: int, body: bytes) -> Flaw:
    message = expat.ErrorString(exc.code)
    is_truncated = exc.code in _TRUNCATED and not _CLOSED.search(body[-200:])
    return Flaw(exc.code, message, exc.lineno, exc.offset, offset, is_truncated)


def _forbid_declaration(name: str, *_rest: object) -> None:
    raise ForbiddenMarkup(f"declares the entity {name!r}; declared entities are refused")


def _forbid_skipping(name: str, *_rest: object) -> None:
    raise ForbiddenMarkup(f"uses the undeclared entity {name!r}")
