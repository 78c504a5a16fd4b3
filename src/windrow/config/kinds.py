"""The kinds of value that a setting can have: each one reads, checks and displays its values.

`schema` assigns a kind to every setting; `fields` calls `read` for values of the file and `parse` before it
for text from the environment or a flag.
"""

from __future__ import annotations

import datetime
import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

# Durations and sizes as people write them. Both directions are exact: what `render_…` returns is parsed by
# `parse_…` to the same number.

SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
BYTES = {
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}
SIZE_SPELLINGS = ("TB", "TiB", "GB", "GiB", "MB", "MiB", "kB", "KiB")

# The number of digits is limited so that hostile numbers stay small and a float keeps every millisecond.
_DURATION = re.compile(r"([0-9]{1,10}(?:\.[0-9]{1,6})?) ?(ms|s|m|h|d)")
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([kmgt]?i?b)", re.IGNORECASE)


def parse_duration(text: str) -> float:
    """Return the seconds in "30s", "5m", "12h", "7d" or "250ms", to the millisecond; ValueError otherwise."""
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise ValueError("not a duration")
    return round(float(match[1]) * SECONDS[match[2]], 3)


def render_duration(seconds: float) -> str:
    """Return seconds in the largest unit that needs no fraction."""
    for unit in ("d", "h", "m"):
        count, rest = divmod(seconds, SECONDS[unit])
        if count and not rest:
            return f"{count:.0f}{unit}"
    whole, _, fraction = f"{seconds:.3f}".partition(".")
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}s" if fraction else f"{whole}s"


def parse_size(text: str) -> int:
    """Return the bytes in "256 MB" (thousands) or "256 MiB" (1024s); ValueError otherwise."""
    match = _SIZE.fullmatch(text.strip())
    if match is None or match[2].lower() not in BYTES:
        raise ValueError("not a size")
    factor = BYTES[match[2].lower()]
    whole, _, fraction = match[1].partition(".")
    # Integers only: a float would lose bytes above 2**53.
    return int(whole) * factor + int(fraction.ljust(6, "0")) * factor // 1_000_000


def render_size(count: int) -> str:
    """Return bytes in the largest unit that needs no fraction."""
    for unit in SIZE_SPELLINGS:
        whole, rest = divmod(count, BYTES[unit.lower()])
        if whole and not rest:
            return f"{whole} {unit}"
    return f"{count} B"


T = TypeVar("T")

LONGEST_TEXT = 4096
MOST_LINES = 1000
NEVER = "never"
_YES = frozenset({"true", "yes", "on", "1"})
_NO = frozenset({"false", "no", "off", "0"})
_STAMP = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?", re.ASCII)
_WHOLE = re.compile(r"-?[0-9]{1,18}")
_CONTROL_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})


class SettingError(ValueError):
    """An invalid value of a setting. The message says what is allowed and never repeats the value."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """One kind of value.

    `read` takes a value from TOML and raises SettingError; `parse` turns text into what TOML would have;
    `show` returns text for people without secrets.
    """

    label: str
    read: Callable[[object], T]
    parse: Callable[[str], object] = str
    show: Callable[[T], str] = str
    unit: str = ""


def literal(value: object) -> str:
    """Return a value in TOML syntax."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{literal(key)} = {literal(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(literal(item) for item in value) + "]"
    return str(value)


def is_clean(value: str) -> bool:
    """Return whether text has no control characters, line breaks or lone surrogates."""
    return not any(unicodedata.category(character) in _CONTROL_CATEGORIES for character in value)


def _read_text(value: object) -> str:
    if not isinstance(value, str):
        raise SettingError("must be text in quotes")
    if len(value) > LONGEST_TEXT:
        raise SettingError(f"must be at most {LONGEST_TEXT} characters long")
    if not is_clean(value):
        raise SettingError("must be one line without control characters")
    return value


def _read_ascii(value: object) -> str:
    text = _read_text(value)
    if not text.isascii():
        raise SettingError("must be plain ASCII, because it is sent in an HTTP header")
    return text


def _read_variable(value: object) -> str:
    text = _read_text(value)
    if text and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text):
        raise SettingError("must be the name of an environment variable")
    return text


def _read_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise SettingError("must be true or false")
    return value


def _parse_flag(text: str) -> object:
    word = text.strip().lower()
    return True if word in _YES else False if word in _NO else text


TEXT: Kind[str] = Kind("text", _read_text)
ASCII: Kind[str] = Kind("text", _read_ascii)
VARIABLE: Kind[str] = Kind("name of an environment variable", _read_variable)
PATH: Kind[str] = Kind("path, from the library folder on", _read_text)
FLAG: Kind[bool] = Kind("true or false", _read_flag, _parse_flag, literal)


def choice(*words: str) -> Kind[str]:
    """One of several words."""
    allowed = ", ".join(f'"{word}"' for word in words)

    def read(value: object) -> str:
        if not isinstance(value, str) or value not in words:
            raise SettingError(f"must be one of {allowed}" if len(words) > 1 else f"must be {allowed}")
        return value

    return Kind(f"one of {allowed}" if len(words) > 1 else allowed, read)


