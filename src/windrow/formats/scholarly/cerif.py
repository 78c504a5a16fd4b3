"""OpenAIRE's CERIF profile, research information: publications, products, people, projects, funding.

A record is one entity. The entities that it refers to (a journal, a project, an affiliation) are nested in
it, and only their names are used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lxml import etree

from windrow.formats.mapping.identifier_schemes import authority_address
from windrow.formats.mapping.xml_records import (
    Draft,
    Trail,
    abstract,
    element_language,
    element_text,
    local_name,
    name_in,
)
from windrow.formats.registry import Reader
from windrow.model.document import Document

_NAMESPACES = tuple(f"https://www.openaire.eu/cerif-profile/{version}/" for version in ("1.0", "1.1", "1.2"))
_ENTITIES = (
    *("Publication", "Product", "Patent", "Person", "OrgUnit", "Project", "Funding", "Event", "Equipment"),
    "Service",
)
_VALUES: dict[str, Callable[[Draft, str], None]] = {
    "Language": Draft.add_language,
    "DOI": Draft.add_identifier,
    "Handle": Draft.add_identifier,
    "PMCID": Draft.add_identifier,
    "PMID": Draft.add_identifier,
    "ISBN": Draft.add_identifier,
    "ISSN": Draft.add_identifier,
    "URN": Draft.add_identifier,
    "URL": Draft.add_identifier,
    "ORCID": Draft.add_identifier,
    "RORID": Draft.add_identifier,
    "GRID": Draft.add_identifier,
    "ISNI": Draft.add_identifier,
    "FundRefID": Draft.add_identifier,
    "GrantDOI": Draft.add_identifier,
    "PatentNumber": Draft.add_identifier,
    "Identifier": Draft.add_identifier,
    "Type": Draft.add_type,
    "Subject": Draft.add_subject,
    "Keyword": Draft.add_keyword,
    "License": Draft.add_rights,
    "Access": Draft.add_rights,
}
_WORDS: dict[str, Callable[[Draft, str, str | None], None]] = {
    "Title": Draft.add_title,
    "Name": Draft.add_title,
    "Subtitle": Draft.add_alternative,
    "Acronym": Draft.add_alternative,
    "NameAbbreviation": Draft.add_alternative,
    "Abstract": abstract,
    "Description": Draft.add_description,
}
# The type of entities that have no type of their own.
_KINDS = {"OrgUnit": "organisation", "Person": "person", "Project": "project", "Equipment": "equipment"}
_DATES = {
    "PublicationDate": "issued",
    "RegistrationDate": "submitted",
    "ApprovalDate": "accepted",
    "StartDate": "created",
    "EndDate": "date",
}
_PEOPLE = {"Authors": None, "Inventors": None, "Creators": None, "Editors": "editor", "Holders": "holder"}
_BODIES = {"Consortium": "", "Team": "", "Publishers": "publisher", "Issuer": "issuer", "Owner": "owner"}


class Cerif:
    """Reader of the entities of the OpenAIRE CERIF profile."""

    name = "oai_cerif_openaire"
    prefixes = frozenset(("cerif", "oai_cerif", "cerif_openaire", "oai_cerif_openaire_1.2"))
    roots = frozenset(f"{{{namespace}}}{entity}" for namespace in _NAMESPACES for entity in _ENTITIES)

    def read(self, root: etree._Element) -> Document:
        draft, trail = Draft("cerif"), Trail()
        for child in root:
            if local_name(child):
                _add(draft, child, trail)
        trail.sweep(root, draft, "cerif")
        document = draft.finish()
        kind = _KINDS.get(local_name(root))
        return (
            replace(document, types=(kind,)) if kind and document.titles and not document.types else document
        )


def _add(draft: Draft, child: etree._Element, trail: Trail) -> None:
    name = local_name(child)
    if name in _WORDS:
        _WORDS[name](draft, trail.use(child), element_language(child))
    elif name == "PersonName":
        _add_name(draft, child, trail)
    elif name in _DATES:
        draft.add_date(trail.use(child), _DATES[name])
    elif name in _VALUES:
        _VALUES[name](draft, trail.use(child))
    elif name in _PEOPLE:
        for part in filter(local_name, child):
            _add_person(draft, part, trail, _PEOPLE[name])
    elif name in _BODIES:
        _add_bodies(draft, child, _BODIES[name])
    elif name in ("PublishedIn", "PartOf"):
        for title in map(_named, filter(local_name, child)):
            if title is not None:
                draft.add_source(trail.use(title))


def _add_name(draft: Draft, element: etree._Element, trail: Trail) -> None:
    name = name_in(element)
    draft.add_title(name or element_text(element))
    for part in element:
        if not name or element_text(part) in name:
            trail.skip(part)


def _named(entity: etree._Element) -> etree._Element | None:
    """Return the element with the name of an entity, in English if there is a choice."""
    found = [part for part in entity if local_name(part) in ("Title", "Name")]
    return next((part for part in found if element_language(part) == "en"), found[0] if found else None)


def _add_person(draft: Draft, element: etree._Element, trail: Trail, role: str | None) -> None:
    person = element.find("{*}Person")
    parts = person.find("{*}PersonName") if person is not None else None
    name = name_in(parts) if parts is not None else ""
    shown = element.find("{*}DisplayName")
    if name and parts is not None:
        for part in parts:
            if element_text(part) in name:
                trail.skip(part)
    elif shown is not None:
        name = trail.use(shown)
    else:
        body = next((found for part in element if (found := _named(part)) is not None), None)
        name = trail.use(body) if body is not None else ""
    orcid = person.find("{*}ORCID") if person is not None else None
    identifier = authority_address(element_text(orcid), "orcid") if orcid is not None else None
    if orcid is not None and identifier:
        trail.skip(orcid)
    places = [
        element_text(found)
        for part in element.iter("{*}Affiliation")
        for unit in part
        if local_name(unit) and (found := _named(unit)) is not None
    ]
    add = draft.add_creator if role is None else draft.add_contributor
    add(name, role=role, identifier=identifier, affiliations=places)


def _add_bodies(draft: Draft, element: etree._Element, role: str) -> None:
    """Add the organisations and people inside an element, each in the role of its parent element."""
    for part in element.iter("{*}OrgUnit", "{*}Person"):
        around = part.getparent()
        said = role or (local_name(around).lower() if around is not None else "")
        names = part.find("{*}PersonName")
        found = _named(part)
        name = name_in(names) if names is not None else element_text(found) if found is not None else ""
        if said == "publisher":
            draft.add_publisher(name)
        else:
            draft.add_contributor(name, role=said or None)


READER: Reader = Cerif()
