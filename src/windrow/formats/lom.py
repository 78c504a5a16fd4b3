"""LOM, learning objects: IEEE LOM, IMS metadata and national profiles of both.

Agents are vCards. Names are compared in lower case: IMS writes `lifecycle`, IEEE `lifeCycle`.
"""

from __future__ import annotations

import re
from copy import deepcopy

from lxml import etree

from windrow.formats.mapping.xml_records import (
    ALTERNATIVE,
    DESCRIPTION,
    IDENTIFIER,
    LANGUAGE,
    SUBJECT,
    TITLE,
    Draft,
    Rule,
    Trail,
    element_text,
    into,
    local_name,
    read_paths,
)
from windrow.formats.registry import Reader
from windrow.model.document import Document, LinkKind

_VCARD = re.compile(r"begin:vcard", re.IGNORECASE)
_PROPERTY = re.compile(r"(?im)^\s*(?:item\d+\.)?(FN|N|ORG)(?:;[^:\r\n]*)?:(.*)$")
_LONGEST_CARD = 10_000
# A vCard that lost its line breaks has all properties on one line.
_LOST_BREAK = re.compile(
    r"(?i)\s+(?=(?:version|fn|n|org|title|role|email|tel|adr|url|note|uid|end)(?:;[^:\s]*)?:)"
)
_DATES = {"publisher": "issued", "author": "created", "creator": "created"}


class Lom:
    """Reader of LOM."""

    name = "lom"
    prefixes = frozenset(("oai_lom", "ieee_lom", "ims", "imsmd", "oai_ims", "nl_lom", "lom_ims", "lre"))
    roots = frozenset(
        (
            "{http://ltsc.ieee.org/xsd/LOM}lom",
            "{http://ltsc.ieee.org/xsd/LOMv1p0}lom",
            "{http://www.imsglobal.org/xsd/imsmd_v1p2}lom",
            "{http://www.imsglobal.org/xsd/imsmd_rootv1p2p1}lom",
            "lom",
        )
    )

    def read(self, root: etree._Element) -> Document:
        draft = Draft("lom")
        read_paths(_simple(root), draft, _RULES)
        return draft.finish()


def _simple(root: etree._Element) -> etree._Element:
    """Return the record with each text in one element, where a profile nests text and language."""
    # `<langstring><value>Moss</value><language>en</language></langstring>` and `<location><value>…</value>
    # <type>URI</type></location>` would otherwise be one text, "Mossen".
    found = [part for part in root.iter(etree.Element) if _parts(part)]
    if not found:
        return root
    copied = deepcopy(root)
    for part in [part for part in copied.iter(etree.Element) if _parts(part)]:
        value, about = part[0], part[1]
        if local_name(about).lower() == "language":
            part.set("language", element_text(about))
        part.text = element_text(value)
        part.remove(value)
        part.remove(about)
    return copied


def _parts(element: etree._Element) -> bool:
    """Return whether an element contains a text and its language or type, each in a child element."""
    names = [local_name(child).lower() for child in element]
    return names in (["value", "language"], ["value", "type"]) and not any(map(len, element))


def name_on(card: str) -> tuple[str, str]:
    """Return the name and the organisation on a vCard, or the text itself if it is not a vCard."""
    if not _VCARD.search(card):
        return " ".join(card.split()), ""
    if "\n" not in card.strip():
        card = _LOST_BREAK.sub("\n", card[:_LONGEST_CARD])
    found = {key.upper(): value.strip() for key, value in reversed(_PROPERTY.findall(card[:_LONGEST_CARD]))}
    organisation = " ".join(found.get("ORG", "").replace("\\", "").split(";")[0].split())
    parts = [part.replace("\\", "").strip() for part in found.get("N", "").split(";")]
    whole = ", ".join(filter(None, parts[:2]))
    return whole or found.get("FN", ""), organisation


def _contribute(draft: Draft, element: etree._Element, trail: Trail) -> None:
    role = ""
    for part in element:
        if local_name(part).lower() == "role":
            values = [
                element_text(each)
                for each in part.iter()
                if local_name(each).lower() in ("value", "langstring")
            ]
            role = (values[-1] if values else element_text(part)).strip().lower()
    for part in element.iter():
        if local_name(part).lower() in ("entity", "vcard") and len(part) == 0:
            _entity(draft, part, role)
            trail.skip(part)
        elif local_name(part).lower() == "datetime":
            draft.add_date(trail.use(part), _DATES.get(role, "date"))


def _entity(draft: Draft, part: etree._Element, role: str) -> None:
    card = part.text or ""
    name, organisation = name_on(card)
    places = [organisation] if organisation and name != organisation else []
    draft.add_extra("lom:entity", card if _VCARD.search(card) else "")
    if role == "publisher":
        draft.add_publisher(name or organisation)
    elif role in ("author", "creator", "auteur"):
        draft.add_creator(name or organisation, affiliations=places)
    else:
        draft.add_contributor(name or organisation, role=role or None, affiliations=places)


def _location(draft: Draft, element: etree._Element, trail: Trail) -> None:
    address = trail.use(element)
    if "://" in address:
        draft.add_link(address, hint=LinkKind.FULLTEXT)
    else:
        draft.add_identifier(address)


def _kind(draft: Draft, element: etree._Element, trail: Trail) -> None:
    values = [part for part in element if local_name(part).lower() == "value"]
    for part in values:
        draft.add_type(trail.use(part))
    if not values:
        draft.add_type(trail.use(element))


def _taxon(draft: Draft, element: etree._Element, trail: Trail) -> None:
    for part in element:
        if local_name(part).lower() == "entry":
            SUBJECT(draft, part, trail)


def _keyword(draft: Draft, element: etree._Element, trail: Trail) -> None:
    parts = [part for part in element if local_name(part)] or [element]
    for part in parts:
        draft.add_keyword(trail.use(part))


_RULES: dict[str, Rule] = {
    "general/title": TITLE,
    "general/alternative": ALTERNATIVE,
    "general/description": DESCRIPTION,
    "general/keyword": _keyword,
    "general/language": LANGUAGE,
    "general/identifier/entry": IDENTIFIER,
    "general/catalogentry/entry": IDENTIFIER,
    "lifecycle/contribute": _contribute,
    "technical/location": _location,
    "educational/learningresourcetype": _kind,
    "rights/description": into(Draft.add_rights),
    "taxonpath/taxon": _taxon,
}

READER: Reader = Lom()
