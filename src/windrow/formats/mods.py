"""MODS: titles, names, origin, subjects, locations and related items; reader and writer.

What has no place in the document stays in `extra` as `mods:note`, `mods:recordInfo/recordIdentifier` and so
on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from lxml import etree

from windrow.formats.citations.reference_fields import (
    THESES,
    WorkKind,
    document_container,
    document_publisher,
    work_kind,
)
from windrow.formats.mapping.agent_names import (
    is_creator,
    is_grantor,
    is_organisation,
    is_publisher,
    parse_person_name,
    parse_role,
)
from windrow.formats.mapping.date_values import dc_date_texts
from windrow.formats.mapping.document_draft import MEETING
from windrow.formats.mapping.identifier_schemes import authority_address, best_identifier
from windrow.formats.mapping.markup import escape_xml
from windrow.formats.mapping.xml_records import Draft, Trail, element_language, local_name
from windrow.model.document import Agent, Document, LinkKind, Subject
from windrow.model.text.language_codes import bibliographic_code

# Names: parts, roles, identifiers.

_BEHIND = ("originator", "publisher", "degree granting institution", "host institution")
_XLINK_HREF = "{http://www.w3.org/1999/xlink}href"


def name_of(name: etree._Element, trail: Trail, *, with_dates: bool = False) -> str:
    """Return the name in one line: `Family, Given`, or the parts of a body from large to small."""
    parts: dict[str, list[str]] = {}
    for part in _children(name, "namePart"):
        kind = part.get("type") or ""
        if kind in ("", "family", "given") or (kind == "date" and with_dates):
            parts.setdefault(kind, []).append(trail.use(part))
    whole = ", ".join(filter(None, (" ".join(parts.get("family", [])), " ".join(parts.get("given", [])))))
    if not whole:
        joint = ". " if name.get("type") in ("corporate", "conference") else ", "
        whole = joint.join(text.rstrip(".") if joint == ". " else text for text in parts.get("", []) if text)
    if not whole:
        whole = " ".join(trail.use(form) for form in _children(name, "displayForm"))
    return ", ".join(filter(None, (whole, *parts.get("date", []))))


def add_name(name: etree._Element, draft: Draft, trail: Trail, *, has_publisher: bool) -> None:
    """Add a person or body as creator or contributor.

    Scandinavian repositories name the department as publisher of what a journal published; if the record
    names a publisher elsewhere, that one counts.
    """
    words = name_of(name, trail)
    if not words:
        return
    roles = _roles_of(name, trail)
    _add_institution(name, words, roles, draft)
    if any(is_publisher(role) for role in roles) and not has_publisher:
        draft.add_publisher(words)
    for other in roles[1:]:
        draft.add_extra("mods:name/role", other)
    add = draft.add_creator if _makes(name, roles) else draft.add_contributor
    add(
        words,
        role=roles[0] if roles else MEETING if name.get("type") == MEETING else None,
        identifier=_identifier_of(name, trail),
        affiliations=[trail.use(place) for place in _children(name, "affiliation")],
    )


def _add_institution(name: etree._Element, words: str, roles: list[str], draft: Draft) -> None:
    # Scandinavian records name the parts from large to small: university, school, department.
    parts = [part.text or "" for part in _children(name, "namePart")]
    is_behind = name.get("type") == "corporate" and any(role in _BEHIND for role in roles)
    if is_behind and len(parts) > 1:
        draft.add_institution(parts[0])
        draft.add_department(parts[-1])
    elif any(is_grantor(role) for role in roles):
        draft.add_institution(words)


def _children(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    return (child for child in element if local_name(child) in names)


def _roles_of(name: etree._Element, trail: Trail) -> list[str]:
    # A role code beside its term adds nothing.
    found: dict[str, None] = {}
    for role in _children(name, "role"):
        terms = list(_children(role, "roleTerm")) or [role]
        terms.sort(key=lambda term: term.get("type") == "code")
        words = [word for term in terms if (word := parse_role(trail.use(term)))]
        found.update(dict.fromkeys(words))
    return list(found)


def _makes(name: etree._Element, roles: list[str]) -> bool:
    """Return whether an agent is a creator: by role, or without one; a meeting never is."""
    # A corporate `originator` is, in Scandinavian records, the department behind the authors.
    if name.get("type") == MEETING or (name.get("type") == "corporate" and "originator" in roles):
        return False
    return not roles or any(is_creator(role) for role in roles)


def _identifier_of(name: etree._Element, trail: Trail) -> str | None:
    """Return the most useful identifier; the others stay in extra."""
    attributes = ("valueURI", _XLINK_HREF)
    found = [trail.value(name, key) for key in attributes if "://" in (name.get(key) or "")]
    numbered = [(child, number) for child in name if (number := _number_of(child))]
    best = best_identifier([*found, *(number for _, number in numbered)])
    for child, number in numbered:
        if number == best:
            trail.skip(child)
    return best


def _number_of(child: etree._Element) -> str:
    """Return the identifier in an element: DiVA writes ORCIDs as a description, `orcid.org=0000-…`."""
    if local_name(child) == "nameIdentifier":
        scheme = child.get("type") or ""
        number = authority_address(child.text or "", scheme) or ""
        is_known = not number or "://" in number or number.startswith("info:")
        return number if is_known else f"{scheme}:{number}"
    if local_name(child) == "description":
        scheme, _, number = (child.text or "").partition("=")
        if child.get("type") == "orcid" or scheme.strip() == "orcid.org":
            return authority_address(number or scheme, "orcid") or ""
    return ""


NAMESPACE = "http://www.loc.gov/mods/v3"
XLINK_HREF = "{http://www.w3.org/1999/xlink}href"

_DATES = {
    "dateIssued": "issued",
    "dateCreated": "created",
    "copyrightDate": "copyrighted",
    "dateCaptured": "digitized",
    "dateValid": "valid",
    "dateModified": "modified",
    "dateAccessioned": "accessioned",
    "dateAvailable": "available",
}
_OTHER_DATES = {
    "availableFrom": "available",
    "issued": "issued",
    "published": "published",
    "defence": "defended",
}
_TITLE_PARTS = ("nonSort", "title", "subTitle", "partNumber", "partName")
_PLAIN_TITLES = ("", "main", "uniform")
_FULLTEXT = re.compile(r"full\s?-?(?:text|image)|volltext", re.IGNORECASE)
_RESOLVER = re.compile(r"https?://(?:dx\.)?(?:doi\.org|hdl\.handle\.net)/", re.IGNORECASE)
_ACCESS = {
    "raw object": LinkKind.FULLTEXT,
    "preview": LinkKind.THUMBNAIL,
    "object in context": LinkKind.LANDING,
}


class Mods:
    """Reader of the Metadata Object Description Schema 3.x, alone or inside a collection."""

    name = "mods"
    prefixes = frozenset({"oai_mods", "mods3", "mods31", "MODS", "swepub_mods", "mods_no_extension"})
    roots = frozenset({f"{{{NAMESPACE}}}mods", f"{{{NAMESPACE}}}modsCollection"})

    def read(self, root: etree._Element) -> Document:
        """Return the document of the record, or of the first record of a collection.

        The root may be any element whose children are those of `mods`: METS packages of DSpace leave the
        `mods` element itself out.
        """
        draft, trail = Draft("mods"), Trail()
        records = [child for child in root if local_name(child) == "mods"]
        _read(records[0] if records else root, draft, trail)
        if records:
            trail.sweep(records[0], draft, "mods")
            trail.skip(records[0])
        trail.sweep(root, draft, "mods")
        return draft.finish()


def _read(record: etree._Element, draft: Draft, trail: Trail) -> None:
    _add_titles(record, draft, trail)
    _add_types(record, draft, trail)
    has_publisher = any(
        True for child in children(record, "originInfo") for _ in children(child, "publisher")
    )
    locations = list(children(record, "location"))
    for url in (url for location in locations for url in children(location, "url")):
        if (url.get("usage") or "").startswith("primary"):  # before the identifiers, which may be links too
            _add_url(url, draft, trail)
    for child in record:
        name = local_name(child)
        if name == "name":
            add_name(child, draft, trail, has_publisher=has_publisher)
        elif name in _PLACES:
            _PLACES[name](child, draft, trail)
    _add_keeper(locations, draft, trail)


def children(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    return (child for child in element if local_name(child) in names)


def _add_titles(record: etree._Element, draft: Draft, trail: Trail) -> None:
    # The main title first, because a translation may precede it.
    found = list(children(record, "titleInfo", "titleinfo"))  # the second is ArchivesSpace's spelling
    found.sort(
        key=lambda info: (info.get("usage") != "primary", info.get("type", "") not in _PLAIN_TITLES[:2])
    )
    for info in found:
        language = element_language(info)
        for title in children(info, "title"):
            language = language or element_language(title)
        draft.add_title(title_of(info, trail), language)


def title_of(info: etree._Element, trail: Trail) -> str:
    """Return the title in a titleInfo, with article, subtitle and part."""
    pieces: list[str] = []
    for child in info:
        name = local_name(child)
        text = trail.use(child) if name in _TITLE_PARTS else ""
        if text:
            pieces += [_joint(pieces[-1][-1], name) if pieces else "", text]
    return "".join(pieces) or (trail.use(info) if len(info) == 0 else "")


def _joint(last: str, name: str) -> str:
    """Return the separator after the character `last` and before a part called `name`."""
    if name == "title":
        return "" if last in "'’-" else " "
    if name == "subTitle":
        return " " if last in ":;=/" else " : "
    return " " if last == "." else ". "


def _add_types(record: etree._Element, draft: Draft, trail: Trail) -> None:
    # Scandinavian records have each genre as codes and in three languages: the English words are enough,
    # and a review status is not a type. The others stay in extra.
    found = list(children(record, "genre", "typeOfResource"))
    plain = [genre for genre in found if not _is_code(genre)]
    has_english = any(element_language(genre) == "en" for genre in plain)
    for genre in plain or [genre for genre in found if not _is_content(genre)] or found:
        if not has_english or element_language(genre) in (None, "en"):
            draft.add_type(trail.use(genre))


def _is_content(genre: etree._Element) -> bool:
    # SwePub's content genres only state the audience: refereed, popular.
    return (genre.get("type") or "").startswith("content")


def _is_code(genre: etree._Element) -> bool:
    kind = genre.get("type") or ""
    return _is_content(genre) or kind.endswith("Code") or genre.get("authority") in ("svep", "kev")


def _add_origin(origin: etree._Element, draft: Draft, trail: Trail) -> None:
    is_digitization = (origin.get("eventType") or "").startswith("digiti")
    for child in origin:
        name = local_name(child)
        if name == "publisher" and not is_digitization:
            draft.add_publisher(trail.use(child))
    for name in (*_DATES, "dateOther"):
        _add_dates([child for child in origin if local_name(child) == name], draft, trail, is_digitization)


def _add_dates(dates: list[etree._Element], draft: Draft, trail: Trail, is_digitization: bool) -> None:
    """Add the dates in elements of one name: key dates first, start and end of a span as one."""
    dates.sort(key=lambda date: (date.get("keyDate") != "yes", not date.get("encoding")))
    ends = [date for date in dates if date.get("point") == "end"]
    closing = iter(ends)
    for date in dates:
        if date.get("point") == "end" and len(ends) < len(dates):
            continue
        end = next(closing, None) if date.get("point") == "start" else None
        text = trail.use(date) if end is None else f"{trail.use(date)}/{trail.use(end)}"
        kind = _DATES.get(local_name(date)) or _OTHER_DATES.get(date.get("type") or "", "date")
        draft.add_date(text, "digitized" if is_digitization else kind)


def _add_extension(extension: etree._Element, draft: Draft, trail: Trail) -> None:
    # Dates that DSpace has no other place for.
    for date in children(extension, "dateAccessioned", "dateAvailable"):
        draft.add_date(trail.use(date), _DATES[local_name(date)])


def _add_language(language: etree._Element, draft: Draft, trail: Trail) -> None:
    if language.get("objectPart"):  # the language of a summary or of subtitles
        return
    terms = list(children(language, "languageTerm"))
    for term in terms or [language]:
        draft.add_language(trail.use(term))


def _add_physical(physical: etree._Element, draft: Draft, trail: Trail) -> None:
    for extent in children(physical, "extent"):
        text = trail.use(extent)
        is_count = text.isdecimal() and len(text) < 5  # DiVA writes the bare number of pages
        draft.add_extent(f"{text} p." if is_count else text, "physicalDescription/extent")


def _add_abstract(abstract: etree._Element, draft: Draft, trail: Trail) -> None:
    draft.add_description(trail.use(abstract), element_language(abstract), is_abstract=True)


def _add_subject(subject: etree._Element, draft: Draft, trail: Trail) -> None:
    parts = [(part, text) for part in subject if (text := _subject_part(part, trail))]
    if not parts and len(subject) == 0:
        parts = [(subject, trail.use(subject))]
    if not parts:
        return
    scheme = subject.get("authority") or next((part.get("authority") for part, _ in parts), None)
    uri = trail.value(subject, "valueURI") or (
        trail.value(parts[0][0], "valueURI") if len(parts) == 1 else ""
    )
    reference = subject.get(XLINK_HREF) or ""
    if not uri and ("://" in reference or (scheme and reference[:1] != "#")):  # an address, or a notation
        uri = trail.value(subject, XLINK_HREF)
    language = element_language(subject)
    if len(parts) > 1 and scheme is None and all(local_name(part) == "topic" for part, _ in parts):
        for _, text in parts:  # independent terms, not a heading with its subdivisions
            draft.add_subject(text, language=language)
        return
    draft.add_subject(
        " -- ".join(text for _, text in parts), scheme=scheme, uri=uri or None, language=language
    )


def _subject_part(part: etree._Element, trail: Trail) -> str:
    name = local_name(part)
    if name == "name":
        return name_of(part, trail, with_dates=True)
    if name == "titleInfo":
        return title_of(part, trail)
    if name == "hierarchicalGeographic":
        return " -- ".join(text for child in part if local_name(child) and (text := trail.use(child)))
    if name in ("topic", "geographic", "temporal", "genre", "occupation"):
        return trail.use(part)
    return ""


def _add_identifier(identifier: etree._Element, draft: Draft, trail: Trail) -> None:
    if identifier.get("invalid") == "yes":
        return
    scheme = (identifier.get("type") or "").lower()[:32]
    value = trail.use(identifier)
    if scheme in ("isbn", "issn", "pmid"):
        draft.add_identifier(f"{scheme} {value}" if value[:1].isdecimal() else value, scheme=scheme)
    elif scheme in ("hdl", "handle") and "://" not in value and not value.startswith("hdl:"):
        draft.add_identifier(f"hdl:{value}", scheme="hdl")
    else:
        draft.add_identifier(value, scheme=None if scheme in ("uri", "local") else scheme or None)


def _add_location(location: etree._Element, draft: Draft, trail: Trail) -> None:
    for url in children(location, "url"):
        if url not in trail:
            _add_url(url, draft, trail)


def _add_keeper(locations: list[etree._Element], draft: Draft, trail: Trail) -> None:
    """Add the holding institution, if no other body is named as the institution."""
    places = [place for location in locations for place in children(location, "physicalLocation")]
    places = [place for place in places if _names_institution(place)]
    places.sort(key=lambda place: place.get("type") != "repository")
    for place in places[:1]:
        draft.add_institution(trail.use(place))


def _names_institution(place: etree._Element) -> bool:
    """Return whether a location is an institution rather than a shelf, a box or a code."""
    if place.get("type") or place.get("authority"):
        return place.get("type") == "repository"
    return not any(map(str.isdecimal, place.text or ""))


def _add_url(url: etree._Element, draft: Draft, trail: Trail) -> None:
    label = url.get("displayLabel") or url.get("note")
    address = trail.use(url)
    hint = _ACCESS.get(url.get("access") or "")
    if hint is None and label and _FULLTEXT.search(label[:200]) and not _RESOLVER.match(address):
        hint = LinkKind.FULLTEXT
    if "manifest" in f"{label or ''} {address[-20:]}".lower():  # IIIF: for viewers, not for people
        hint = LinkKind.RELATED
    draft.add_link(address, hint=hint, label=label)


def _add_rights(condition: etree._Element, draft: Draft, trail: Trail) -> None:
    draft.add_rights(trail.use(condition))
    draft.add_rights(trail.value(condition, XLINK_HREF))


def _add_related(related: etree._Element, draft: Draft, trail: Trail) -> None:
    kind = related.get("type") or ""
    title = next((title_of(info, trail) for info in children(related, "titleInfo")), "")
    is_grant = any((genre.text or "") == "grantAgreement" for genre in children(related, "genre"))
    if kind in ("host", "series") and not is_grant:
        draft.add_source(", ".join(filter(None, (title, *_part_of(related, trail)))))
        return
    draft.add_relation(title or trail.value(related, XLINK_HREF))


def _part_of(related: etree._Element, trail: Trail) -> list[str]:
    found = []
    for part in children(related, "part"):
        for detail in children(part, "detail"):
            found += [trail.use(number) for number in children(detail, "number")]
        for extent in children(part, "extent"):
            pages = [trail.use(child) for child in children(extent, "start", "end", "list")]
            found.append("-".join(filter(None, pages)))
    return found


_PLACES: dict[str, Callable[[etree._Element, Draft, Trail], None]] = {
    "originInfo": _add_origin,
    "language": _add_language,
    "physicalDescription": _add_physical,
    "abstract": _add_abstract,
    "subject": _add_subject,
    "identifier": _add_identifier,
    "location": _add_location,
    "accessCondition": _add_rights,
    "relatedItem": _add_related,
    "extension": _add_extension,
}

READER = Mods()

# Writing: any document as MODS 3, for SRU and Z39.50.

VERSION = "3.7"
SCHEMA = "http://www.loc.gov/standards/mods/v3/mods-3-7.xsd"

# The vocabulary of `typeOfResource`.
_RESOURCES = {
    WorkKind.MAP: "cartographic",
    WorkKind.SCORE: "notated music",
    WorkKind.VIDEO: "moving image",
    WorkKind.SOUND: "sound recording",
    WorkKind.IMAGE: "still image",
    WorkKind.SOFTWARE: "software, multimedia",
    WorkKind.DATASET: "software, multimedia",
}


def write_mods(document: Document, identifier: str, *, source: str = "") -> bytes:
    """Return one self-contained `<mods>` element, in UTF-8."""
    return "".join(
        (
            f'<mods xmlns="{NAMESPACE}" version="{VERSION}">',
            *_elements(document, identifier, source),
            "</mods>",
        )
    ).encode()


def _elements(document: Document, identifier: str, source: str) -> Iterator[str]:
    kind = work_kind(document)
    for place, title in enumerate(document.titles):
        words = _element("title", title.value)
        yield _element_of(
            "titleInfo", [words], type="alternative" if place else "", lang=_language(title.language)
        )
    yield from (_name(agent, agent.role or "author") for agent in document.creators)
    yield from (_name(agent, agent.role or "contributor") for agent in document.contributors)
    yield from _bodies(document, kind)
    yield _element("typeOfResource", _RESOURCES.get(kind, "text"))
    yield from (_element("genre", text) for text in document.types)
    publishers = document.publishers or tuple(filter(None, [document_publisher(document, kind)]))
    dates = [_element("dateIssued", date) for date in dc_date_texts(document.dates, document.year)]
    yield _element_of("originInfo", [*(_element("publisher", text) for text in publishers), *dates])
    for code in filter(None, map(bibliographic_code, document.languages)):
        yield _element_of("language", [_element("languageTerm", code, type="code", authority="iso639-2b")])
    if document.pages is not None:
        yield _element_of("physicalDescription", [_element("extent", f"{document.pages} pages")])
    yield from (
        _element("abstract", text.value, lang=_language(text.language)) for text in document.descriptions
    )
    yield from (_element("note", text, type="prerequisites") for text in document.prerequisites)
    for event in document.events:
        said = [f"{name}: {value}" for name, value in event._asdict().items() if value]
        yield _element("note", "; ".join(said), type="event")
    yield from map(_subject, document.subjects)
    yield from (_element_of("subject", [_element("topic", word)]) for word in document.keywords)
    container = document_container(document, kind)
    for other in (*document.sources, *document.relations):
        known_as = _element_of("titleInfo", [_element("title", other)])
        yield _element_of("relatedItem", [known_as], type="host" if other == container else "")
    yield from (_element("identifier", name.value, type=name.scheme) for name in document.names)
    for link in document.links:
        usage = "primary" if link.kind is LinkKind.LANDING else ""
        access = (
            "raw object" if link.kind is LinkKind.FULLTEXT else "preview" * (link.kind is LinkKind.THUMBNAIL)
        )
        url = _element("url", link.url, usage=usage, access=access, displayLabel=link.label or "")
        yield _element_of("location", [url])
    yield from (_element("accessCondition", text, type="use and reproduction") for text in document.rights)
    yield _element_of(
        "recordInfo",
        [_element("recordContentSource", source), _element("recordIdentifier", identifier)],
    )


def _name(agent: Agent, role: str) -> str:
    person = parse_person_name(agent.name)
    if person is None:
        parts = [_element("namePart", agent.name)]
    else:
        parts = [
            _element("namePart", person.family, type="family"),
            _element("namePart", person.given, type="given"),
        ]
        parts += [_element("namePart", person.suffix, type="termsOfAddress")]
    term = _element_of("role", [_element("roleTerm", role, type="text")])
    affiliations = [_element("affiliation", text) for text in agent.affiliations]
    known = [_element("nameIdentifier", agent.identifier or "")]
    kind = "corporate" if is_organisation(agent.name) else "personal"
    return _element_of("name", [*parts, term, *affiliations, *known], type=kind)


def _bodies(document: Document, kind: WorkKind) -> Iterator[str]:
    role = "degree granting institution" if kind in THESES else "host institution"
    parts = [_element("namePart", text) for text in (document.institution, document.department) if text]
    if parts:
        term = _element_of("role", [_element("roleTerm", role, type="text")])
        yield _element_of("name", [*parts, term], type="corporate")


def _subject(subject: Subject) -> str:
    scheme = subject.scheme or ""
    return _element_of(
        "subject",
        [_element("topic", subject.value)],
        authority=scheme,
        valueURI=subject.uri or "",
        lang=_language(subject.language),
    )


def _language(code: str | None) -> str:
    return bibliographic_code(code) if code else ""


def _element(element: str, text: str, **attributes: str) -> str:
    return f"<{element}{_attributes(attributes)}>{escape_xml(text)}</{element}>" if text else ""


def _element_of(element: str, inner: Iterable[str], **attributes: str) -> str:
    content = "".join(inner)
    return f"<{element}{_attributes(attributes)}>{content}</{element}>" if content else ""


def _attributes(attributes: dict[str, str]) -> str:
    return "".join(f' {name}="{escape_xml(value)}"' for name, value in attributes.items() if value)
