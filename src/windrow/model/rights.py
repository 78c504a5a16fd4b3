"""Access and licence of a document, derived from its statements of rights.

Access is who may read the resource itself; a licence is the terms under which it may be used. Records state
both in the same elements, as URIs, codes and sentences. The rules are documented on the page
docs/explain/types-and-rights.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from functools import lru_cache

from windrow.model.controlled_values import ACCESS, LICENCE, load_controlled_values
from windrow.model.document import Document, LinkKind

OPEN, EMBARGOED, RESTRICTED, METADATA_ONLY, UNSTATED_ACCESS = (
    "Open access",
    "Embargoed",
    "Restricted",
    "Metadata only",
    "Access not stated",
)
CC_UNSPECIFIED, PUBLIC_DOMAIN, CC0 = "Creative Commons, not specified", "Public domain", "CC0"
IN_COPYRIGHT, OTHER, UNSTATED_LICENCE = "In copyright", "Other terms", "No licence stated"
EMBARGO_MARK = "info:eu-repo/semantics/embargoedAccess"  # represents an embargo date without a statement
ENDED_MARK = "info:eu-repo/semantics/openAccess"  # represents an embargo that has ended
_DATE = re.compile(r"(?<!\d)(\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?!\d)")

LONGEST_STATEMENT = 2000  # characters that are examined
MOST_STATEMENTS = 50
# Of several access values, the most restrictive one counts.
_STRICTEST = (EMBARGOED, RESTRICTED, METADATA_ONLY, OPEN)

# Elements without a field of their own in a document. Those of parts ("jpcoar:catalog/license") do not
# describe the resource.
_NAMED_RIGHTS = re.compile(
    r"(?:[\w-]+:)?(?:[\w-]+\.)*(?:access_?rights?|access_?level|accessCondition|accessRestrictions|access"
    r"|licen[cs]e|license_ref|licen[cs]e\.ur[il]|rights|rights\.ur[il]|rightsnorm)(?:@resource)?",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://\S+$", re.IGNORECASE)
_EU_REPO_ACCESS = re.compile(r"info:eu-repo/semantics/(\w+Access)", re.IGNORECASE)
_COAR_ACCESS = re.compile(r"purl\.org/coar/access_right/(c_\w+)", re.IGNORECASE)
_RIGHTS_STATEMENT = re.compile(r"rightsstatements\.org/(?:vocab|page)/([A-Za-z-]+)", re.IGNORECASE)
_CC_ADDRESS = re.compile(r"creativecommons\.org/(?:licen[cs]es|publicdomain)/([a-z-]+)", re.IGNORECASE)
_CC_CODE = re.compile(
    r"(?:\bCC|\bcreative\s+commons(?:\s+licen[cs]e)?)[\s:_(\[-]*"
    r"(?:(?P<zero>0|zero)\b|(?P<parts>BY(?:[\s_/-]*(?:NC|ND|SA))*)(?![a-z]))",
    re.IGNORECASE,
)
_BARE_CODE = re.compile(r"(?P<parts>BY(?:[\s_/-]?(?:NC|ND|SA))*)(?:[\s_-]*[1-4]\.[0-9])?", re.IGNORECASE)
_CC_NAME = re.compile(r"creative\s*commons|\bCC\b", re.IGNORECASE)
# The elements of a licence's name, in English, Finnish, Swedish, German, French and Spanish.
_ATTRIBUTION = re.compile(
    r"\b(?:attribution|nimeä|erkännande|namensnennung|paternité|reconocimiento|atribución)(?![^\W_])"
    r"(?P<rest>.{0,120})",
    re.IGNORECASE | re.DOTALL,
)
_VERSION = re.compile(r"\W*(?:[1-4]\.[0-9]|$)")
_ELEMENTS: Mapping[str, re.Pattern[str]] = {
    "NC": re.compile(
        r"non\W?commercial|ei\W?kaupallinen|icke\W?kommersiell|nicht\W?kommerziell|no\W?comercial"
        r"|utilisation commerciale",
        re.IGNORECASE,
    ),
    "SA": re.compile(
        r"share\W?alike|jaa\W?samoin|dela\W?lika|gleichen bedingungen|partage|compartir\W?igual",
        re.IGNORECASE,
    ),
    "ND": re.compile(
        r"no\W?deriv|ei\W?muut|inga\W?bearbetningar|keine\W?bearbeitung|pas de modification"
        r"|sin\W?(?:obra)?deriv",
        re.IGNORECASE,
    ),
}
_PUBLIC_DOMAIN = re.compile(
    r"(?<!not )(?:\bin|^|\bto) the public domain|^public domain\b|creative commons public domain"
    r"|\bcopyright (?:has )?expired|no longer under copyright",
    re.IGNORECASE,
)
_IN_COPYRIGHT = re.compile(
    r"^\W*(?:©|\(c\)\s|copyright\s*(?:©|\(c\)|[12][0-9]{3}|(?:is|are|of|owned|held|retained|reserved|by)\b))"
    r"|^under copyright|\bis copyrighted\b|©\s*(?:the )?[\w.]"
    r"|all rights reserved|tous droits réservés|alle rechte vorbehalten|todos los derechos reservados"
    r"|kaikki oikeudet pidätetään|alla rättigheter förbehållna"
    r"|\b(?:is|are) protected (?:by|under) (?:\w+\W+){0,4}copyright"
    r"|\bholds? the copyright\b(?! on)|\bretained and own the full copyright",
    re.IGNORECASE,
)
_CODE_LICENCE = re.compile(
    r"opensource\.org/licen|apache\.org/licen|gnu\.org/(?:licen|copyleft)|spdx\.org/licenses/(?!CC)",
    re.IGNORECASE,
)
_DATA_LICENCE = re.compile(r"opendatacommons\.org|opendefinition\.org/licenses/odc", re.IGNORECASE)
_SPDX_CC = re.compile(r"spdx\.org/licenses/(CC[A-Z0-9.-]+)", re.IGNORECASE)
_ORDER = ("BY", "NC", "ND", "SA")


def rights_statements(document: Document, today: date | None = None) -> tuple[str, ...]:
    """Return all rights statements of a document, from all elements: the basis of access and licence.

    An embargo whose last date is before `today` has ended and is left out.
    """
    found = dict.fromkeys(document.rights)
    for link in document.links:
        if link.kind is LinkKind.LICENSE:
            found[link.url] = None
    for name, values in document.extra.items():
        if is_about_rights(name):
            found.update(dict.fromkeys(values))
    ends = [moment.text for moment in document.dates if moment.kind == "embargo"]
    if not ends:
        return tuple(found)
    if all(_has_passed(end, today or datetime.now(UTC).date()) for end in ends):
        return (*(text for text in found if stated_access(text) != EMBARGOED), ENDED_MARK)
    return (*found, EMBARGO_MARK)


def _has_passed(text: str, today: date) -> bool:
    found = _DATE.search(text)
    return found is not None and found[0] < today.isoformat()[: len(found[0])]


@lru_cache(maxsize=4096)
def is_about_rights(name: str) -> bool:
    """Return whether an element that has no field in the model contains rights statements."""
    return _NAMED_RIGHTS.fullmatch(name) is not None


def access_from_statements(statements: Sequence[str]) -> str:
    """Return the stated access, the most restrictive of several, or the one that the licence implies."""
    known = _bounded(statements)
    stated = {found for text in known if (found := stated_access(text))}
    for access in _STRICTEST:
        if access in stated:
            return access
    is_free = any(_is_free(licence) for text in known if (licence := stated_licence(text)))
    return OPEN if is_free else UNSTATED_ACCESS


def licences_from_statements(statements: Sequence[str]) -> tuple[str, ...]:
    """Return the licences in statements; "Other terms" for statements that name none."""
    found = dict.fromkeys(filter(None, map(stated_licence, _bounded(statements))))
    for vague in (OTHER, IN_COPYRIGHT, CC_UNSPECIFIED):
        if len(found) > 1:  # "© 2020 The authors" adds nothing to the licence beside it
            found.pop(vague, None)
    return tuple(found) or (UNSTATED_LICENCE,)


def _bounded(statements: Sequence[str]) -> list[str]:
    return [text[:LONGEST_STATEMENT].strip() for text in statements[:MOST_STATEMENTS]]


@lru_cache(maxsize=10_000)
def stated_access(text: str) -> str:
    code = _EU_REPO_ACCESS.search(text) or _COAR_ACCESS.search(text)
    if code is None and _ADDRESS.match(text):
        return ""
    found = load_controlled_values(ACCESS).find(code[1] if code else text)
    return "" if found is None or found.name == UNSTATED_ACCESS else found.name


@lru_cache(maxsize=10_000)
def stated_licence(text: str) -> str:
    """Return the licence that one statement names, "Other terms" for an unknown one; "" for none."""
    table = load_controlled_values(LICENCE)
    code = _RIGHTS_STATEMENT.search(text)
    if code is not None:
        known = table.find(code[1])
        return OTHER if known is None else known.name
    found = _creative_commons(text)
    if found:
        return found
    whole = None if _ADDRESS.match(text) else table.find(text) or table.find(_first_sentence(text))
    if whole is not None:
        return "" if whole.name == UNSTATED_LICENCE else whole.name
    if _PUBLIC_DOMAIN.search(text):
        return PUBLIC_DOMAIN
    if _CODE_LICENCE.search(text):
        return "Open-source licence"
    if _DATA_LICENCE.search(text):
        return "Open Data Commons"
    if _CC_NAME.search(text):
        return CC_UNSPECIFIED
    if _IN_COPYRIGHT.search(text):
        return IN_COPYRIGHT
    is_access = bool(stated_access(text)) or _EU_REPO_ACCESS.search(text) or not any(map(str.isalnum, text))
    return "" if is_access or load_controlled_values(ACCESS).find(text) else OTHER


def _first_sentence(text: str) -> str:
    """Return the label before an explanation: "In Copyright. This Item is protected by …"."""
    return re.split(r"(?<=\w{6})[.:]\s", text, maxsplit=1)[0]


def _creative_commons(text: str) -> str:
    address = _CC_ADDRESS.search(text)
    if address is not None:
        parts = address[1].upper()
        if parts in ("ZERO", "MARK"):
            return CC0 if parts == "ZERO" else PUBLIC_DOMAIN
        return _named(parts)
    spdx = _SPDX_CC.search(text)
    code = _CC_CODE.search(spdx[1] if spdx else text)
    if code is not None and code["zero"]:
        return CC0
    code = code or _BARE_CODE.fullmatch(text)
    if code is not None:
        return _named(code["parts"])
    name = _ATTRIBUTION.search(text)
    if name is None:
        return ""
    elements = [mark for mark, part in _ELEMENTS.items() if part.search(name["rest"])]
    is_licence = _CC_NAME.search(text) or (name.start() == 0 and (elements or _VERSION.match(name["rest"])))
    return _named(" ".join(("BY", *elements))) if is_licence else ""


def _named(parts: str) -> str:
    elements = re.findall("BY|NC|ND|SA", parts.upper())
    name = "CC " + "-".join(each for each in _ORDER if each in elements)
    known = load_controlled_values(LICENCE).find(name)
    return CC_UNSPECIFIED if known is None or "BY" not in elements else known.name


def _is_free(licence: str) -> bool:
    return licence.startswith("CC ") or licence in (
        CC0,
        CC_UNSPECIFIED,
        PUBLIC_DOMAIN,
        "Open-source licence",
        "Open Data Commons",
    )
