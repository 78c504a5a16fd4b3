"""Which Dublin Core element says what a format kept in `extra`: for `write_oai_dc`."""

from __future__ import annotations

import re
from functools import lru_cache

# Elements that may be filled out of `extra`. Not the others: a title or a creator there is one of another
# thing, and a description is as often the history of the record as one of its subject.
_OPEN = frozenset(("coverage", "format", "language", "relation", "rights", "source", "type"))
_QUALIFIED = re.compile(r"(?:xoai|dim|kk|generic):dc\.([a-z]+)(?:\.[\w.-]+)?")
_KNOWN = {
    "arXiv:comments": "description",
    "datacite:format": "format",
    "datacite:geoLocations/geoLocationPlace": "coverage",
    "datacite:size": "format",
    "dcterms:extent": "format",
    "dcterms:format": "format",
    "dcterms:medium": "format",
    "dcterms:spatial": "coverage",
    "dcterms:tableOfContents": "description",
    "dcterms:temporal": "coverage",
    "lido:eventPlace/appellationValue": "coverage",
    "lido:objectMeasurementsSet/displayObjectMeasurements": "format",
    "marc:300$a": "format",
    "marc:500$a": "description",
    "marc:505$a": "description",
    "mods:note": "description",
    "mods:physicalDescription/extent": "format",
    "mods:physicalDescription/form": "format",
    "mods:physicalDescription/internetMediaType": "format",
    "mods:tableOfContents": "description",
    "schema:fileFormat": "format",
}


@lru_cache(maxsize=2048)
def element_for(name: str) -> str | None:
    """The element for what a format calls so; None where Dublin Core has no word for it."""
    known = _KNOWN.get(name)
    if known is not None:
        return known
    prefix, _, local = name.partition(":")
    if prefix in ("dc", "qdc"):
        return local if local in _OPEN else None
    qualified = _QUALIFIED.fullmatch(name)
    return qualified[1] if qualified is not None and qualified[1] in _OPEN else None
