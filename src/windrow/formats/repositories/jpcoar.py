"""JPCOAR, the format of Japanese repositories (WEKO, JAIRO Cloud), versions 1 and 2.

Dublin Core elements are mixed with JPCOAR's own; titles and names come in several scripts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lxml import etree

from windrow.formats.dublin_core.dc_terms import DC, DCTERMS, add_element
from windrow.formats.mapping.identifier_schemes import authority_address, best_identifier
from windrow.formats.mapping.xml_records import Draft, Trail, element_language, element_text, local_name
from windrow.model.document import Document, LinkKind

NAMESPACE = "https://github.com/JPCOAR/schema/blob/master/2.0/"
NAMESPACE_1 = "https://irdb.nii.ac.jp/schema/jpcoar/1.0/"
OLD_NAMESPACE_1 = "https://github.com/JPCOAR/schema/blob/master/1.0/"

_RESOURCE = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}resource"
_DATES = {"issued": "issued", "created": "created", "available": "available", "updated": "updated"}
_FILES = {"fulltext": LinkKind.FULLTEXT, "thumbnail": LinkKind.THUMBNAIL}


class Jpcoar:
    """Reader of the JPCOAR schema."""

    name = "jpcoar"
    prefixes = frozenset({"jpcoar_1.0", "jpcoar_2.0", "jpcoar_v1", "jpcoar_v2", "oai_jpcoar"})
    roots = frozenset(f"{{{space}}}jpcoar" for space in (NAMESPACE, NAMESPACE_1, OLD_NAMESPACE_1))

    def read(self, root: etree._Element) -> Document:
        draft, trail = Draft("jpcoar"), Trail()
        for child in root:
            place = _PLACES.get(local_name(child))
            if place is not None:
                place(child, draft, trail)
            elif str(child.tag).startswith((DC, DCTERMS)):
                _add_plain(child, draft, trail)
        _add_source(root, draft, trail)
        trail.sweep(root, draft, "jpcoar")
        return draft.finish()


def _children(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    return (child for child in element if local_name(child) in names)


def _add_plain(element: etree._Element, draft: Draft, trail: Trail) -> None:
    add_element(draft, element)
    trail.skip(element)
    address = element.get(_RESOURCE) or ""
    if local_name(element) in ("rights", "license"):
        draft.add_rights(address)
    elif address:
        draft.add_extra(f"jpcoar:{local_name(element)}@resource", address)


def _add_person(person: etree._Element, draft: Draft, trail: Trail) -> None:
    """Add one person in one script; the other scripts of the name stay in extra."""
    names = [name for name in _children(person, "creatorName", "contributorName") if element_text(name)]
    if not names:
        return
    names.sort(key=lambda name: _is_reading(name) or element_language(name) is None)
    numbers = {child: _number_of(child) for child in _children(person, "nameIdentifier")}
    best = best_identifier([number for number in numbers.values() if number])
    for child, number in numbers.items():
        if number == best:
            trail.skip(child)
    is_creator = local_name(person) == "creator"
    add = draft.add_creator if is_creator else draft.add_contributor
    add(
        trail.use(names[0]),
        role=person.get("creatorType") or person.get("contributorType"),
        identifier=best,
        affiliations=_affiliations_of(person, trail),
    )


def _number_of(identifier: etree._Element) -> str | None:
    address, scheme = identifier.get("nameIdentifierURI"), identifier.get("nameIdentifierScheme")
    return address or authority_address(identifier.text or "", scheme)


def _is_reading(name: etree._Element) -> bool:
    """Return whether a name is only the pronunciation of another one."""
    said = next((str(value) for key, value in name.attrib.items() if str(key).endswith("}lang")), "")
    return said.endswith(("-Kana", "-Latn", "-Hrkt"))


def _affiliations_of(person: etree._Element, trail: Trail) -> list[str]:
    """Return each institution by its first name; its names in other languages stay in extra."""
    names = (
        next(_children(affiliation, "affiliationName"), None)
        for affiliation in _children(person, "affiliation")
    )
    return [trail.use(name) for name in names if name is not None]


def _add_subject(subject: etree._Element, draft: Draft, trail: Trail) -> None:
    scheme, uri = subject.get("subjectScheme") or "", subject.get("subjectURI")
    words, language = trail.use(subject), element_language(subject)
    draft.add_subject(words, scheme=None if scheme in ("", "Other") else scheme, uri=uri, language=language)


def _add_description(description: etree._Element, draft: Draft, trail: Trail) -> None:
    is_abstract = (description.get("descriptionType") or "") == "Abstract"
    draft.add_description(trail.use(description), element_language(description), is_abstract=is_abstract)


def _add_date(date: etree._Element, draft: Draft, trail: Trail) -> None:
    kind = (date.get("dateType") or "").lower()
    draft.add_date(trail.use(date), _DATES.get(kind, kind[:32] or "date"))


def _add_granted(date: etree._Element, draft: Draft, trail: Trail) -> None:
    draft.add_date(trail.use(date), "defended")


def _add_grantor(grantor: etree._Element, draft: Draft, trail: Trail) -> None:
    names = list(_children(grantor, "degreeGrantorName"))
    chosen = next((name for name in names if element_language(name) == "en"), names[0] if names else None)
    if chosen is not None:
        draft.add_institution(trail.use(chosen))


def _add_identifier(identifier: etree._Element, draft: Draft, trail: Trail) -> None:
    draft.add_identifier(
        trail.use(identifier), scheme=(identifier.get("identifierType") or "").lower() or None
    )


def _add_pages(pages: etree._Element, draft: Draft, trail: Trail) -> None:
    count = trail.use(pages)
    draft.add_extent(f"{count} p." if count.isdecimal() and len(count) < 6 else count, "numPages")


def _add_file(file: etree._Element, draft: Draft, trail: Trail) -> None:
    media_type = next((trail.use(form) for form in _children(file, "mimeType")), None)
    for address in _children(file, "URI"):
        kind = _FILES.get(address.get("objectType") or "fulltext", LinkKind.RELATED)
        draft.add_link(trail.use(address), media_type=media_type, hint=kind, label=address.get("label"))
    for extent in _children(file, "extent"):
        draft.add_extent(trail.use(extent), "file/extent")


def _add_publisher(publisher: etree._Element, draft: Draft, trail: Trail) -> None:
    names = list(_children(publisher, "publisherName"))
    for name in names or [publisher]:
        draft.add_publisher(trail.use(name))


def _add_holder(holder: etree._Element, draft: Draft, trail: Trail) -> None:
    for name in list(_children(holder, "holdingAgentName"))[:1]:
        draft.add_institution(trail.use(name))


def _add_relation(relation: etree._Element, draft: Draft, trail: Trail) -> None:
    for part in _children(relation, "relatedTitle", "relatedIdentifier"):
        draft.add_relation(trail.use(part))


def _add_source(root: etree._Element, draft: Draft, trail: Trail) -> None:
    """Add the journal with volume, issue and pages, under each of its titles."""
    place = [trail.use(part) for name in ("volume", "issue") for part in _children(root, name)]
    pages = [trail.use(part) for name in ("pageStart", "pageEnd") for part in _children(root, name)]
    where = [*place, "-".join(filter(None, pages))]
    titles = list(_children(root, "sourceTitle"))
    for title in titles[:1]:
        draft.add_source(", ".join(filter(None, (trail.use(title), *where))))
    for title in titles[1:]:
        draft.add_source(trail.use(title))
    if not titles:
        draft.add_extra("jpcoar:pageStart", ", ".join(filter(None, where)))


_PLACES: dict[str, Callable[[etree._Element, Draft, Trail], None]] = {
    "creator": _add_person,
    "contributor": _add_person,
    "subject": _add_subject,
    "description": _add_description,
    "date": _add_date,
    "dateGranted": _add_granted,
    "degreeGrantor": _add_grantor,
    "identifier": _add_identifier,
    "numPages": _add_pages,
    "publisher": _add_publisher,
    "holdingAgent": _add_holder,
    "relation": _add_relation,
    "file": _add_file,
}

READER = Jpcoar()
