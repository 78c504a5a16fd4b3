"""DataCite, kernel 2 to 4, alone or in its OAI wrapper, and OpenAIRE's literature profile based on it."""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from windrow.formats.mapping.identifier_schemes import authority_address, best_identifier
from windrow.formats.mapping.xml_records import (
    Draft,
    Trail,
    element_language,
    element_text,
    element_words,
    local_name,
)
from windrow.formats.registry import Reader
from windrow.model.document import Document, LinkKind

_KERNELS = (
    "2.0",
    "2.1",
    "2.2",
    "2.3",
    "3",
    "3.0",
    "3.1",
    "4",
    "4.0",
    "4.1",
    "4.2",
    "4.3",
    "4.4",
    "4.5",
    "4.6",
)
_WRAPPERS = ("oai-1.0", "oai-1.1")
_SCHEMES = {"DOI": "doi", "Handle": "hdl", "URN": "urn", "ISBN": "isbn", "ISSN": "issn", "EISSN": "issn"}


class Datacite:
    """Reader of datacite, oai_datacite and oai_openaire."""

    name = "datacite"
    prefixes = frozenset(
        (
            "datacite",
            "oai_datacite",
            "oai_datacite3",
            "oai_datacite4",
            "datacite3",
            "datacite4",
            "oai_openaire",
        )
    )
    roots = frozenset(
        (
            *(f"{{http://datacite.org/schema/kernel-{kernel}}}resource" for kernel in _KERNELS),
            *(f"{{http://schema.datacite.org/oai/{wrapper}/}}oai_datacite" for wrapper in _WRAPPERS),
            "{http://datacite.org/schema/namespace}resource",
            "{http://namespace.openaire.eu/schema/oaire/}resource",
            "oai_datacite",
            "resource",
        )
    )

    def read(self, root: etree._Element) -> Document:
        draft, trail = Draft(self.name), Trail()
        resource = root
        if local_name(root) == "oai_datacite":
            resource = next(root.iter("{*}resource"), root)
        for child in resource:
            add = _ADD.get(local_name(child))
            if add is not None:
                add(draft, trail, child)
        trail.sweep(root, draft, self.name)
        return draft.finish()


def _people(draft: Draft, trail: Trail, group: etree._Element) -> None:
    for person in group:
        kind = local_name(person)
        if kind not in ("creator", "contributor"):
            continue
        name, identifiers, places = _person(trail, person)
        add = draft.add_creator if kind == "creator" else draft.add_contributor
        add(
            name,
            role=person.get("contributorType"),
            identifier=best_identifier(identifiers),
            affiliations=places,
        )


def _person(trail: Trail, person: etree._Element) -> tuple[str, list[str], list[str]]:
    """Return name, identifiers and affiliations; name parts count only if there is no full name."""
    parts: dict[str, str] = {}
    identifiers: list[str] = []
    places: list[str] = []
    for part in person:
        kind = local_name(part)
        if kind == "nameIdentifier":
            found = authority_address(element_text(part), part.get("nameIdentifierScheme"))
            if found:
                identifiers.append(found)
        elif kind == "affiliation" and element_text(part):
            places.append(trail.use(part))
        elif kind in ("creatorName", "contributorName"):
            parts.setdefault("name", trail.use(part))
    for part in person:
        if local_name(part) in ("givenName", "familyName") and element_text(part) in parts.get("name", ""):
            trail.skip(part)
        elif local_name(part) in ("givenName", "familyName"):
            parts.setdefault(local_name(part), element_text(part))
    name = parts.get("name") or ", ".join(filter(None, (parts.get("familyName"), parts.get("givenName"))))
    return name, identifiers, places


_OTHER_TITLES = frozenset(("AlternativeTitle", "TranslatedTitle", "Subtitle", "Other"))


def _titles(draft: Draft, trail: Trail, group: etree._Element) -> None:
    for title in group:
        if local_name(title) == "title":
            add = draft.add_alternative if title.get("titleType") in _OTHER_TITLES else draft.add_title
            add(element_words(title), element_language(title))
            trail.skip(title)


