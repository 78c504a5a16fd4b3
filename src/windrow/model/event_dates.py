"""When events are over, as far as their time and period show."""

from __future__ import annotations

import re
from datetime import date

from windrow.model.document import Event

_DAY = re.compile(r"\b([0-9]{4})-([0-9]{2})-([0-9]{2})")
_YEAR = re.compile(r"(?<![0-9])((?:1[0-9]|20)[0-9]{2})(?![0-9])")


def is_over(event: Event, today: date) -> bool:
    """Return whether an event was over before a day: by its last date, or else by the last year it names.

    An event without a date counts as one to come, since nothing shows that it is over.
    """
    days = [day for text in (event.time, event.period) if text for day in _days(text)]
    if days:
        return max(days) < today
    years = [int(year) for text in (event.time, event.period) if text for year in _YEAR.findall(text)]
    return bool(years) and max(years) < today.year


def _days(text: str) -> list[date]:
    found = []
    for year, month, day in _DAY.findall(text):
        try:
            found.append(date(int(year), int(month), int(day)))
        except ValueError:  # no such day
            continue
    return found
