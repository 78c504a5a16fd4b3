"""Dates: the year in a date as people and machines write it, and dates for Dublin Core."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache

from windrow.model.document import DocumentDate

EARLIEST_YEAR = 1000
# Forthcoming issues and embargoes are a few years ahead. Computed once: in a process that runs over New
# Year's Eve the limit is off by one, which is generous anyway.
LATEST_YEAR = datetime.now(UTC).year + 10

LONGEST_DATE_CHARACTERS = 300  # a longer text is prose, and its start is enough

_CANDIDATE = re.compile(
    r"""(?<!\d)(?:
        (?P<day>\d{4})(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\d{6})?  # 20140918, 20160115020455
      | (?P<month>\d{4})(?:0[1-9]|1[0-2])                                 # 199905
      | (?<!WITHHELD:)(?P<year>\d{4})         # not the months a thesis is withheld (Vireo)
      | (?P<decade>\d{3})[-?_xu]              # 196-, 199?, 188_, 197u
    )(?!\d)""",
    re.VERBOSE | re.IGNORECASE,
)
_BEFORE_CHRIST = re.compile(r"\s*(?:b\.?\s?c\b|v\.?\s?chr|f\.?\s?kr\b|eaa\b|av\.?\s?j\.?-?c)", re.IGNORECASE)
_CORRECTION = re.compile(r"\bi\.\s?e\.?\s*", re.IGNORECASE)  # "1970 [i.e. 1979]": the second is correct
# Four letters at least: "MIX" and "MD" are words.
_ROMAN = re.compile(r"\W*(?=[A-Z]{4})(M{1,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3}))\W*")
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_CLOCK = re.compile(r"\d[T ]\d\d[:.;]\d\d")

# The closer to publication, the lower. Unknown kinds rank with the plain dates.
_PLAIN = 3
_RANKS = {
    "issued": 0,
    "published": 1,
    "created": 2,
    "copyrighted": 2,
    "date": _PLAIN,
    "accepted": 4,
    "submitted": 4,
    "defended": 4,
    "valid": 5,
    "available": 6,
    "collected": 7,
    "updated": 7,
    "modified": 7,
    "accessioned": 8,
}
# Dates that do not belong to the work: the end of an embargo, the last change of the description.
_NEVER_YEARS = frozenset(("embargo", "metadata"))


def extract_year(text: str) -> int | None:
    """Return the first plausible year in a date, or None."""
    head = text[:4]
    if len(head) == 4 and head.isdecimal() and text[4:5] in ("", "-"):
        year = int(head)
        if EARLIEST_YEAR <= year <= LATEST_YEAR:
            return year
    return _search(text[:LONGEST_DATE_CHARACTERS])


def publication_year(moments: Collection[DocumentDate]) -> int | None:
    """Return the year of publication from all dates of one record.

    DSpace lists accession and availability beside the issue date as plain dates; those two are machine
    timestamps with a time of day, so a date without one goes first. Of equals the earliest counts: later
    ones are revisions or the day of digitisation.
    """
    if len(moments) == 1:
        moment = next(iter(moments))
        return None if moment.kind in _NEVER_YEARS else extract_year(moment.text)
    best: tuple[int, bool, int] | None = None
    for moment in moments:
        year = None if moment.kind in _NEVER_YEARS else extract_year(moment.text)
        if year is None:
            continue
        text = moment.text
        is_stamped = len(text) > 10 and (text[10] == "T" or _CLOCK.search(text, 8, 64) is not None)
        standing = (_RANKS.get(moment.kind, _PLAIN), is_stamped, year)
        if best is None or standing < best:
            best = standing
    return None if best is None else best[2]


@lru_cache(maxsize=4096)
def _search(text: str) -> int | None:
    text = text.strip()
    correction = _CORRECTION.search(text)
    if correction is not None:
        corrected = _first_year(text, correction.end())
        if corrected is not None:
            return corrected
    return _first_year(text, 0) or _roman_year(text)


def _first_year(text: str, start: int) -> int | None:
    for match in _CANDIDATE.finditer(text, start):
        year = _candidate_year(match)
        if year is not None and not _is_before_christ(text, match):
            return year
    return None


def _candidate_year(match: re.Match[str]) -> int | None:
    kind = match.lastgroup or "year"
    digits = match[kind]
    if kind == "month" and "01" <= digits[2:4] <= "12":
        return None  # 160112 could just as well be 12 January 2016 (MARC 008)
    year = int(digits) * (10 if kind == "decade" else 1)
    return year if EARLIEST_YEAR <= year <= LATEST_YEAR else None


def _is_before_christ(text: str, match: re.Match[str]) -> bool:
    is_negative = match.start() == 1 and text[0] == "-" and text[match.end() : match.end() + 1] in ("", "-")
    return is_negative or _BEFORE_CHRIST.match(text, match.end()) is not None


def _roman_year(text: str) -> int | None:
    match = _ROMAN.fullmatch(text)
    if match is None:
        return None
    values = [_ROMAN_DIGITS[letter] for letter in match[1]]
    pairs = zip(values, [*values[1:], 0], strict=True)
    year = sum(-value if value < following else value for value, following in pairs)
    return year if EARLIEST_YEAR < year <= LATEST_YEAR else None


# Dates for Dublin Core, which cannot express the kind of a date. Readers of oai_dc take the earliest plain
# date for the year of publication. So the date of publication goes first, in ISO 8601, and an earlier date
# (of the painting that a photograph shows) is left out. Later dates stay.

EMBARGO = "info:eu-repo/date/embargoEnd/"  # how repositories distinguish an embargo from other dates

_DAY = re.compile(r"(\d{4})-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])(?:[T ]\d\d:?\d\d.*)?")
_MONTH = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])")
_NEAREST = ("issued", "published", "date")


def dc_date_texts(moments: Sequence[DocumentDate], year: int | None) -> list[str]:
    """Return the texts for dc:date, publication first."""
    if len(moments) == 1 and len(moments[0].text) == 10 and year is not None:  # by far the most common case
        text = moments[0].text
        if text.startswith(f"{year}-") and moments[0].kind != "embargo" and _DAY.fullmatch(text):
            return [text]
    main = _main(moments, year)
    texts = dict.fromkeys([] if main is None else [main])
    for text, kind, is_plausible in _others(moments, year):
        if kind == "metadata":
            continue
        if kind == "embargo":
            texts[text if text.startswith(EMBARGO) else EMBARGO + iso_date(text)] = None
        elif is_plausible:
            texts[iso_date(text)] = None
    texts.pop("", None)
    return list(texts)


def iso_date(text: str) -> str:
    """Return a date as YYYY-MM-DD if it is one, otherwise unchanged."""
    day = _DAY.fullmatch(text)
    return f"{day[1]}-{day[2]}-{day[3]}" if day is not None else text


def _main(moments: Sequence[DocumentDate], year: int | None) -> str | None:
    """Return the most precise machine-readable date of publication, or None if the year is unknown."""
    if year is None:
        return None
    best: tuple[int, str] | None = None
    for text, kind in moments:
        if kind != "embargo" and extract_year(text) == year:
            place = _NEAREST.index(kind) if kind in _NEAREST else len(_NEAREST)
            if best is None or place < best[0]:
                best = (place, text)
    written = iso_date(best[1]) if best is not None else ""
    is_exact = _DAY.fullmatch(written) or _MONTH.fullmatch(written)
    return written if is_exact and written[:4] == f"{year:04}" else f"{year:04}"


def _others(moments: Sequence[DocumentDate], year: int | None) -> Iterator[tuple[str, str, bool]]:
    for text, kind in moments:
        found = extract_year(text)
        yield text, kind, found is None or year is None or found >= year
