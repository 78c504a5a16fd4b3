"""ISO 19139 and ISO 19115-3, geographic metadata: data sets, services and maps.

Only what describes the resource (`identificationInfo`) is mapped; contacts and dates of the metadata itself
stay in `extra`.
"""

from __future__ import annotations

from dataclasses import replace

from lxml import etree

from windrow.formats.mapping.xml_records import (
    Draft,
    Rule,
    Trail,
    element_language,
    element_text,
    into,
    local_name,
    own_text,
    read_paths,
)
from windrow.formats.registry import Reader
from windrow.model.document import Document, LinkKind
from windrow.model.text.language_codes import language_codes

_DATES = {"publication": "issued", "creation": "created", "revision": "modified", "released": "issued"}
_CREATORS = frozenset(("author", "coauthor", "originator", "principalinvestigator", "owner", "creator"))
# Elements whose addresses do not lead to the resource.
_BESIDE = frozenset(("referencesysteminfo", "thesaurusname", "contactinfo", "contact", "specification"))
_NAMES = ("individualname", "ci_individual", "organisationname", "ci_organisation")


class Iso19139:
    """Reader of ISO 19139 (gmd, gmi) and ISO 19115-3 (mdb)."""

    name = "iso19139"
    prefixes = frozenset(
        (
            "iso",
            "iso19115",
            "iso19115-3",
            "iso19115-3.2018",
            "iso19139.anzlic",
            "gmd",
            "oai_iso19139",
            "inspire",
        )
    )
    roots = frozenset(
        (
            "{http://www.isotc211.org/2005/gmd}MD_Metadata",
            "{http://www.isotc211.org/2005/gmi}MI_Metadata",
            "{http://standards.iso.org/iso/19115/-3/mdb/1.0}MD_Metadata",
            "{http://standards.iso.org/iso/19115/-3/mdb/2.0}MD_Metadata",
        )
    )

    def read(self, root: etree._Element) -> Document:
        draft = Draft("iso")
        read_paths(root, draft, _RULES)
        document = draft.finish()
        return document if document.languages else replace(document, languages=_described_in(root))


def _described_in(root: etree._Element) -> tuple[str, ...]:
    """Return the language of an ISO 19115-3 description, used for data that state none."""
    codes = (part.get("codeListValue") or "" for part in root.findall("{*}defaultLocale/*/{*}language/*"))
    return tuple(dict.fromkeys(code for each in codes for code in language_codes(each)))


def _texts(element: etree._Element) -> list[tuple[str, str | None]]:
    """Return the texts inside an element: the main one, then its translations."""
    found = [
        (own_text(part), element_language(part) or _locale(part))
        for part in element.iter()
        if local_name(part) and own_text(part)
    ]
    return found or [("", None)]


def _locale(part: etree._Element) -> str | None:
    """Return the language of a translation: `locale="#FI"`."""
    codes = language_codes((part.get("locale") or "").lstrip("#").removeprefix("locale-"))
    return codes[0] if codes else None


def _title(draft: Draft, element: etree._Element, trail: Trail) -> None:
    (main, language), *others = _texts(element)
    draft.add_title(main, language)
    for text, each in others:
        draft.add_alternative(text, each)
    trail.skip(element)


def _alternative(draft: Draft, element: etree._Element, trail: Trail) -> None:
    for text, language in _texts(element):
        draft.add_alternative(text, language)
    trail.skip(element)


def _abstract(draft: Draft, element: etree._Element, trail: Trail) -> None:
    for text, language in _texts(element):
        draft.add_description(text, language, is_abstract=True)
    trail.skip(element)


def _code(element: etree._Element, trail: Trail) -> str:
    for part in element.iter():
        if local_name(part) and part.get("codeListValue"):
            return trail.value(part, "codeListValue").strip()
    return element_text(element)


def _coded(add: str) -> Rule:
    def put(draft: Draft, element: etree._Element, trail: Trail) -> None:
        getattr(draft, add)(_code(element, trail))
        draft.add_extra(f"iso:{local_name(element)[:64]}", trail.use(element))

    return put


