"""What the names in sidecars mean: a word of Dublin Core where it is one, however it is written.

`dc.Title`, `dcterms:created`, `Author` and `keywords` are among them. Any other name is kept as it is: a
collection may have fields of its own. Used by the readers of sidecars.
"""

from __future__ import annotations

import re

from windrow.formats.plain_dc import ELEMENTS
from windrow.sources.files.meta_names import element_for

LONGEST_NAME = 64
LONGEST_VALUE = 100_000
_PREFIX = re.compile(r"(?:dc|dcterms|dls|dcmi)[.:]", re.IGNORECASE)
_SPACES = re.compile(r"[\s_]+")
_USUAL = {
    "author": "creator",
    "authors": "creator",
    "creators": "creator",
    "keyword": "subject",
    "keywords": "subject",
    "subjects": "subject",
    "tags": "subject",
    "abstract": "description",
    "summary": "description",
    "caption": "description",
    "license": "rights",
    "licence": "rights",
    "copyright": "rights",
    "year": "date",
    "created": "date",
    "issued": "date",
    "place": "coverage",
    "modified": "modified",
}


def name_of(written: str) -> str:
    """Give what a name in a sidecar stands for; nothing for none, or for one that is too long."""
    plain = _SPACES.sub("-", written.strip().strip("\ufeff")).lower()
    if not plain or len(plain) > LONGEST_NAME or not plain.isprintable():
        return ""
    bare = _PREFIX.sub("", plain, count=1)
    if bare in ELEMENTS:
        return bare
    if bare in _USUAL:
        return _USUAL[bare]
    return (element_for(plain) or plain) if bare != plain else plain


def is_core(name: str) -> bool:
    """Is it a name of Dublin Core?"""
    return name in ELEMENTS


def fit(value: str) -> str:
    """Give a value on which nothing can choke: no longer than any honest one."""
    return " ".join(value[:LONGEST_VALUE].split())
