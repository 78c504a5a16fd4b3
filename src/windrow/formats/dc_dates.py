"""The dates of a document as Dublin Core can give them, which has no word for what a date is of.

A reader of oai_dc takes the earliest of the plain dates for the year of publication. So the date of
publication goes first and in ISO 8601, and a date before it (of the painting that a photograph shows) is left
out: it would be taken for the year. What lies after it stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from windrow.formats.dates import year_of
from windrow.model.document import Moment

EMBARGO = "info:eu-repo/date/embargoEnd/"  # how repositories tell an embargo from other dates

_DAY = re.compile(r"(\d{4})-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])(?:[T ]\d\d:?\d\d.*)?")
_MONTH = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])")
_NEAREST = ("issued", "published", "date")


def dates_of(moments: Sequence[Moment], year: int | None) -> list[str]:
    """The texts for dc:date, that of publication first."""
    if len(moments) == 1 and len(moments[0].text) == 10 and year is not None:  # by far the most
        text = moments[0].text
        if text.startswith(f"{year}-") and moments[0].kind != "embargo" and _DAY.fullmatch(text):
            return [text]
    main = _main(moments, year)
    texts = dict.fromkeys([] if main is None else [main])
    for text, kind, is_plausible in _others(moments, year):
        if kind == "metadata":
            continue
        if kind == "embargo":
            texts[text if text.startswith(EMBARGO) else EMBARGO + iso(text)] = None
        elif is_plausible:
            texts[iso(text)] = None
    texts.pop("", None)
    return list(texts)


def iso(text: str) -> str:
    """A date as ISO 8601 to the day where it is one, else as it was."""
    day = _DAY.fullmatch(text)
    return f"{day[1]}-{day[2]}-{day[3]}" if day is not None else text


def _main(moments: Sequence[Moment], year: int | None) -> str | None:
    """The date of publication as exactly as a machine can read it; None where no year is known."""
    if year is None:
        return None
    best: tuple[int, str] | None = None
    for text, kind in moments:
        if kind != "embargo" and year_of(text) == year:
            place = _NEAREST.index(kind) if kind in _NEAREST else len(_NEAREST)
            if best is None or place < best[0]:
                best = (place, text)
    written = iso(best[1]) if best is not None else ""
    is_exact = _DAY.fullmatch(written) or _MONTH.fullmatch(written)
    return written if is_exact and written[:4] == f"{year:04}" else f"{year:04}"


def _others(moments: Sequence[Moment], year: int | None) -> Iterator[tuple[str, str, bool]]:
    for text, kind in moments:
        found = year_of(text)
        yield text, kind, found is None or year is None or found >= year
