"""Who exactly a name or a subject stands for: authority numbers as addresses.

Records write the same number in many ways, `(DE-588)118540238`, `(orcid)0000-…`,
`ORCID-0000-…`, a bare number beside a type. Readers of structured formats ask here.
"""

from __future__ import annotations

import re

# Prefixes of the files that have a public address for each number, by the name records give them.
_BASES = {
    "de-588": "https://d-nb.info/gnd/",
    "gnd": "https://d-nb.info/gnd/",
    "orcid": "https://orcid.org/",
    "orcid.org": "https://orcid.org/",
    "viaf": "https://viaf.org/viaf/",
    "isni": "https://isni.org/isni/",
    "ror": "https://ror.org/",
    "wikidata": "http://www.wikidata.org/entity/",
    "lcnaf": "http://id.loc.gov/authorities/names/",
    "naf": "http://id.loc.gov/authorities/names/",
    "lcsh": "http://id.loc.gov/authorities/subjects/",
    "fast": "http://id.worldcat.org/fast/",
    "mesh": "http://id.nlm.nih.gov/mesh/",
    "aat": "http://vocab.getty.edu/aat/",
    "ulan": "http://vocab.getty.edu/ulan/",
    "tgn": "http://vocab.getty.edu/tgn/",
    "geonames": "https://sws.geonames.org/",
    "dai-nl": "info:eu-repo/dai/nl/",
}
_ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dXx]")
_PREFIXED = re.compile(r"\(([^()]{1,40})\)\s*(\S.*)", re.DOTALL)
_LONGEST = 500  # longer values are prose that strayed into an identifier


def authority_of(text: str, scheme: str | None = None) -> str | None:
    """Give the identifier as an address where its file has one, else as the record wrote it."""
    value = text.strip()
    if not value or len(value) > _LONGEST:
        return value or None
    if value.startswith(("http://", "https://", "info:", "urn:")):
        return value
    orcid = _ORCID.search(value)
    if orcid and (scheme or "orcid").lower().startswith("orcid"):
        return _BASES["orcid"] + orcid[0].upper()
    prefixed = _PREFIXED.fullmatch(value)
    if prefixed:
        base = _BASES.get(prefixed[1].strip().lower())
        return base + prefixed[2] if base else value
    base = _BASES.get((scheme or "").lower())
    return base + value.replace(" ", "") if base else value


def best_of(found: list[str]) -> str | None:
    """Give the one that says most: an ORCID, then any address, then whatever stands first."""
    for start in ("https://orcid.org/", "http://orcid.org/", "http", ""):
        for value in found:
            if value.startswith(start):
                return value
    return None
