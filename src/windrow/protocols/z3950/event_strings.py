"""Regular expressions over a whole event, as the clients of Studera.NU asked, as conditions on one event.

An event was one string, `identifier;period;kind;intensity;place;language;time`, and was looked for with
`.*;2002p1;(sommar|bunden|flexibel);full;2280;sv;.*`. Parts between semicolons are matched with the slots of
an event. Where the first parts or the last are missing, or `.*` may be several of them, each way in which the
parts can lie over the slots is one that is asked for, unless a value cannot be one of its slot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from windrow.model.query import Not, Phrase, Query, SameEvent, Word, all_of, any_of
from windrow.protocols.z3950.patterns import NoPattern, patterns_of, top_level_parts

SLOTS = ("identifier", "period", "kind", "intensity", "place", "language", "time")
_ANY = frozenset((".*", ".+", "[^;]*", "[^;]+", ".*?"))
_DIGITS = re.compile(r"\[0-9\](?:[+*]|\{4\})|(?:\[0-9\]){4}|\\d(?:[+*]|\{4\})|(?:\\d){4}")
_FLEXIBLE = "flexibel"  # in place of a place's number
# What a value of a slot can be, by the grammar of the service; `*` and `?` may be any letters of it.
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
    """Return what an expression asks of one event; NoPattern where it does not follow the slots."""
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
        """Return whether the part can be a value of a slot."""
        if self.has_digits:
            return slot == "place"
        return any(_VALUES[slot].fullmatch(pattern) for pattern in self.patterns)

    def query(self, slot: str) -> Query:
        """Return what is asked of a slot."""
        asked = [_leaf(pattern, slot) for pattern in self.patterns]
        if self.has_digits:  # any number: any place but the word that stands for none
            asked.append(all_of([Word("*", slot, is_pattern=True), Not(Phrase((_FLEXIBLE,), slot))]))
        return any_of(asked)


def _conditions(part: str) -> _Conditions:
    alternatives = top_level_parts(_bare(part), "|")
    others = [each for each in alternatives if not _DIGITS.fullmatch(each)]
    patterns = patterns_of("|".join(others)) if others else []
    return _Conditions(patterns, has_digits=len(others) < len(alternatives))


def _bare(part: str) -> str:
    """Return a part without a bracket around all of it."""
    if part.startswith("(") and part.endswith(")") and len(top_level_parts(part[1:-1], ")")) == 1:
        inner = part[1:-1]
        if "(" not in inner and ")" not in inner:
            return inner
    return part


def _ways(read: list[_Conditions | None], *, is_whole: bool) -> Iterator[list[int]]:
    """Yield the slots that the parts can lie over."""
    if is_whole:
        yield list(range(len(SLOTS)))
        return
    yield from _onward(read, 0, 0, [])


def _onward(read: list[_Conditions | None], part: int, slot: int, way: list[int]) -> Iterator[list[int]]:
    if part == len(read):
        yield way
        return
    onward = partial(_onward, read, part + 1)
    # Slots may be left out before the first part, and where anything may be.
    furthest = len(SLOTS) - (len(read) - part)
    is_loose = part == 0 or read[part - 1] is None
    condition = read[part]
    for each in range(slot, furthest + 1 if is_loose else min(slot, furthest) + 1):
        if condition is None or condition.fits(SLOTS[each]):
            yield from onward(each + 1, [*way, each])


def _has_identifier(read: list[_Conditions | None], way: tuple[int, ...]) -> bool:
    """Return whether a way asks for the identifier of an event, which is in no field."""
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
