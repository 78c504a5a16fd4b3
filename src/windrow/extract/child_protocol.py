"""Messages between a parent and its child: errands one way, answers the other, each with its lengths first.

The child reads untrusted files, so nothing it sends is trusted: lengths are checked against the limits before
anything is stored, the rest is JSON whose every value is checked, with the text as UTF-8 beside it.
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
ERRAND_BYTES = 64_000  # fits into the buffer of a socket, so that sending never blocks
READY = b"+"  # the first byte a child sends
BYTES_PER_CHARACTER = 4  # maximum in UTF-8
REASON_CHARACTERS = 500
PAGES = 100_000
CODES: tuple[Code, ...] = ("time", "memory", "crash", "output", "unreadable", "missing")

T = TypeVar("T")


class BadMessage(Exception):
    """A message that violates the protocol."""


@dataclass(frozen=True, slots=True)
class Errand:
    """A request to a child, sent along with a file. The answer has the same `number`."""

    what: What
    job: Job
    number: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The result from a child. `body` is the picture (b"" if there is none) or the member's bytes."""

    extract: Extract | None
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Received:
    """A received answer. With `is_last` the child exits after it."""

    outcome: Answer | Refusal
    is_last: bool


def pack_errand(errand: Errand) -> bytes:
    """Pack an errand, with its length first."""
    job = errand.job
    words = [errand.number, errand.what, job.name, job.declared, job.member, job.page, job.size]
    words.append(job.most_members)
    packed = json.dumps(words).encode("ascii")
    if len(packed) > ERRAND_BYTES:
        raise BadMessage("its name is too long")
    return ERRAND_LENGTH.pack(len(packed)) + packed


def unpack_errand(packed: bytes) -> Errand:
    """Unpack an errand, without its length."""
    number, what, *words = json.loads(packed)
    return Errand(what, Job(*words), number)


def pack_answer(outcome: Answer | Refusal, number: int, *, is_last: bool) -> list[bytes]:
    """Pack the answer to an errand as pieces, its lengths first."""
    facts: dict[str, object] = {"number": number, "last": is_last}
    if isinstance(outcome, Refusal):
        return _framed(facts | {"reason": outcome.reason[:REASON_CHARACTERS], "code": outcome.code}, [], b"")
    text = [page.encode("utf-8", "replace") for page in outcome.extract.text] if outcome.extract else []
    extract = _plain(outcome.extract, text) if outcome.extract else None
    return _framed(facts | {"extract": extract}, text, outcome.body)


def facts_length(pieces: Sequence[bytes]) -> int:
    """Return the length of an answer without its text and picture."""
    return int(ANSWER_LENGTHS.unpack(pieces[0])[0])


def answer_length(buffer: bytes | bytearray, what: What, limits: Limits) -> int | None:
    """Return the length of the answer in a buffer; None: incomplete. Raises BadMessage above a limit."""
    if len(buffer) < ANSWER_LENGTHS.size:
        return None
    facts, text, body = ANSWER_LENGTHS.unpack_from(buffer)
    largest = limits.member_bytes if what == "member" else limits.picture_bytes
    if facts > limits.facts_bytes or text > limits.text_characters * BYTES_PER_CHARACTER or body > largest:
        raise BadMessage("it gave more than may be kept of one file")
    return ANSWER_LENGTHS.size + int(facts) + int(text) + int(body)


def unpack_answer(packed: bytes, errand: Errand) -> Received:
    """Unpack a complete answer to an errand; raises BadMessage if it is invalid."""
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
    """Return text that can be stored, without unpaired surrogates."""
    text = _typed(value, str)
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _count(value: Any) -> int:
    number = _typed(value, int)
    if number < 0 or number >= 1 << 62:
        raise ValueError
    return number


def _typed(value: Any, kind: type[T]) -> T:
    if type(value) is not kind:  # True is not a number here
        raise TypeError
    return value
