"""Where an article is printed, out of one line: journal, volume, issue, pages.

`highwire` and `schema_org` ask for it: such a line is all that most records have. "Journal of Hay, 3, 1, 5-9"
is how the readers here join the parts; "Journal of Hay; Vol. 3 No. 1 (2012); 5-9" is how journal software
writes it, and "J. Hay 3 (2012) 5-9" how physicists do. What is not surely a part stays in the name.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

LONGEST_LINE = 300  # characters

_PART = re.compile(r"[A-Za-z]?\d{1,7}[A-Za-z]?(?:\s?[-–/]\s?[A-Za-z]?\d{1,7}[A-Za-z]?)?")
_RANGE = re.compile(r"([A-Za-z]?\d{1,7}[A-Za-z]?)\s?[-–]\s?([A-Za-z]?\d{1,7}[A-Za-z]?)")
_VOLUME = re.compile(r"\b(?:vol(?:ume)?|årg|bd|band)\b\.?\s?(\d{1,4})\b", re.IGNORECASE)
_ISSUE = re.compile(
    r"\b(?:no|nr|num|issue|iss|heft)\b\.?\s?(\d{1,4}[A-Z]?(?:[-–/]\d{1,4})?)\b", re.IGNORECASE
)
_PAGES = re.compile(
    r"(?:\bpp?\b\.?|\bs\b\.|[;:,.])\s?([A-Za-z]?\d{1,6})\s?[-–]\s?([A-Za-z]?\d{1,6})(?=[\s.,;]|$)",
    re.IGNORECASE,
)
# "3 (1)" and "3 (2012)" behind a name: the volume, and then the issue or the year.
_BRACKETED = re.compile(r",?\s(\d{1,4})\s?\((\d{1,4})\)")
_YEAR = re.compile(r"[,\s]+\(?(?:1[5-9]|20)\d\d\)?$")
_BEHIND = re.compile(r",?\s+([A-Za-z]?\d{2,7})(?:\s?[-–]\s?([A-Za-z]?\d{1,7}))?\.?$")
_LONG_NUMBER = 4  # digits: the number of an article, not of an issue


class Place(NamedTuple):
    """Where something is printed; what is not known is empty."""

    title: str
    volume: str = ""
    issue: str = ""
    first: str = ""
    last: str = ""


def printed_in(line: str) -> Place:
    """The parts of a line that names a journal or a book; of any other line, all of it as the name."""
    return _taken_apart(line[:LONGEST_LINE])


@lru_cache(maxsize=1024)  # two writers ask for each page
def _taken_apart(line: str) -> Place:
    place = _marked(line) or _listed(line) or _bracketed(line)
    return place if place is not None and len(place.title) > 1 else Place(line)


def _listed(line: str) -> Place | None:
    """The parts behind commas, as the readers join them."""
    title, *parts = _ends_in_numbers(line)
    if not parts or (_is_year(parts[0]) and len(parts) == 1):
        return None
    if len(parts) == 1:
        return (
            Place(title, "", "", *_pages(parts[0])) if _RANGE.fullmatch(parts[0]) else Place(title, parts[0])
        )
    if len(parts) == 2:
        is_page = _RANGE.fullmatch(parts[1]) or len(parts[1]) >= _LONG_NUMBER
        return Place(title, parts[0], "", *_pages(parts[1])) if is_page else Place(title, *parts)
    return Place(title, parts[0], parts[1], *_pages(parts[2]))


def _ends_in_numbers(line: str) -> list[str]:
    pieces = line.rsplit(", ", 3)
    kept = len(pieces)
    while kept > 1 and _PART.fullmatch(pieces[kept - 1]):
        kept -= 1
    return [", ".join(pieces[:kept]), *pieces[kept:]]


def _marked(line: str) -> Place | None:
    """The parts that say what they are."""
    volume, issue = _VOLUME.search(line), _ISSUE.search(line)
    found = [match for match in (volume, issue) if match is not None]
    if not found:
        return None
    pages = _PAGES.search(line, max(match.end() for match in found))
    title = line[: min(match.start() for match in found)].partition(";")[0].rstrip(" ,;:(")
    before = None if volume else _bracketed(title)
    if before is not None:
        title = before.title
    number = volume[1] if volume else before.volume if before else ""
    return Place(_YEAR.sub("", title), number, issue[1] if issue else "", *(pages.groups() if pages else ()))


def _bracketed(line: str) -> Place | None:
    found = _BRACKETED.search(line)
    if found is None:
        return None
    issue = "" if _is_year(found[2]) else found[2]
    pages = _PAGES.search(line, found.end()) or _BEHIND.match(line, found.end())
    return Place(
        line[: found.start()].rstrip(" ,"), found[1], issue, *(pages.groups(default="") if pages else ())
    )


def _pages(part: str) -> tuple[str, str]:
    span = _RANGE.fullmatch(part)
    return (span[1], span[2]) if span is not None else (part, "")


def _is_year(text: str) -> bool:
    return len(text) == 4 and "1500" <= text <= "2100"
