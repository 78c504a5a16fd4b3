"""Time zones by name: that of a job, that of this machine, and whether two read the same clock."""

from __future__ import annotations

import difflib
import os
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

from windrow.errors import ConfigError

_LOCALTIME, _NAMED = Path("/etc/localtime"), Path("/etc/timezone")
_LONGEST_NAME = 64
_OTHER_NAMES_OF_UTC = frozenset(
    {"Etc/UTC", "Etc/UCT", "UCT", "Etc/Universal", "Universal", "Etc/Zulu", "Zulu"}
)
_COMPARED_STEPS, _STEP_HOURS = 3 * 366 * 2, 12  # three years, twice a day


@lru_cache(maxsize=128)
def find_zone(name: str) -> ZoneInfo:
    """Give the zone of an IANA name such as Europe/Helsinki."""
    if 0 < len(name) <= _LONGEST_NAME:
        try:
            return ZoneInfo(name)
        except (OSError, ValueError, KeyError):
            pass
    near = difflib.get_close_matches(name[:_LONGEST_NAME], available_timezones(), n=1, cutoff=0.6)
    hint = (
        f"Did you mean {near[0]}?" if near else "Names are such as Europe/Helsinki, America/New_York or UTC."
    )
    raise ConfigError(f"There is no time zone {name[:_LONGEST_NAME]!r}.", hint=hint)


def machine_zone() -> str:
    """Name the zone that this machine's clock shows; UTC when it does not say."""
    for name in (os.environ.get("TZ", "").removeprefix(":"), _linked(), _written()):
        if name and _exists(name):
            return "UTC" if name in _OTHER_NAMES_OF_UTC else name
    return "UTC"


def hours_apart(one: ZoneInfo, other: ZoneInfo, *, now: datetime | None = None) -> frozenset[float]:
    """Say how many hours the two clocks differ by in the next three years; {0} is the same clock."""
    begin = now or datetime.now(UTC)
    moments = (begin + timedelta(hours=_STEP_HOURS * step) for step in range(_COMPARED_STEPS))
    return frozenset(
        (_offset(moment, one) - _offset(moment, other)) / timedelta(hours=1) for moment in moments
    )


def _offset(moment: datetime, zone: ZoneInfo) -> timedelta:
    return moment.astimezone(zone).utcoffset() or timedelta()


def _linked() -> str:
    """Read the name out of where /etc/localtime leads to."""
    _, _, name = os.path.realpath(_LOCALTIME).partition("/zoneinfo/")
    return name


def _written() -> str:
    try:
        return _NAMED.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


def _exists(name: str) -> bool:
    try:
        find_zone(name)
    except ConfigError:
        return False
    return True
