"""What somebody looks for, as one tree: every language of queries parses into it, every index renders it.

A node's `str` is its canonical text, which `windrow.wire.query` parses back to the same node. Make
combinations with `all_of`, `any_of`, `at_least`: they keep the tree in its plainest form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from windrow.model.query_fields import FIELDS, FieldKind

QUOTES = '"“”„«»'
OPERATORS = {"AND": "AND", "OR": "OR", "NOT": "NOT", "&&": "AND", "||": "OR"}  # as written, and what is meant
EVENT = "event"  # written like a field: event:(place:Oslo period:autumn)
MOST_EDITS = 2

_ALWAYS = frozenset("\\()*?~^" + QUOTES)
_LEADING = frozenset("+-![{<>")
_TRAILING = frozenset(",;:!.")
_PLAIN_BOUND = re.compile(r"[0-9]+(?:-[0-9]+)*|[0-9]{4}/[0-9]{2}")
_SPANNED = (FieldKind.NUMBER, FieldKind.DATE)  # kinds whose ranges need no brackets


@dataclass(frozen=True, slots=True)
class Everything:
    """All documents."""

    def __str__(self) -> str:
        return "*"


@dataclass(frozen=True, slots=True)
class Word:
    """One word, in a field or anywhere. In a pattern `*` stands for any letters, `?` for one.

    In a field that is compared exactly it is the whole value. A text that comes to several words ("e-mail")
    wants them side by side; the pattern `*` wants any value at all.
    """

    text: str
    field: str | None = None
    is_pattern: bool = False
    edits: int = 0  # how many letters may differ
    boost: float = 1.0

    def __str__(self) -> str:
        end = (f"~{self.edits}" if self.edits else "") + _boosted(self.boost)
        return _prefixed(self.field) + _escaped(self) + end


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words side by side in one value, in this order and just as they stand.

    With `slop`, in either order: each word and the next one of the phrase are somewhere in one value with at
    most so many others between them.
    """

    words: tuple[str, ...]
    field: str | None = None
    slop: int = 0
    boost: float = 1.0

    def __str__(self) -> str:
        end = (f"~{self.slop}" if self.slop else "") + _boosted(self.boost)
        return _prefixed(self.field) + quoted(" ".join(self.words)) + end


@dataclass(frozen=True, slots=True)
class Value:
    """A field has exactly this value as it stands, capitals and all: what a click on a count asks for.

    Only idle whitespace, and two ways to write the same letter, make no difference. A set has those below it.
    """

    text: str
    field: str

    def __str__(self) -> str:
        return f"{self.field}={quoted(self.text)}"


@dataclass(frozen=True, slots=True)
class Range:
    """Values from low to high, either of which may be open."""

    field: str
    low: str | None = None
    high: str | None = None
    is_low_inside: bool = True
    is_high_inside: bool = True

    def __str__(self) -> str:
        bounds = [bound for bound in (self.low, self.high) if bound is not None]
        is_plain = FIELDS[self.field].kind in _SPANNED and all(map(_PLAIN_BOUND.fullmatch, bounds))
        if is_plain and bounds and self.is_low_inside and self.is_high_inside:
            return f"{self.field}:{self.low or ''}..{self.high or ''}"
        low, high = ("" if bound is None else quoted(bound) for bound in (self.low, self.high))
        start, end = "[" if self.is_low_inside else "{", "]" if self.is_high_inside else "}"
        return f"{self.field}:{start}{low}..{high}{end}"


