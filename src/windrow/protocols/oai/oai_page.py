"""The parsed contents of an OAI-PMH response, independent of the parser that read it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from windrow.model.record import Record, Reject

NAMESPACE = "http://www.openarchives.org/OAI/2.0/"
LISTS = ("ListRecords", "ListIdentifiers", "GetRecord")


@dataclass(frozen=True, slots=True)
class Token:
    """A resumptionToken element; an empty value ends the list."""

    value: str
    cursor: int | None = None
    size: int | None = None  # completeListSize
    expires: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """An OAI-PMH error element."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """One response to ListRecords, ListIdentifiers or GetRecord."""

    response_date: str | None
    records: list[Record] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    token: Token | None = None
    faults: tuple[Fault, ...] = ()
    repairs: tuple[str, ...] = ()  # descriptions of the repairs without which it did not parse


# Character references in values that are cut out of a page as bytes.

_NAMED = {b"amp": b"&", b"lt": b"<", b"gt": b">", b"quot": b'"', b"apos": b"'"}
_REFERENCE = re.compile(rb"&(?:#x0*([0-9a-fA-F]{1,6})|#0*([0-9]{1,7})|([a-z]{2,4}));")


def decode_references(value: bytes) -> str:
    """Return the text of well-formed character data without markup inside."""
    if b"&" in value:
        value = _REFERENCE.sub(_replace, value)
    return value.decode("utf-8", "replace").strip()


def _replace(match: re.Match[bytes]) -> bytes:
    hexadecimal, decimal, name = match.groups()
    if name:
        return _NAMED.get(name, match.group())
    code = int(hexadecimal, 16) if hexadecimal else int(decimal)
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return match.group()
    return chr(code).encode()


# The resumptionToken element, from its text and its attributes.

_ATTRIBUTE = re.compile(rb"""\s(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_BLANK = re.compile(rb"\r\n|[\t\r\n]")  # in attributes, normalised to spaces
_MAX_DIGITS = 15


def make_token(text: str, attributes: Mapping[str, str]) -> Token:
    """Return the token; attributes may be missing or invalid."""
    return Token(
        text.strip(),
        _number(attributes.get("cursor", "")),
        _number(attributes.get("completeListSize", "")),
        attributes.get("expirationDate", "").strip() or None,
    )


def parse_attributes(tag: bytes) -> dict[str, str]:
    """Return the attributes without a prefix in a start tag, as far as they can be parsed."""
    found = _ATTRIBUTE.findall(tag)
    return {
        name.decode("ascii"): decode_references(_BLANK.sub(b" ", double or single))
        for name, double, single in found
    }


def _number(text: str) -> int | None:
    """Return a count; some servers send words, blanks or a minus sign."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS else None


# Several OAI-PMH documents in one response, from servers that write theirs twice: split, parsed, joined.

_ROOT_TAG = re.compile(rb"<(?:[\w.-]+:)?OAI-PMH[\s>]|</(?:[\w.-]+:)?OAI-PMH\s*>")


def split_documents(body: bytes) -> list[bytes]:
    """Split a body into its documents; text between two documents belongs to the later one.

    Return the body undivided if the start and end tags of roots do not alternate.
    """
    tags = list(_ROOT_TAG.finditer(body))
    is_in_turn = all(tag.group().startswith(b"</") == bool(turn % 2) for turn, tag in enumerate(tags))
    if not is_in_turn or len(tags) < 3:
        return [body]
    cuts = [end.end() for end, _next_start in zip(tags[1::2], tags[2::2], strict=False)]
    pieces = zip([0, *cuts], [*cuts, len(body)], strict=True)
    return [body[start:end].lstrip() for start, end in pieces]


def join_pages(pages: list[Page]) -> Page:
    """Return one page with all records, the last token, and a note about the repair."""
    words = f"{len(pages)} OAI-PMH documents in one answer; all were read"
    records = [record for page in pages for record in page.records]
    return Page(
        pages[0].response_date,
        records,
        [reject for page in pages for reject in page.rejects],
        next((page.token for page in reversed(pages) if page.token), None),
        () if records else pages[0].faults,
        tuple(dict.fromkeys([words, *(repair for page in pages for repair in page.repairs)])),
    )
