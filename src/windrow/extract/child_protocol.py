"""What goes between a worker and its child: an errand one way, an answer the other, lengths ahead of each.

The child reads files of strangers, so nothing it sends is believed: lengths are held against the limits
before anything is kept, the rest is JSON whose every value is looked at, and text beside it as plain UTF-8.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from windrow.extract.reading_job import Code, Job, Limits, Refusal
from windrow.model.document import Heading
from windrow.model.file_content import Extract, Member

What = Literal["all", "picture", "member"]
ERRAND_LENGTH = struct.Struct("!I")
ANSWER_LENGTHS = struct.Struct("!III")  # of the JSON, of the text, of the picture or member
ERRAND_BYTES = 64_000  # fits into the buffer of a socket, so that sending never waits
READY = b"+"  # the first byte a child sends
BYTES_PER_CHARACTER = 4  # in UTF-8, at most
REASON_CHARACTERS = 500
PAGES = 100_000
CODES: tuple[Code, ...] = ("time", "memory", "crash", "output", "unreadable", "missing")

T = TypeVar("T")


class BadMessage(Exception):
    """What came is no message of ours."""


@dataclass(frozen=True, slots=True)
class Errand:
    """What a child is to do with the file that comes along. Its answer has the same `number`."""

    what: What
    job: Job
    number: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a child gave. `body` is the picture, empty where there is none, or the member's bytes."""

    extract: Extract | None
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Received:
    """An answer as it came in. With `is_last` the child does no more after it."""

    outcome: Answer | Refusal
    is_last: bool


def pack_errand(errand: Errand) -> bytes:
    """Write an errand, its length ahead."""
    job = errand.job
    words = [errand.number, errand.what, job.name, job.declared, job.member, job.page, job.size]
    words.append(job.most_members)
    packed = json.dumps(words).encode("ascii")
    if len(packed) > ERRAND_BYTES:
        raise BadMessage("its name is too long")
    return ERRAND_LENGTH.pack(len(packed)) + packed


def unpack_errand(packed: bytes) -> Errand:
    """Read an errand, without its length."""
    number, what, *words = json.loads(packed)
    return Errand(what, Job(*words), number)


def pack_answer(outcome: Answer | Refusal, number: int, *, is_last: bool) -> list[bytes]:
    """Write the answer to the errand of this number in pieces, its lengths first."""
    facts: dict[str, object] = {"number": number, "last": is_last}
    if isinstance(outcome, Refusal):
        return _framed(facts | {"reason": outcome.reason[:REASON_CHARACTERS], "code": outcome.code}, [], b"")
    text = [page.encode("utf-8", "replace") for page in outcome.extract.text] if outcome.extract else []
    extract = _plain(outcome.extract, text) if outcome.extract else None
    return _framed(facts | {"extract": extract}, text, outcome.body)


def facts_length(pieces: Sequence[bytes]) -> int:
    """How long an answer is without its text and picture."""
    return int(ANSWER_LENGTHS.unpack(pieces[0])[0])


def answer_length(buffer: bytes | bytearray, what: What, limits: Limits) -> int | None:
    """How long the answer that begins here is; None: too little has come. BadMessage if over a limit."""
    if len(buffer) < ANSWER_LENGTHS.size:
        return None
    facts, text, body = ANSWER_LENGTHS.unpack_from(buffer)
    largest = limits.member_bytes if what == "member" else limits.picture_bytes
    if facts > limits.facts_bytes or text > limits.text_characters * BYTES_PER_CHARACTER or body > largest:
        raise BadMessage("it gave more than may be kept of one file")
    return ANSWER_LENGTHS.size + int(facts) + int(text) + int(body)


def unpack_answer(packed: bytes, errand: Errand) -> Received:
    """Read a whole answer to an errand; BadMessage where it is none."""
    facts_bytes, text_bytes, _ = ANSWER_LENGTHS.unpack_from(packed)
    text_start = ANSWER_LENGTHS.size + facts_bytes
    body_start = text_start + text_bytes
    try:
        facts = _typed(json.loads(packed[ANSWER_LENGTHS.size : text_start]), dict)
        outcome = _outcome(facts, packed[text_start:body_start], packed[body_start:])
    except (ValueError, TypeError, KeyError, RecursionError) as exc:
        raise BadMessage("the reader's answer makes no sense") from exc
    is_other = isinstance(outcome, Answer) and (outcome.extract is None) == (errand.what == "all")
    if is_other or facts.get("number") != errand.number:
        raise BadMessage("the reader answered what nobody asked")
    return Received(outcome, facts.get("last") is True)


def _framed(facts: object, text: list[bytes], body: bytes) -> list[bytes]:
    packed = json.dumps(facts, separators=(",", ":")).encode("ascii")
    lengths = ANSWER_LENGTHS.pack(len(packed), sum(map(len, text)), len(body))
    return [lengths, packed, *text, body]


def _plain(extract: Extract, text: list[bytes]) -> list[object]:
    return [
        extract.media_type,
        extract.said,
        extract.measured,
        [len(page) for page in text],
        extract.is_paged,
        extract.headings,
        extract.members,
        extract.notes,
    ]


def _outcome(facts: dict[str, Any], text: bytes, body: bytes) -> Answer | Refusal:
    if "reason" in facts:
        code: Code = next((code for code in CODES if code == facts["code"]), "crash")
        return Refusal(_clean(facts["reason"])[:REASON_CHARACTERS], code)
    return Answer(None if facts["extract"] is None else _extract(facts["extract"], text), body)


def _extract(values: Any, text: bytes) -> Extract:
    media_type, said, measured, lengths, is_paged, headings, members, notes = _typed(values, list)
    return Extract(
        _clean(media_type),
        _each(said, _pair),
        _each(measured, _pair),
        _pages(_typed(lengths, list), text),
        _typed(is_paged, bool),
        _each(headings, _heading),
        _each(members, _member),
        _each(notes, _clean),
    )


def _pages(lengths: list[Any], text: bytes) -> tuple[str, ...]:
    if len(lengths) > PAGES or sum(_count(length) for length in lengths) != len(text):
        raise ValueError
    pages, start = [], 0
    for length in lengths:
        pages.append(text[start : start + length].decode("utf-8", "replace"))
        start += length
    return tuple(pages)


def _each(values: Any, make: Callable[[Any], T]) -> tuple[T, ...]:
    return tuple(make(value) for value in _typed(values, list))


def _pair(value: Any) -> tuple[str, str]:
    name, text = _typed(value, list)
    return _clean(name), _clean(text)


def _heading(value: Any) -> Heading:
    title, level, page = _typed(value, list)
    return Heading(_clean(title), _count(level), None if page is None else _count(page))


def _member(value: Any) -> Member:
    name, size, modified = _typed(value, list)
    return Member(_clean(name), _count(size), None if modified is None else _typed(modified, int))


def _clean(value: Any) -> str:
    """Text that can be stored: half a surrogate pair cannot."""
    text = _typed(value, str)
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _count(value: Any) -> int:
    number = _typed(value, int)
    if number < 0 or number >= 1 << 62:
        raise ValueError
    return number


def _typed(value: Any, kind: type[T]) -> T:
    if type(value) is not kind:  # True is no number here
        raise TypeError
    return value