@dataclass(frozen=True, slots=True)
class And:
    """All of these."""

    parts: tuple[Query, ...]

    def __str__(self) -> str:
        return " ".join(f"({part})" if isinstance(part, And | Or) else str(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Or:
    """One of these at least."""

    parts: tuple[Query, ...]

    def __str__(self) -> str:
        return " OR ".join(f"({part})" if isinstance(part, And | Or) else str(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class AtLeast:
    """At least so many of these: more than one, and not all of them. Make it with `at_least`."""

    number: int
    parts: tuple[Query, ...]

    def __str__(self) -> str:
        inner = " ".join(f"({part})" if isinstance(part, And | Or) else str(part) for part in self.parts)
        return f"({inner})~{self.number}"


@dataclass(frozen=True, slots=True)
class Not:
    """All documents but these."""

    part: Query

    def __str__(self) -> str:
        return f"-({self.part})" if isinstance(self.part, And | Or | Not) else f"-{self.part}"


@dataclass(frozen=True, slots=True)
class SameEvent:
    """Documents with one event for which all of this holds; what is negated, does not hold for that one.

    Only the event itself is asked: a word without a field may stand in any of its fields, and `language` is
    its own. Outside of this, a condition on a field of events wants some event that has it.
    """

    part: Query

    def __str__(self) -> str:
        return f"{EVENT}:({self.part})"


Query = Everything | Word | Phrase | Value | Range | And | Or | AtLeast | Not | SameEvent
NOTHING = Not(Everything())


def all_of(parts: Iterable[Query]) -> Query:
    """All of these, as plain as it can be said: no And in an And, nothing twice, nothing idle."""
    flat = (inner for part in parts for inner in (part.parts if isinstance(part, And) else (part,)))
    found = tuple(dict.fromkeys(part for part in flat if not isinstance(part, Everything)))
    if not found:
        return Everything()
    return found[0] if len(found) == 1 else And(found)


def any_of(parts: Iterable[Query]) -> Query:
    """One of these at least, as plain as it can be said; of nothing at all, no document."""
    flat = (inner for part in parts for inner in (part.parts if isinstance(part, Or) else (part,)))
    found = tuple(dict.fromkeys(flat))
    if not found:
        return NOTHING
    return found[0] if len(found) == 1 else Or(found)


def at_least(number: int, parts: Iterable[Query]) -> Query:
    """Return the condition that so many of these hold, in its plainest form."""
    found = tuple(dict.fromkeys(parts))
    if number >= len(found):
        return all_of(found)
    return any_of(found) if number <= 1 else AtLeast(number, found)


def exactly(field: str, text: str) -> Range:
    """Return the condition that a value of a field is just this text, but for case and diacritics."""
    return Range(field, text, text)


def is_exact(query: Range) -> bool:
    """Return whether a range has room for one text only."""
    return query.low is not None and query.low == query.high and query.is_low_inside and query.is_high_inside


def without_values(query: Query) -> Query:
    """Return a query without the single values among its alternatives: what can be marked in a text."""
    match query:
        case Or(parts):
            return any_of(
                without_values(part) for part in parts if not (isinstance(part, Range) and is_exact(part))
            )
        case And(parts):
            return all_of(map(without_values, parts))
        case AtLeast(number, parts):
            return at_least(number, map(without_values, parts))
        case _:
            return query


def spelled_out(query: AtLeast) -> Query:
    """Return the same condition with And and Or alone; grows quickly with the number of parts."""
    return any_of(all_of(chosen) for chosen in combinations(query.parts, query.number))


def quoted(text: str) -> str:
    """A text in quotation marks, as the query language writes it."""
    return (
        '"'
        + "".join(f"\\{letter}" if letter in QUOTES or letter == "\\" else letter for letter in text)
        + '"'
    )


def _prefixed(field: str | None) -> str:
    return f"{field}:" if field else ""


def _boosted(boost: float) -> str:
    return "" if boost == 1 else "^" + f"{boost:.6f}".rstrip("0").rstrip(".")


def _escaped(word: Word) -> str:
    """The text of a word so that nothing in it means anything but itself; wildcards stay."""
    text, last = word.text, len(word.text) - 1
    if text in OPERATORS:
        return f"\\{text}"
    special = _ALWAYS - {"*", "?"} if word.is_pattern else _ALWAYS
    if word.field is None:
        special |= {":", "="}
    elif FIELDS[word.field].kind in _SPANNED:
        special |= {"."}

    def is_special(place: int, letter: str) -> bool:
        is_edge = (place == 0 and letter in _LEADING) or (place == last and letter in _TRAILING)
        return is_edge or letter in special or letter.isspace()

    return "".join(
        f"\\{letter}" if is_special(place, letter) else letter for place, letter in enumerate(text)
    )