def _date(draft: Draft, element: etree._Element, trail: Trail) -> None:
    kinds = [_code(part, trail) for part in element if local_name(part) == "dateType"]
    dates = [part for part in element if local_name(part) == "date"]
    kind = kinds[0].lower() if kinds else "date"
    for part in dates:
        draft.add_date(trail.use(part), _DATES.get(kind, kind or "date"))


def _agent(draft: Draft, element: etree._Element, trail: Trail) -> None:
    """Add a responsible party: a person with an institution, or the institution alone."""
    names: dict[str, str] = {}
    role = ""
    for part in element.iter():
        name = local_name(part).lower()
        if name == "role":
            role = role or _code(part, trail)
        elif name in _NAMES and name not in names:
            whole = part if name in ("individualname", "organisationname") else part.find("{*}name")
            names[name] = element_text(whole) if whole is not None else ""
            if whole is not None:
                trail.skip(whole)
    person = names.get("individualname") or names.get("ci_individual") or ""
    body = names.get("organisationname") or names.get("ci_organisation") or ""
    if role.lower() in ("publisher", "distributor", "resourceprovider") and body:
        draft.add_publisher(body)
    add = draft.add_creator if role.lower() in _CREATORS else draft.add_contributor
    add(person or body, role=role or None, affiliations=[body] if person and body else ())


def _keywords(draft: Draft, element: etree._Element, trail: Trail) -> None:
    thesaurus = element.find("{*}thesaurusName/*/{*}title")
    scheme = element_text(thesaurus) if thesaurus is not None else None
    for part in element:
        if local_name(part) == "keyword":
            for text, language in _texts(part):
                if scheme:
                    draft.add_subject(text, scheme=scheme, language=language)
                else:
                    draft.add_keyword(text)
            trail.skip(part)


def _online(draft: Draft, element: etree._Element, trail: Trail) -> None:
    linkage = element.find("{*}linkage")
    name = element.find("{*}name")
    if linkage is None:
        return
    address = trail.use(linkage)
    is_beside = any(local_name(each).lower() in _BESIDE for each in element.iterancestors())
    if "://" in address:
        label = trail.use(name) if name is not None else None
        hint = LinkKind.RELATED if is_beside else None
        if not draft.add_link(address, label=label, hint=hint):  # the same address may have several names
            draft.add_extra("iso:online", label or "")
    else:
        draft.add_extra("iso:linkage", address)


def _topic(draft: Draft, element: etree._Element, trail: Trail) -> None:
    draft.add_subject(trail.use(element), scheme="ISO topic category")


def _identifier(draft: Draft, element: etree._Element, trail: Trail) -> None:
    for part in element.iter("{*}code"):
        draft.add_identifier(trail.use(part))


_RULES: dict[str, Rule] = {
    "citation/ci_citation/title": _title,
    "citation/ci_citation/alternatetitle": _alternative,
    "citation/ci_citation/date/ci_date": _date,
    "citation/ci_citation/identifier": _identifier,
    "citation/ci_citation/citedresponsibleparty": _agent,
    "pointofcontact": _agent,
    "distributorcontact": _agent,
    "abstract": _abstract,
    "descriptivekeywords/md_keywords": _keywords,
    "topiccategory": _topic,
    "md_dataidentification/language": _coded("add_language"),
    "md_dataidentification/defaultlocale/pt_locale/language": _coded("add_language"),
    "md_dataidentification/otherlocale/pt_locale/language": _coded("add_language"),
    "hierarchylevel": _coded("add_type"),
    "resourcescope": _coded("add_type"),
    "md_legalconstraints/otherconstraints": into(Draft.add_rights),
    "uselimitation": into(Draft.add_rights),
    "ci_onlineresource": _online,
    "fileidentifier": into(Draft.add_identifier),
    "metadataidentifier": _identifier,
    "datestamp": lambda draft, element, trail: draft.add_date(trail.use(element), "metadata"),
}

READER: Reader = Iso19139()
