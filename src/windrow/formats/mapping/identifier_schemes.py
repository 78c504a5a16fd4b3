"""Identifier schemes (DOI, ISBN, URN …), recognised by prefix, address or check digit."""

from __future__ import annotations

import re
from functools import lru_cache

from windrow.model.document import Identifier

_DOI = re.compile(
    r"(?:(?:https?://)?(?:dx\.|www\.)?doi\.org/|(?:info:|urn:)?doi\s*[:/=]?\s*(?:https?://(?:dx\.)?doi\.org/)?)?"
    r"(10\.\d{4,9}(?:\.\d+)*(?:/|%2F)\S+)",
    re.IGNORECASE,
)
_HANDLE = re.compile(
    r"(?:(?:info:)?hdl\s*[:/]\s*|https?://hdl\.handle\.net/)(?:hdl:)?([\w.]+/[^\s?#]+)", re.IGNORECASE
)
_URN = re.compile(r"(?:urn:)*(urn:[a-z0-9][a-z0-9-]{1,31}:\S+)", re.IGNORECASE)
_URN_ADDRESS = re.compile(
    r"https?://[^\s/]+/(?:[^\s?]*\?(?:[^\s]*&)?(?:urn|identifier)=)?(urn:[a-z0-9][a-z0-9-]{1,31}:[^\s&#]+)",
    re.IGNORECASE,
)
_ARXIV = re.compile(
    r"(?:arxiv\s*:\s*|oai:arxiv\.org:|https?://(?:[a-z]+\.)?arxiv\.org/(?:abs|pdf)/)"
    r"((?:\d{4}\.\d{4,5}|[a-z.-]+/\d{7})(?:v\d{1,3})?)(?:\.pdf)?",
    re.IGNORECASE,
)
_PMID = re.compile(
    r"(?:pmid\s*:?\s*|pubmed\s*:\s*|info:pmid/|https?://(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/)"
    r"(\d{1,9})/?",
    re.IGNORECASE,
)
_PMCID = re.compile(
    r"(?:pmcid\s*:?\s*|https?://(?:www\.)?(?:ncbi\.nlm\.nih\.gov/pmc|pmc\.ncbi\.nlm\.nih\.gov)/articles/)?"
    r"(PMC\d{3,9})/?",
    re.IGNORECASE,
)
_ORCID = re.compile(r"(?:orcid\s*:?\s*|https?://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])", re.IGNORECASE)
_OAI = re.compile(r"oai:[^\s:]+:\S+", re.IGNORECASE)
_ISBN = re.compile(  # with the volume or binding after it: "(nid.)"
    r"(?:[ep]-?)?(?:isbn)(?:-?1[03])?\s*[:=]?\s*([\dX][\dX\s–-]{8,20})(?:[(\[,;:.].*)?",
    re.IGNORECASE | re.DOTALL,
)
_ISSN = re.compile(  # "ISSN (online): 1234-5679", "Print ISSN 1234-5679", "ISSN 1234-5679 (print)"
    r"(?:[ep]-?|(?:online|print|electronic)\s+)?issn(?:-l)?\s*(?:[(\[][^()\[\]]{1,30}[)\]])?\s*[:=]?\s*"
    r"(\d{4}[-–]?\d{3}[\dX])(?:\s*[(\[].*)?",
    re.IGNORECASE,
)
# With the medium after it: "1234-5679 (online)".
_BARE_ISSN = re.compile(r"(\d{4}[-‐‑–]\d{3}[\dXx])(?:\s*[(\[][^()\[\]]{1,30}[)\]])?")
_HYPHENS = re.compile("[‐‑–]")
_BARE_ISBN = re.compile(  # with the volume or binding after it: "(nid.)"
    r"([\d][\d -]{8,16}[\dXx])(?:\s*[(\[][^()\[\]]{1,30}[)\]])?"
)
_ADDRESS = re.compile(r"(?:https?|ftp)://", re.IGNORECASE)

_DIGITS = "0123456789"
LONGEST_NAME_CHARACTERS = 1000
_new = tuple.__new__  # a named tuple's own constructor, without the overhead of its Python call


def parse_identifier(text: str) -> Identifier | None:
    """Parse an identifier. Return None for an empty text and for an address that contains no identifier.

    A recognised identifier loses its prefix ("doi:", "ISSN "); anything else is a `local` name, unchanged.
    """
    text = text.strip()
    if not text:
        return None
    if len(text) > LONGEST_NAME_CHARACTERS:
        return None if _ADDRESS.match(text) else Identifier("local", text)
    first = text[0]
    if first.isdecimal():
        known = _numeric(text)
    elif first in "hH" and _ADDRESS.match(text):
        return _address(text)
    elif first in "uU" and _is_numbered_urn(text):
        return _new(Identifier, ("urn", text))
    else:
        known = _prefixed(text)
    if known is not None:
        return known
    return None if _ADDRESS.match(text) else Identifier("local", text)


def _numeric(text: str) -> Identifier | None:
    doi = _DOI.fullmatch(text)
    if doi is not None:
        return _doi(doi)
    issn = _BARE_ISSN.fullmatch(text)
    number = None if issn is None else _HYPHENS.sub("-", issn[1])
    if number is not None and _is_issn(number):
        return Identifier("issn", number)
    if _ORCID.fullmatch(text) and _is_orcid(text):
        return Identifier("orcid", text)
    isbn = _BARE_ISBN.fullmatch(text)
    if isbn is not None and _is_isbn(isbn[1]):
        return Identifier("isbn", isbn[1])
    return None


def _address(text: str) -> Identifier | None:
    small = text.lower()
    for scheme, mark, pattern in _ADDRESSED:
        match = pattern.fullmatch(text) if mark in small else None
        if match is not None:
            return _doi(match) if scheme == "doi" else Identifier(scheme, match[1])
    return None


