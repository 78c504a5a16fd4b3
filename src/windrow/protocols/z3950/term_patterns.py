"""Conversion of clients' regular expressions to a few patterns with `*` and `?`, and to event conditions.

Untrusted expressions are never executed. Alternatives for single letters are expanded: `(a|b)c`, `[12]`,
`x?`; `.` becomes `?`, and `.*` becomes `*`. Repetitions of anything else, and ranges of many letters, have no
equivalent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import product

from windrow.model.query import Not, Phrase, Query, SameEvent, Word, all_of, any_of

MOST_PATTERNS = 60
_REPEATS = "*+?{"
_SPECIAL = "\\.[]()|*+?{}^$"


class NoPattern(ValueError):
    """An expression that is not equivalent to a few patterns."""


def patterns_of(expression: str) -> list[str]:
    """Return the patterns that together match what an expression matches as a whole."""
    reader = _Reader(expression)
    found = reader.alternatives()
    if not reader.is_done:
        raise NoPattern(f"a bracket is closed that was not opened: {expression}")
    return list(dict.fromkeys(found))


def top_level_parts(expression: str, separator: str) -> list[str]:
    """Split an expression at separators outside of brackets."""
    parts, depth, start, place = [], 0, 0, 0
    is_class = False
    while place < len(expression):
        sign = expression[place]
        if sign == "\\":
            place += 1
        elif is_class:
            is_class = sign != "]"
        elif sign == "[":
            is_class = True
        elif sign in "()":
            depth += 1 if sign == "(" else -1
        elif sign == separator and depth == 0:
            parts.append(expression[start:place])
            start = place + 1
        place += 1
    return [*parts, expression[start:]]


class _Reader:
    """Parses an expression from left to right, with groups of limited depth."""

    def __init__(self, expression: str) -> None:
        self._text = expression
        self._place = 0
        self._depth = 0

    @property
    def is_done(self) -> bool:
        return self._place >= len(self._text)

    def alternatives(self) -> list[str]:
        found = self._sequence()
        while self._peek() == "|":
            self._place += 1
            found = _bounded([*found, *self._sequence()])
        return found

    def _sequence(self) -> list[str]:
        found = [""]
        while not self.is_done and self._peek() not in "|)":
            found = _bounded([start + end for start, end in product(found, self._repeated())])
        return found

    def _repeated(self) -> list[str]:
        atom = self._atom()
        sign = self._peek()
        if not sign or sign not in _REPEATS:
            return atom
        self._place += 1
        if sign == "?":
            return ["", *atom]
        if atom != ["?"] or sign == "{":
            raise NoPattern(f"only . can be repeated: {self._text}")
        return ["*"] if sign == "*" else ["?*"]

    def _atom(self) -> list[str]:
        sign = self._text[self._place]
        self._place += 1
        if sign == ".":
            return ["?"]
        if sign == "(":
            return self._group()
        if sign == "[":
            return self._class()
        if sign == "\\":
            sign = self._peek()
            self._place += 1
            if not sign or sign.isalnum():
                raise NoPattern(f"\\{sign} has no pattern: {self._text}")
        elif sign in _SPECIAL:
            raise NoPattern(f"{sign} has no pattern here: {self._text}")
        return [" " if sign in "*?" else sign]  # would be wildcards in a pattern

    def _group(self) -> list[str]:
        self._depth += 1
        if self._depth > 10:
            raise NoPattern("groups are nested too deeply")
        found = self.alternatives()
        if self._peek() != ")":
            raise NoPattern(f"a bracket is not closed: {self._text}")
        self._place += 1
        self._depth -= 1
        return found

    def _class(self) -> list[str]:
        end = self._text.find("]", self._place)
        inner = self._text[self._place : end]
        if end < 0 or not inner or inner[0] == "^" or "\\" in inner:
            raise NoPattern(f"this has no pattern: [{inner}]")
        self._place = end + 1
        found: list[str] = []
        place = 0
        while place < len(inner):
            if inner[place + 1 : place + 2] == "-" and place + 2 < len(inner):
                first, last = ord(inner[place]), ord(inner[place + 2])
                if last - first >= MOST_PATTERNS:
                    raise NoPattern(f"this stands for too many letters: [{inner}]")
                found += map(chr, range(first, last + 1))
                place += 3
            else:
                found.append(inner[place])
                place += 1
        if not found or any(sign in "*?" for sign in found):
            raise NoPattern(f"this has no pattern: [{inner}]")
        return _bounded(found)

    def _peek(self) -> str:
        return self._text[self._place : self._place + 1]


def _bounded(found: list[str]) -> list[str]:
    if len(found) > MOST_PATTERNS:
        raise NoPattern(f"this stands for more than {MOST_PATTERNS} patterns")
    return found


# Regular expressions over a whole event, as sent by clients of Studera.NU, as conditions on one event. There
# an event was one string, `identifier;period;kind;intensity;place;language;time`, which clients searched for
# with expressions such as `.*;2002p1;(sommar|bunden|flexibel);full;2280;sv;.*`. The parts between semicolons
# are matched with the slots of an event. If the first or last parts are missing, or `.*` may stand for
# several parts, every assignment of parts to slots is an alternative, unless a part cannot be a value of its
# slot.

SLOTS = ("identifier", "period", "kind", "intensity", "place", "language", "time")
_ANY = frozenset((".*", ".+", "[^;]*", "[^;]+", ".*?"))
_DIGITS = re.compile(r"\[0-9\](?:[+*]|\{4\})|(?:\[0-9\]){4}|\\d(?:[+*]|\{4\})|(?:\\d){4}")
_FLEXIBLE = "flexibel"  # replaces the number of a place
# The possible values of a slot, by the grammar of the service; `*` and `?` may stand for any of their
# letters.
_VALUES = {
    "identifier": re.compile(r"[\w*?.:/-]+"),
    "period": re.compile(r"[0-9?]{4}p[0-9?]|[0-9p?]*\*[0-9p?*]*"),
    "kind": re.compile(r"bunden|flexibel|sommar|[\w?]*\*[\w?*]*"),
    "intensity": re.compile(r"[^\W\d][\w?*]*|\*[\w?*]*"),
    "place": re.compile(r"[0-9?*]{1,4}|flexibel|[\w?]*\*[\w?*]*"),
    "language": re.compile(r"[a-z?]{2}|[a-z]?\*"),
    "time": re.compile(r"[^\W\d][\w?*]*|\*[\w?*]*"),
}


def event_query(expression: str) -> Query:
    """Convert an expression to a condition on one event; raise NoPattern if it does not follow the slots."""
    bare = expression.strip().removeprefix("^").removesuffix("$")
    parts = [part.strip() for part in top_level_parts(bare, ";")]
    if len(parts) > 1 and not parts[-1]:
        parts[-1] = ".*"
    if len(parts) > len(SLOTS):
        raise NoPattern(f"an event has {len(SLOTS)} parts between its semicolons")
    read = [None if part in _ANY or not part else _conditions(part) for part in parts]
    if all(part is None for part in read):
        raise NoPattern("every part may be anything")
    ways = dict.fromkeys(map(tuple, _ways(read, is_whole=len(parts) == len(SLOTS))))
    if not ways:
        raise NoPattern("the parts do not follow the slots of an event")
    asked = [_condition(read, way) for way in ways if not _has_identifier(read, way)]
    if not asked:
        raise NoPattern("the identifier of an event cannot be searched")
    return any_of(map(SameEvent, asked))


class _Conditions:
    """The patterns of one part."""

    def __init__(self, patterns: list[str], *, has_digits: bool = False) -> None:
        self.patterns = patterns
        self.has_digits = has_digits

    def fits(self, slot: str) -> bool:
        if self.has_digits:
            return slot == "place"
        return any(_VALUES[slot].fullmatch(pattern) for pattern in self.patterns)

    def query(self, slot: str) -> Query:
        asked = [_leaf(pattern, slot) for pattern in self.patterns]
        if self.has_digits:  # any number: any place except the word for none
            asked.append(all_of([Word("*", slot, is_pattern=True), Not(Phrase((_FLEXIBLE,), slot))]))
        return any_of(asked)


def _conditions(part: str) -> _Conditions:
    alternatives = top_level_parts(_bare(part), "|")
    others = [each for each in alternatives if not _DIGITS.fullmatch(each)]
    patterns = patterns_of("|".join(others)) if others else []
    return _Conditions(patterns, has_digits=len(others) < len(alternatives))


def _bare(part: str) -> str:
    if part.startswith("(") and part.endswith(")") and len(top_level_parts(part[1:-1], ")")) == 1:
        inner = part[1:-1]
        if "(" not in inner and ")" not in inner:
            return inner
    return part


def _ways(read: list[_Conditions | None], *, is_whole: bool) -> Iterator[list[int]]:
    if is_whole:
        yield list(range(len(SLOTS)))
        return
    yield from _onward(read, 0, 0, [])


def _onward(read: list[_Conditions | None], part: int, slot: int, way: list[int]) -> Iterator[list[int]]:
    if part == len(read):
        yield way
        return
    onward = partial(_onward, read, part + 1)
    # Slots may be skipped before the first part, and at a part that matches anything.
    furthest = len(SLOTS) - (len(read) - part)
    is_loose = part == 0 or read[part - 1] is None
    condition = read[part]
    for each in range(slot, furthest + 1 if is_loose else min(slot, furthest) + 1):
        if condition is None or condition.fits(SLOTS[each]):
            yield from onward(each + 1, [*way, each])


def _has_identifier(read: list[_Conditions | None], way: tuple[int, ...]) -> bool:
    """Return whether an assignment includes the identifier of an event, for which there is no field."""
    found = next((part for part, slot in zip(read, way, strict=True) if SLOTS[slot] == "identifier"), None)
    return found is not None and found.patterns != ["*"]


def _condition(read: list[_Conditions | None], way: tuple[int, ...]) -> Query:
    pairs = zip(read, way, strict=True)
    asked = [part.query(SLOTS[slot]) for part, slot in pairs if part is not None and slot > 0]
    return all_of(asked)


def _leaf(pattern: str, slot: str) -> Query:
    if "*" in pattern or "?" in pattern:
        return Word(pattern, slot, is_pattern=True)
    return Word(pattern, slot) if slot == "language" else Phrase(tuple(pattern.split()), slot)
