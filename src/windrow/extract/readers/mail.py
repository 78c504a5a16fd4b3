"""E-mail and news messages: sender, recipients, date, text, and the names of attachments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC
from email import message_from_bytes
from email.errors import HeaderParseError, MessageError
from email.header import decode_header
from email.message import Message
from email.policy import compat32
from email.utils import getaddresses, parsedate_to_datetime
from typing import Any, BinaryIO

from windrow.extract.html_markup import read_page
from windrow.extract.reading_job import Job, Unreadable
from windrow.extract.text_decoding import decode, fact_line, read_bytes, tidy_lines, with_line_feeds
from windrow.model.file_content import Extract

MOST_PARTS = 200
MOST_BOUNDARIES = 50
MOST_PEOPLE = 50
LONGEST_FIELD = 8000
_BOUNDARY = re.compile(rb"boundary\s{0,5}=", re.IGNORECASE)
_LONG_FIELD = re.compile(
    rb"^content-[a-z-]{1,40}:(?:[^\n]|\n[ \t]){%d}" % LONGEST_FIELD, re.IGNORECASE | re.MULTILINE
)
_PLAIN, _PAGE = "text/plain", "text/html"


def read(file: BinaryIO, job: Job) -> Extract:  # noqa: ARG001 - a reader
    data, notes = read_bytes(file)
    _refuse_costly(data)
    try:
        message = message_from_bytes(data, policy=compat32)
        parts = [part for part, _ in zip(message.walk(), range(MOST_PARTS), strict=False)]
        text, encoding = _text(parts)
        said = [*_said(message), *(("relation", name) for name in _attached(parts))]
    except (MessageError, RecursionError, LookupError, TypeError, ValueError) as exc:
        raise Unreadable("it is no message that can be read: its parts are broken") from exc
    return Extract(
        "message/rfc822",
        said=tuple(said),
        measured=(("encoding", encoding),) if encoding else (),
        text=(text,) if text else (),
        notes=tuple(notes),
    )


def _refuse_costly(data: bytes) -> None:
    """Refuse messages on which the parser is very slow.

    These have many nested parts, or fields with endless parameters.
    """
    if len(_BOUNDARY.findall(data)) > MOST_BOUNDARIES:  # each is searched in every line within it
        raise Unreadable(f"it has more than {MOST_BOUNDARIES} parts made of parts")
    if _LONG_FIELD.search(data):
        raise Unreadable(f"a field of its head is longer than {LONGEST_FIELD:,} characters")


def _said(message: Message) -> Iterator[tuple[str, str]]:
    yield from (("title", words) for words in [_field(message, "Subject")] if words)
    yield from (("creator", person) for person in _people(message, "From"))
    yield from (("contributor", person) for person in [*_people(message, "To"), *_people(message, "Cc")])
    yield from (("date", moment) for moment in [_moment(_field(message, "Date"))] if moment)
    for name, fact in (
        ("Message-ID", "identifier"),
        ("Content-Language", "language"),
        ("Newsgroups", "source"),
    ):
        words = _field(message, name).strip("<>")
        if words:
            yield fact, words


def _field(message: Message, name: str) -> str:
    """Return one header field with its encoded words resolved."""
    raw = str(message.get(name, ""))[:LONGEST_FIELD]
    try:
        pieces: Any = decode_header(raw)
    except (HeaderParseError, ValueError):
        return fact_line(raw)
    words = [
        decode(piece, declared=charset or "").text if isinstance(piece, bytes) else piece
        for piece, charset in pieces
    ]
    return fact_line("".join(words).encode("utf-8", "replace").decode())


def _people(message: Message, name: str) -> list[str]:
    """Return names, or addresses where there is no name."""
    found = getaddresses([_field(message, name)])
    people = [fact_line(person or address) for person, address in found[:MOST_PEOPLE]]
    return [person for person in people if person]


def _moment(words: str) -> str:
    try:
        moment = parsedate_to_datetime(words)
        if moment.tzinfo is None:
            return moment.strftime("%Y-%m-%dT%H:%M:%S")
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


def _text(parts: list[Message]) -> tuple[str, str]:
    """Return the text of the message and its encoding: plain text, or else HTML."""
    for kind in (_PLAIN, _PAGE):
        found = [_decoded(part) for part in parts if part.get_content_type() == kind and not _name_of(part)]
        texts = [read_page(text).text if kind == _PAGE else tidy_lines(text) for text, _ in found]
        if any(texts):
            return "\n\n".join(text for text in texts if text), found[0][1]
    return "", ""


def _decoded(part: Message) -> tuple[str, str]:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    decoded = decode(data, declared=str(part.get_content_charset() or ""))
    return with_line_feeds(decoded.text), decoded.encoding


def _name_of(part: Message) -> str:
    """Return the name of an attached part; "" for parts of the message itself."""
    if part.get_content_maintype() == "multipart":
        return ""
    name = fact_line(str(part.get_filename() or ""))
    return name or ("?" if part.get_content_disposition() == "attachment" else "")


def _attached(parts: list[Message]) -> list[str]:
    return [name for part in parts if (name := _name_of(part)) and name != "?"]
