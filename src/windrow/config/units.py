"""Durations and sizes as people write them, for the kinds of values in `kinds`.

Both directions are exact: what `render_…` gives, `parse_…` reads back to the same number.
"""

from __future__ import annotations

import re

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

# The digits are counted so that a hostile number stays small and a float keeps every millisecond.
_DURATION = re.compile(r"([0-9]{1,10}(?:\.[0-9]{1,6})?) ?(ms|s|m|h|d)")
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([kmgt]?i?b)", re.IGNORECASE)


def parse_duration(text: str) -> float:
    """Give the seconds in "30s", "5m", "12h", "7d" or "250ms", to the millisecond; ValueError otherwise."""
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise ValueError("not a duration")
    return round(float(match[1]) * SECONDS[match[2]], 3)


def render_duration(seconds: float) -> str:
    """Write seconds in the largest unit that needs no fraction."""
    for unit in ("d", "h", "m"):
        count, rest = divmod(seconds, SECONDS[unit])
        if count and not rest:
            return f"{count:.0f}{unit}"
    whole, _, fraction = f"{seconds:.3f}".partition(".")
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}s" if fraction else f"{whole}s"


def parse_size(text: str) -> int:
    """Give the bytes in "256 MB" (thousands) or "256 MiB" (1024s); ValueError otherwise."""
    match = _SIZE.fullmatch(text.strip())
    if match is None or match[2].lower() not in BYTES:
        raise ValueError("not a size")
    factor = BYTES[match[2].lower()]
    whole, _, fraction = match[1].partition(".")
    # Whole numbers only: a float would lose bytes above 2**53.
    return int(whole) * factor + int(fraction.ljust(6, "0")) * factor // 1_000_000


def render_size(count: int) -> str:
    """Write bytes in the largest unit that needs no fraction."""
    for unit in SIZE_SPELLINGS:
        whole, rest = divmod(count, BYTES[unit.lower()])
        if whole and not rest:
            return f"{whole} {unit}"
    return f"{count} B"
