"""Patterns and ranges as regular expressions of Tantivy's, which run over the dictionary of a field.

Terms may end in APART and what is shown of them (see `tokens`): that is no part of what is compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from windrow.index.tokens import APART

ANY = "(?s:.)"  # one letter, whichever
_OF_VALUE = "[\\x{20}-\\x{10fffe}]"  # one letter of what is compared; the last of all stands for no value
_NO_SLASH = "[\\x{20}-\\x{2e}\\x{30}-\\x{10fffe}]"
_END = f"(\\x{{{ord(APART):x}}}{ANY}*)?"
_META = re.compile(r"[^\w ]|_")
_FIRST, _LAST = " ", "\U0010fffe"
_GREATEST = "\U0010ffff"


def escaped(text: str) -> str:
    """A regular expression for just this text."""
    return _META.sub(lambda found: _code(found[0]), text)


def of_pattern(pattern: str, *, is_value: bool = False) -> str:
    """A regular expression for a pattern with `*` and `?`; stars side by side are one."""
    letter = _OF_VALUE if is_value else ANY
    parts = re.split(r"(\*+|\?)", pattern)
    made = (f"{letter}*" if part[:1] == "*" else letter if part == "?" else escaped(part) for part in parts)
    return "".join(made) + (_END if is_value else "")


def of_value(text: str, *, below: str = "") -> str:
    """A regular expression for the terms of one value, and of those that go on with `below`."""
    further = f"({escaped(below)}{_OF_VALUE}*)?" if below else ""
    return escaped(text) + further + _END


def of_start(start: str, *, is_flat: bool = False) -> str:
    """A regular expression for the terms of all values that begin so, and perhaps have no slash after it."""
    if not is_flat:
        return f"{escaped(start)}{ANY}*"
    return f"{escaped(start)}{_NO_SLASH}*{_END}"


def one_of(texts: Sequence[str]) -> str:
    """A regular expression for each of these terms."""
    return "|".join(map(escaped, texts))


def not_before(start: str, *, within: str = "") -> list[str]:
    """Regular expressions for all terms that begin with `within` and do not come before `start`."""
    above = f"-{_code(_GREATEST)}]{ANY}*"
    later = (
        f"{escaped(start[:place])}[{_code(_after(start[place]))}{above}"
        for place in range(len(within), len(start))
    )
    return [f"{escaped(start)}{ANY}*", *later]


def of_range(low: str | None, high: str | None, *, with_low: bool, with_high: bool) -> list[str]:
    """Regular expressions for the terms of all values from low to high; a term fits one of them at most."""
    if low is None or high is None:
        return _from("", low, is_inside=with_low) if high is None else _to("", high, is_inside=with_high)
    if low > high:
        return []
    shared = next(
        (place for place, pair in enumerate(zip(low, high, strict=False)) if pair[0] != pair[1]), None
    )
    if shared is None:  # low is how high begins
        start, is_only = low, low == high
        edge = [of_value(low)] if with_low and (not is_only or with_high) else []
        return edge + ([] if is_only else _to(start, high[len(low) :], is_inside=with_high)[1:])
    start, after = low[:shared], shared + 1
    return [
        *_from(low[:after], low[after:], is_inside=with_low),
        *_between(start, _after(low[shared]), _before(high[shared])),
        *_to(high[:after], high[after:], is_inside=with_high),
    ]


def _from(start: str, low: str | None, *, is_inside: bool) -> list[str]:
    """All values that begin so and go on with something not before `low`."""
    if low is None:
        return [escaped(start) + ANY + "*"]
    whole = start + low
    found = [of_value(whole)] if is_inside else []
    found.append(f"{escaped(whole)}{_OF_VALUE}{ANY}*")
    for place, letter in enumerate(low):
        found += _between(start + low[:place], _after(letter), _LAST)
    return found


def _to(start: str, high: str | None, *, is_inside: bool) -> list[str]:
    """All values that begin so and go on with something not behind `high`; the first is for the shortest."""
    if high is None:
        return [escaped(start) + ANY + "*"]
    found: list[str] = []
    for place, letter in enumerate(high):
        found.append(of_value(start + high[:place]))
        found += _between(start + high[:place], _FIRST, _before(letter))
    return [*found, of_value(start + high)] if is_inside else found


def _between(start: str, low: str, high: str) -> list[str]:
    """All values that begin so and go on with a letter from low to high."""
    return [f"{escaped(start)}[{_code(low)}-{_code(high)}]{ANY}*"] if _FIRST <= low <= high else []


def _after(letter: str) -> str:
    code = ord(letter) + 1
    return chr(0xE000 if 0xD800 <= code <= 0xDFFF else min(code, 0x10FFFF))


def _before(letter: str) -> str:
    code = ord(letter) - 1
    return chr(0xD7FF if 0xD800 <= code <= 0xDFFF else max(code, 0))


def _code(letter: str) -> str:
    return f"\\x{{{ord(letter):x}}}"
