"""Regular expressions of clients as patterns with `*` and `?`, as far as they come to a few of these.

No expression of a stranger is ever run. What stands for letters one by one is written out: `(a|b)c`, `[12]`,
`x?`; `.` becomes `?`, and `.*` becomes `*`. Repetitions of anything else, and ranges of many letters, have no
pattern.
"""

from __future__ import annotations

from itertools import product

MOST_PATTERNS = 60
_REPEATS = "*+?{"
_SPECIAL = "\\.[]()|*+?{}^$"


class NoPattern(ValueError):
    """An expression that does not come to a few patterns."""


def patterns_of(expression: str) -> list[str]:
    """Return the patterns that together match what an expression matches as a whole."""
    reader = _Reader(expression)
    found = reader.alternatives()
    if not reader.is_done:
        raise NoPattern(f"a bracket is closed that was not opened: {expression}")
    return list(dict.fromkeys(found))


def top_level_parts(expression: str, separator: str) -> list[str]:
    """Return the parts of an expression between separators that are in no brackets."""
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
    """Reads an expression from the left; groups lie within one another only a few deep."""

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
        return [" " if sign in "*?" else sign]  # signs that would mean something in a pattern

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
