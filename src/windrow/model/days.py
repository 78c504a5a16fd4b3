"""The days that a document names, as exactly as it names them: for whoever searches or counts by date."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from windrow.model.document import Document

_DAY = re.compile(r"(\d{4})(?:-?(\d{2})(?:-?(\d{2}))?)?(?!\d)")
_MONTH_LETTERS = len("2014-05")
_LOOKED_AT = len("2014-05-12") + 1
MOST_KNOWN = 20_000  # dates that are remembered: of fifty years, all


def days_of(document: Document) -> Iterator[str]:
    """2014, 2014-05 or 2014-05-12 for each date that begins so."""
    return filter(None, [day_in(moment.text) for moment in document.dates])


def day_in(text: str) -> str:
    """Return the day that a date begins with, as 2014, 2014-05 or 2014-05-12; nothing where it names none."""
    return _day(text[:_LOOKED_AT])


@lru_cache(MOST_KNOWN)
def _day(text: str) -> str:
    day = _DAY.match(text)
    return "" if day is None else "-".join(filter(None, day.groups()))


def months_of(document: Document) -> Iterator[str]:
    """The months of the document's year that its dates name."""
    for day in days_of(document):
        if len(day) >= _MONTH_LETTERS and int(day[:4]) == document.year:
            yield day[:_MONTH_LETTERS]