def _is_numbered_urn(text: str) -> bool:
    """Return whether a text is a URN as a whole, like its neighbours that end in other numbers."""
    # Repositories number their URNs, and no rule here depends on the number at the end of one.
    stem = text.rstrip(_DIGITS)
    return stem != text and _makes_urns(stem)


@lru_cache(maxsize=2048)
def _makes_urns(stem: str) -> bool:
    example = stem + "0"
    return _prefixed(example) == ("urn", example)


def _prefixed(text: str) -> Identifier | None:
    start = text[:5].lower()
    for scheme, pattern in _PATTERNS_BY_PREFIX.get(start) or _PATTERNS_BY_PREFIX.get(start[:3], ()):
        match = pattern.fullmatch(text)
        if match is not None:
            return _doi(match) if scheme == "doi" else Identifier(scheme, match[match.lastindex or 0].strip())
    return None


def _doi(match: re.Match[str]) -> Identifier:
    value = match[1].rstrip(".,;")
    return Identifier("doi", value.replace("%2F", "/", 1).replace("%2f", "/", 1))


def _is_issn(text: str) -> bool:
    # The check digit must be right. A span of years such as 1997-1998 is not an ISSN.
    digits = text.replace("-", "").upper()
    total = sum(int(digit) * weight for digit, weight in zip(digits[:7], range(8, 1, -1), strict=True))
    check = (11 - total % 11) % 11
    is_span = "1000" <= digits[:4] <= digits[4:] <= "2100"
    return digits[7] == ("X" if check == 10 else str(check)) and not is_span


def _is_isbn(text: str) -> bool:
    digits = re.sub(r"[ -]", "", text).upper()
    if len(digits) == 13 and digits[:3] in ("978", "979") and digits.isdecimal():
        return sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits)) % 10 == 0
    if len(digits) == 10 and digits[:9].isdecimal() and (digits[9] == "X" or digits[9].isdecimal()):
        values = [*map(int, digits[:9]), 10 if digits[9] == "X" else int(digits[9])]
        return sum(value * weight for value, weight in zip(values, range(10, 0, -1), strict=True)) % 11 == 0
    return False


def _is_orcid(text: str) -> bool:
    # ISO 7064, modulus 11, radix 2.
    digits = text.replace("-", "").upper()
    total = 0
    for digit in digits[:15]:
        total = (total + int(digit)) * 2
    check = (12 - total % 11) % 11
    return digits[15] == ("X" if check == 10 else str(check))


_ADDRESSED = (  # scheme, substring to test first, pattern
    ("doi", "doi.org/", _DOI),
    ("hdl", "hdl.handle.net/", _HANDLE),
    ("arxiv", "arxiv.org/", _ARXIV),
    ("urn", "urn:", _URN_ADDRESS),
    ("pmid", "pubmed", _PMID),
    ("pmcid", "/pmc", _PMCID),
    ("orcid", "orcid.org/", _ORCID),
)
# An address without any of these contains no identifier.
ADDRESS_MARKS = tuple(mark for _, mark, _ in _ADDRESSED)
_SERIALS = (("issn", _ISSN), ("isbn", _ISBN))
_PATTERNS_BY_PREFIX = {  # by the first letters, in lower case
    "doi": (("doi", _DOI),),
    "urn": (("urn", _URN),),
    "urn:d": (("doi", _DOI), ("urn", _URN)),
    "arx": (("arxiv", _ARXIV),),
    "oai": (("arxiv", _ARXIV), ("oai", _OAI)),
    "hdl": (("hdl", _HANDLE),),
    "inf": (("doi", _DOI), ("hdl", _HANDLE), ("pmid", _PMID)),
    "iss": _SERIALS,
    "onl": _SERIALS,
    "pri": _SERIALS,
    "ele": _SERIALS,
    "isb": _SERIALS,
    "eis": _SERIALS,
    "e-i": _SERIALS,
    "pis": _SERIALS,
    "p-i": _SERIALS,
    "pmi": (("pmid", _PMID),),
    "pub": (("pmid", _PMID),),
    "pmc": (("pmcid", _PMCID),),
    "orc": (("orcid", _ORCID),),
}

# Authority numbers of agents and subjects, as addresses. Records write the same number in many ways:
# `(DE-588)118540238`, `(orcid)0000-…`, `ORCID-0000-…`, or a bare number beside a type.

# Address prefixes of the authority files that have a page for each number, by their names in records.
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
_ORCID_NUMBER = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dXx]")
_NUMBER_WITH_FILE = re.compile(r"\(([^()]{1,40})\)\s*(\S.*)", re.DOTALL)
_LONGEST = 500  # characters; longer values are misplaced prose


def authority_address(text: str, scheme: str | None = None) -> str | None:
    """Return the identifier as an address if its authority file has one, otherwise unchanged."""
    value = text.strip()
    if not value or len(value) > _LONGEST:
        return value or None
    if value.startswith(("http://", "https://", "info:", "urn:")):
        return value
    orcid = _ORCID_NUMBER.search(value)
    if orcid and (scheme or "orcid").lower().startswith("orcid"):
        return _BASES["orcid"] + orcid[0].upper()
    prefixed = _NUMBER_WITH_FILE.fullmatch(value)
    if prefixed:
        base = _BASES.get(prefixed[1].strip().lower())
        return base + prefixed[2] if base else value
    base = _BASES.get((scheme or "").lower())
    return base + value.replace(" ", "") if base else value


def best_identifier(found: list[str]) -> str | None:
    """Return the most useful identifier: an ORCID, then any address, then the first one."""
    for start in ("https://orcid.org/", "http://orcid.org/", "http", ""):
        for value in found:
            if value.startswith(start):
                return value
    return None
