"""Page counts in physical descriptions: "xii, 234 p. : ill." is 234."""

from __future__ import annotations

import re
from functools import lru_cache

LONGEST_EXTENT_CHARACTERS = 500
MOST_PAGES = 99_999

# Words for pages and leaves. Those in the second line have other meanings without their full stop.
_UNIT = (
    r"pages?|pgs?|pp?|sivua?|sid(?:or|er|a)?|seiten?|s|bl(?:att|ad)?|leaves|leaf|feuill(?:et)?s?|folios?|fols?"
    r"|p[áa]g(?:ina)?s?|pagin[ae]|hojas|str(?:[ao]n[ay]?|án|\.)?|oldal|lk|lpp|blz|bladzijden|list(?:ů|ov|y)"
    r"|síður|sayfa|стр|с|页|頁|ページ"
    r"|(?:l|ll|f|ff|h|σ)\.|st\.(?!\s*[^\W\d])"  # Swedish: "11 st. bilder" are pieces
)
_NUMBER = r"\[?\d{1,3}(?:,\d{3})+\]?|\[?\d{1,5}\]?"
_COUNTED = re.compile(
    rf"(?<![\w.,])((?:(?:{_NUMBER}|[ivxlcdm]{{1,9}})\s*[,+]\s*){{0,8}}(?:{_NUMBER}))\s*(?:unnumbered\s+)?"
    rf"({_UNIT})(?![\w-])",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"(?<!\w)(?:pages?|pp?|s|sivut|seiten?|sid|str)\.?\s*(\d{1,5})\s*[-–—]\s*(\d{1,5})(?![\w-])",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"(?:(?:number|no\.?)\s+of\s+pages|pages|sivumäärä|seitenzahl|sidantal)\s*[:=]\s*(\d{1,5})(?![\w–—-])",
    re.IGNORECASE,
)
_SPELT = re.compile(r"(?<!\w)(one|two|three|four|five|six|seven|eight|nine|ten) pages?(?!\w)", re.IGNORECASE)
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_CLOCKS = re.compile(r"\d\s*(?:min|h|hours?|tim|ms)\b", re.IGNORECASE)
_SCREENS = frozenset(("480p", "576p", "720p", "1080p", "1440p", "2160p"))


def count_pages(text: str) -> int | None:
    """Return the number of pages or leaves in an extent or format, or None if it counts something else."""
    if len(text) < 2 or text.isalpha():
        return None
    return _search(text[:LONGEST_EXTENT_CHARACTERS])


@lru_cache(maxsize=2048)
def _search(text: str) -> int | None:
    span = _SPAN.search(text)
    if span is not None:
        return _span_length(span[1], span[2])
    counted = next((match for match in _COUNTED.finditer(text) if _counts_pages(text, match)), None)
    if counted is not None:
        return _plausible(_largest(counted[1]))
    labelled = _LABELLED.search(text)
    if labelled is not None:
        return _plausible(int(labelled[1]))
    spelt = _SPELT.search(text)
    return _WORDS.index(spelt[1].lower()) + 1 if spelt is not None else None


def _counts_pages(text: str, match: re.Match[str]) -> bool:
    # "s" may be seconds, and a number with "p" the height of a screen.
    is_seconds = match[2] == "s" and _CLOCKS.search(text) is not None
    return not is_seconds and match[0].lower() not in _SCREENS


def _largest(numbers: str) -> int:
    """Return the main sequence of "xii, 234" or "34, [1]"; "1,234" is one number."""
    found = re.findall(r"\d+(?:,\d{3})*", numbers)
    return max(int(number.replace(",", "")) for number in found)


def _span_length(first: str, last: str) -> int | None:
    """Return the number of pages from first to last, inclusive; "112-25" means 112 to 125."""
    if len(last) < len(first):
        last = first[: len(first) - len(last)] + last
    return _plausible(int(last) - int(first) + 1)


def _plausible(pages: int) -> int | None:
    return pages if 0 < pages <= MOST_PAGES else None