def count(least: int, most: int, unit: str) -> Kind[int]:
    """A whole number between two bounds."""

    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise SettingError(f"must be a whole number from {least} to {most}")
        return value

    def parse(text: str) -> object:
        return int(text) if _WHOLE.fullmatch(text.strip()) else text

    return Kind("whole number", read, parse, unit=unit)


def duration(least: str, most: str) -> Kind[float]:
    """A duration, as seconds."""
    low, high = parse_duration(least), parse_duration(most)
    problem = f'must be a duration from "{least}" to "{most}", such as "30s", "5m", "12h" or "7d"'

    def read(value: object) -> float:
        try:
            seconds = parse_duration(value) if isinstance(value, str) else -1.0
        except ValueError:
            raise SettingError(problem) from None
        if not low <= seconds <= high:
            raise SettingError(problem)
        return seconds

    return Kind("duration", read, show=render_duration, unit="ms, s, m, h, d")


def duration_or(word: str, least: str, most: str) -> Kind[float | None]:
    """A duration as seconds, or None for one special word."""
    inner = duration(least, most)

    def read(value: object) -> float | None:
        try:
            return None if value == word else inner.read(value)
        except SettingError as exc:
            raise SettingError(f'{exc}; or "{word}"') from None

    def show(value: float | None) -> str:
        return word if value is None else inner.show(value)

    return Kind(f'duration or "{word}"', read, show=show, unit=inner.unit)


def duration_or_never(least: str, most: str) -> Kind[float | None]:
    """A duration as seconds, or None for "never"."""
    return duration_or(NEVER, least, most)


def size(least: str, most: str) -> Kind[int]:
    """A number of bytes."""
    low, high = parse_size(least), parse_size(most)
    problem = f'must be a size from "{least}" to "{most}", such as "256 MB"'

    def read(value: object) -> int:
        try:
            number = parse_size(value) if isinstance(value, str) else -1
        except ValueError:
            raise SettingError(problem) from None
        if not low <= number <= high:
            raise SettingError(problem)
        return number

    return Kind("size", read, show=render_size, unit="kB, MB, GB; KiB, MiB, GiB")


def words(least: int) -> Kind[tuple[str, ...]]:
    """A list of words without spaces or commas, such as the names of sets and formats."""

    def read(value: object) -> tuple[str, ...]:
        if not isinstance(value, list | tuple) or not all(isinstance(word, str) for word in value):
            raise SettingError('must be a list of words such as ["one", "two"]')
        if any(not word or len(word) > LONGEST_TEXT or re.search(r"[\s,]", word) for word in value):
            raise SettingError("must be a list of words without spaces or commas in them")
        if not all(is_clean(word) for word in value):
            raise SettingError("must be a list of words without control characters")
        if len(set(value)) < max(len(value), least):
            raise SettingError(
                "must have no word twice" if len(value) >= least else f"must have at least {least}"
            )
        return tuple(value)

    return Kind("list of words", read, lambda text: re.split(r"[\s,]+", text.strip(" \t\r\n,")), ", ".join)


def _read_lines(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or len(value) > MOST_LINES:
        raise SettingError(f'must be a list of at most {MOST_LINES} texts such as ["one", "two"]')
    read = tuple(map(_read_text, value))
    if not all(read) or len(set(read)) < len(read):
        raise SettingError("must have no empty text and none twice")
    return read


LINES: Kind[tuple[str, ...]] = Kind("list of texts", _read_lines, str.splitlines, ", ".join)


def _read_stamp(value: object) -> str:
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    elif isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        value = value.isoformat()
    try:
        if not isinstance(value, str) or not _STAMP.fullmatch(value):
            raise ValueError
        datetime.datetime.fromisoformat(value)
    except ValueError:
        raise SettingError(
            "must be a date such as 2024-01-31, or a UTC time such as 2024-01-31T23:59:59Z"
        ) from None
    return value


STAMP: Kind[str] = Kind("date or UTC time", _read_stamp, unit="YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ")


def _read_year_start(value: object) -> int:
    found = re.fullmatch(r"([0-9]{2})-([0-9]{2})", value, re.ASCII) if isinstance(value, str) else None
    try:
        if found is None:
            raise ValueError
        day = datetime.date(2001, int(found[1]), int(found[2]))  # not a leap year: 29 February is not allowed
    except ValueError:
        raise SettingError('must be a month and a day such as "08-01"') from None
    return 0 if (day.month, day.day) == (1, 1) else day.month * 100 + day.day


def _show_year_start(value: int) -> str:
    return f"{value // 100:02}-{value % 100:02}" if value else "01-01"


# The value is 801 for 1 August, and 0 for 1 January.
YEAR_START: Kind[int] = Kind("date in a year", _read_year_start, show=_show_year_start, unit="MM-DD")
