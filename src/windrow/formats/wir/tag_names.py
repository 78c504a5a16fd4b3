"""The names of `<meta>` tags, brought into one spelling: family and term."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_SEPARATORS = re.compile(r"[.:_]+")
_FAMILIES = {
    "dc": "dc",
    "dcterms": "dc",
    "dct": "dc",
    "dcmi": "dc",
    "citation": "citation",
    "studera": "studera",
    "eprints": "eprints",
    "prism": "prism",
    "og": "og",
    "article": "article",
}


class TagName(NamedTuple):
    """A name in small letters: `DC.Date.Issued` has the family "dc" and the term "date.issued"."""

    family: str  # "" for names without one
    term: str


@lru_cache(maxsize=4096)
def tag_name(name: str) -> TagName:
    """Return the family and term of a name, whatever its case and separators."""
    small = name.strip().lower()
    if small.startswith("bepress_citation"):  # Digital Commons
        small = small.removeprefix("bepress_")
    family, *rest = _SEPARATORS.split(small, maxsplit=1)
    known = _FAMILIES.get(family)
    if known is None or not rest or not rest[0]:
        return TagName("", small)
    # Highwire's own terms have underscores, which part nothing; those of Dublin Core part qualifiers.
    term = (
        rest[0].replace(".", "_").replace(":", "_") if known == "citation" else _SEPARATORS.sub(".", rest[0])
    )
    return TagName(known, term.strip("."))


def plain_name(name: str) -> str:
    """Return a name as it is compared: `DC:Title`, `dc_title` and `DC.title` are the same."""
    return ".".join(part for part in _SEPARATORS.split(name.strip().lower()) if part)