def _descriptions(draft: Draft, trail: Trail, group: etree._Element) -> None:
    for description in group:
        kind = description.get("descriptionType") or "Abstract"
        if local_name(description) != "description" or kind in ("SeriesInformation", "TableOfContents"):
            continue
        draft.add_description(
            element_words(description), element_language(description), is_abstract=kind == "Abstract"
        )
        trail.skip(description)


def _description(draft: Draft, trail: Trail, element: etree._Element) -> None:
    draft.add_description(element_words(element), element_language(element))
    trail.skip(element)


def _subjects(draft: Draft, trail: Trail, group: etree._Element) -> None:
    for subject in group:
        if local_name(subject) != "subject":
            continue
        scheme, language = subject.get("subjectScheme") or None, element_language(subject)
        uri = subject.get("valueURI") or None
        if scheme is None and uri is None:
            draft.add_subjects(trail.use(subject), language=language)
        else:
            draft.add_subject(trail.use(subject), scheme=scheme, uri=uri, language=language)


def _dates(draft: Draft, trail: Trail, group: etree._Element) -> None:
    for date in group:
        if local_name(date) == "date":
            _date(draft, trail, date)


def _date(draft: Draft, trail: Trail, date: etree._Element) -> None:
    kind = (date.get("dateType") or "date").lower()
    draft.add_date(trail.use(date), kind)


def _year(draft: Draft, trail: Trail, year: etree._Element) -> None:
    draft.add_date(trail.use(year), "issued")


def _identifier(draft: Draft, trail: Trail, identifier: etree._Element) -> None:
    said = identifier.get("identifierType") or identifier.get("alternateIdentifierType") or ""
    draft.add_identifier(trail.use(identifier), scheme=_SCHEMES.get(said.strip()))


def _identifiers(draft: Draft, trail: Trail, group: etree._Element) -> None:
    for identifier in group:
        if local_name(identifier) in ("alternateIdentifier", "identifier"):
            _identifier(draft, trail, identifier)


def _relations(draft: Draft, trail: Trail, group: etree._Element) -> None:
    for relation in group:
        if local_name(relation) == "relatedIdentifier":
            draft.add_relation(trail.use(relation))


def _rights_list(draft: Draft, trail: Trail, group: etree._Element) -> None:
    if len(group) == 0:  # kernel 2 has one statement instead of a list
        _rights(draft, trail, group)
    for rights in group:
        if local_name(rights) == "rights":
            _rights(draft, trail, rights)


def _rights(draft: Draft, trail: Trail, rights: etree._Element) -> None:
    draft.add_rights(trail.use(rights))
    uri = rights.get("rightsURI") or rights.get("uri")
    if uri:
        draft.add_rights(uri)


def _type(draft: Draft, trail: Trail, kind: etree._Element) -> None:
    draft.add_type(trail.use(kind))
    draft.add_type(kind.get("resourceTypeGeneral") or "")


def _extents(name: str) -> Add:
    def add(draft: Draft, trail: Trail, group: etree._Element) -> None:
        for extent in group:
            if local_name(extent) == name:
                draft.add_extent(trail.use(extent), name)

    return add


def _file(draft: Draft, trail: Trail, file: etree._Element) -> None:
    draft.add_link(trail.use(file), hint=LinkKind.FULLTEXT, media_type=file.get("mimeType"))


def _valued(add: Callable[[Draft, str], None]) -> Add:
    return lambda draft, trail, element: add(draft, trail.use(element))


Add = Callable[[Draft, Trail, etree._Element], None]

_ADD: dict[str, Add] = {
    "creators": _people,
    "contributors": _people,
    "titles": _titles,
    "descriptions": _descriptions,
    "description": _description,
    "subjects": _subjects,
    "dates": _dates,
    "date": _date,
    "publicationYear": _year,
    "identifier": _identifier,
    "alternateIdentifiers": _identifiers,
    "relatedIdentifiers": _relations,
    "rightsList": _rights_list,
    "rights": _rights,
    "licenseCondition": _rights,
    "publisher": _valued(Draft.add_publisher),
    "language": _valued(Draft.add_language),
    "source": _valued(Draft.add_source),
    "citationTitle": _valued(Draft.add_source),
    "resourceType": _type,
    "sizes": _extents("size"),
    "formats": _extents("format"),
    "file": _file,
}

READER: Reader = Datacite()
