"""LIDO, the format of museums: an object, the events of its history, its subjects and its images.

Events describe what happened, where, and with which materials. The event of making supplies creators and
dates; the other events stay in `extra` with measurements, places and materials
(`lido:eventPlace/appellationValue`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from lxml import etree

from windrow.formats.mapping.date_values import extract_year
from windrow.formats.mapping.identifier_schemes import authority_address, best_identifier
from windrow.formats.mapping.markup import collapse_spaces
from windrow.formats.mapping.xml_records import Draft, Trail, element_language, element_text, local_name
from windrow.model.document import Document, Event, LinkKind

# Concepts: terms in several languages and identifiers.

NAMESPACE = "http://www.lido-schema.org"


def children(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    # Compared without namespace, because records come with and without it.
    return (child for child in element if local_name(child) in names)


def attribute(element: etree._Element, name: str) -> str:
    return element.get(f"{{{NAMESPACE}}}{name}") or element.get(name) or ""


def terms_of(concept: etree._Element) -> list[etree._Element]:
    """Return the elements with the terms of a concept: LIDO's own, or SKOS labels in version 1.1.

    Terms that were added only for searching come last.
    """
    found = list(children(concept, "term"))
    found.sort(key=lambda term: attribute(term, "addedSearchTerm") == "yes")
    for child in children(concept, "Concept"):
        found += children(child, "prefLabel")
    return [term for term in found if (term.text or "").strip()]


def term_of(concept: etree._Element, trail: Trail) -> tuple[str, str | None]:
    """Return the term of a concept, the English or the first one, and its language; empty if there is none.

    The others stay in extra. A notation counts as a term only if there is no other.
    """
    terms = terms_of(concept)
    notations = {(number.text or "").strip() for number in children(concept, "conceptID")}
    words = [term for term in terms if (term.text or "").strip() not in notations] or terms
    if not words:
        return "", None
    main = [term for term in words if attribute(term, "addedSearchTerm") != "yes"] or words
    chosen = next((term for term in main if element_language(term) == "en"), main[0])
    return trail.use(chosen), element_language(chosen)


def identifier_of(element: etree._Element, trail: Trail, name: str = "conceptID") -> str | None:
    """Return the identifier of a concept, an actor or a place: preferably an address."""
    numbers = [
        (number, collapse_spaces(authority_address(number.text or "", attribute(number, "source")) or ""))
        for number in children(element, name)
    ]
    labels = [str(value) for child in children(element, "Concept") for value in _concept_addresses(child)]
    best = best_identifier([*(value for _, value in numbers if value), *labels])
    for number, value in numbers:
        if value == best:
            trail.skip(number)
    return best


def scheme_of(concept: etree._Element) -> str | None:
    """Return the vocabulary of a concept, from the source of its identifier."""
    sources = (attribute(number, "source") for number in children(concept, "conceptID"))
    return next((source[:64] for source in sources if source), None)


def _concept_addresses(element: etree._Element) -> list[str]:
    return [str(value) for key, value in element.attrib.items() if str(key).endswith("}about")]


# Events: what happened to the object, who made it, and when.

# Making, by its names and by LIDO's own numbers for production, creation and design.
_MAKING = re.compile(
    r"produ[ck]|creat|herstellung|hergestellt|entstehung|entwurf|design|vervaardig|valmist|tillverk|skapa|"
    r"aufgenommen|lido000(?:07|12)\b|lido00224\b|E12_|E65_",
    re.IGNORECASE,
)
_PUBLISHING = re.compile(r"publi[ck]|veröffentlich|julkais|lido00228\b", re.IGNORECASE)


def add_event(event: etree._Element, draft: Draft, trail: Trail, language: str | None) -> None:  # noqa: ARG001
    """Add an event; making also supplies creators and dates, publication supplies dates."""
    # The details stay in extra as well, where they are complete.
    draft.add_event(_outline(event))
    kind = _kind_of(event)
    if not kind:
        return
    for actor in children(event, "eventActor"):
        _add_actor(actor, draft, trail, is_maker=kind == "created")
    for date in children(event, "eventDate"):
        _add_date(date, kind, draft, trail)


def _outline(event: etree._Element) -> Event:
    """Return the event in brief: the first value of each part, as displayed if there is a display form."""
    aside = Trail()  # a trail of its own, so that nothing counts as used
    kinds = [term_of(kind, aside)[0] for kind in children(event, "eventType")]
    periods = [term_of(period, aside)[0] for period in children(event, "periodName")]
    return Event(
        identifier=_first(map(element_text, children(event, "eventID"))),
        period=_first(periods),
        kind=_first(kinds),
        place=_first(map(_place_of, children(event, "eventPlace"))),
        time=_first(map(_time_of, children(event, "eventDate"))),
    )


def _first(texts: Iterable[str]) -> str | None:
    return next(filter(None, texts), None)


def _place_of(place: etree._Element) -> str:
    displayed = [element_text(display) for display in children(place, "displayPlace")]
    names = (element_text(value) for value in place.iter() if local_name(value) == "appellationValue")
    return _first(displayed) or _first(names) or ""


def _time_of(date: etree._Element) -> str:
    displayed = [element_text(display) for display in children(date, "displayDate")]
    spans = [end for span in children(date, "date") for end in children(span, "earliestDate", "latestDate")]
    return _first(displayed) or "/".join(dict.fromkeys(filter(None, map(element_text, spans))))


def _kind_of(event: etree._Element) -> str:
    words = " ".join(
        f"{text[:200]} {about[:200]}"
        for kind in children(event, "eventType")
        for part in kind.iter()
        if isinstance(part.tag, str)
        for text, about in [(part.text or "", _event_address(part))]
    )
    if _MAKING.search(words):
        return "created"
    return "published" if _PUBLISHING.search(words) else ""


def _event_address(element: etree._Element) -> str:
    return next((str(value) for key, value in element.attrib.items() if str(key).endswith("}about")), "")


def _add_actor(event_actor: etree._Element, draft: Draft, trail: Trail, *, is_maker: bool) -> None:
    add = draft.add_creator if is_maker else draft.add_contributor
    has_name = False
    for in_role in children(event_actor, "actorInRole"):
        named = [(actor, name) for actor in children(in_role, "actor") if (name := _name_of(actor, trail))]
        roles = [term_of(role, trail)[0] for role in children(in_role, "roleActor")] if named else []
        for actor, name in named:
            identifier = identifier_of(actor, trail, "actorID")
            add(name, role=next(filter(None, roles), None), identifier=identifier)
        has_name = has_name or bool(named)
    for display in children(event_actor, "displayActorInRole") if not has_name else ():
        add(trail.use(display))


def _name_of(actor: etree._Element, trail: Trail) -> str:
    values = [
        value for names in children(actor, "nameActorSet") for value in children(names, "appellationValue")
    ]
    return trail.use(values[0]) if values else ""


def _add_date(event_date: etree._Element, kind: str, draft: Draft, trail: Trail) -> None:
    """Add the date for display; if it contains no year, add the span beside it as well."""
    has_year = False
    for display in children(event_date, "displayDate"):
        text = trail.use(display)
        has_year = has_year or extract_year(text) is not None
        draft.add_date(text, kind)
    for date in children(event_date, "date") if not has_year else ():
        ends = dict.fromkeys(trail.use(end) for end in children(date, "earliestDate", "latestDate"))
        draft.add_date("/".join(filter(None, ends)), kind)


# The parts of a record that name its unused elements in extra.
_PARTS = (
    "lidoRecID objectPublishedID category classification objectWorkType titleSet inscriptions repositorySet "
    "objectDescriptionSet objectMeasurementsSet displayStateEditionWrap eventType eventActor eventDate "
    "eventPlace eventMaterialsTech eventDescriptionSet eventName eventMethod periodName culture thingPresent "
    "relatedEventSet subjectSet relatedWorkSet rightsWorkSet recordID recordType recordSource recordRights "
    "recordInfoSet resourceSet roleInEvent"
)
_ANCHORS = frozenset(_PARTS.split())
_THUMBNAILS = ("thumb", "preview", "lido00451")  # the number is LIDO's own for a preview
_ALTERNATIVE = ("alternate", "alternative", "lido00170")


class Lido:
    """Reader of Lightweight Information Describing Objects 1.0 and 1.1, with or without its namespace."""

    name = "lido"
    prefixes = frozenset({"oai_lido", "lido_1.0", "lido_1.1", "LIDO", "lido-v1.0", "ddb_lido"})
    roots = frozenset({f"{{{NAMESPACE}}}lido", f"{{{NAMESPACE}}}lidoWrap"})

    def read(self, root: etree._Element) -> Document:
        # Of a wrapper with several records, the first counts.
        draft, trail = Draft("lido"), Trail()
        records = [child for child in root if local_name(child) == "lido"]
        _walk(records[0] if records else root, draft, trail)
        trail.sweep(root, draft, "lido", anchors=_ANCHORS)
        return draft.finish()


def _walk(record: etree._Element, draft: Draft, trail: Trail) -> None:
    stack = [(record, element_language(record))]
    while stack:
        element, language = stack.pop()
        place = _PLACES.get(local_name(element))
        if place is not None:
            place(element, draft, trail, language)
        else:
            below = element_language(element) or language
            stack.extend((child, below) for child in reversed(element) if local_name(child))


def _add_title(title_set: etree._Element, draft: Draft, trail: Trail, language: str | None) -> None:
    values = list(children(title_set, "appellationValue"))
    for value in values:
        is_alternative = attribute(value, "pref").rpartition("/")[2] in _ALTERNATIVE
        add = draft.add_alternative if is_alternative else draft.add_title
        add(trail.use(value), element_language(value) or language)


def _add_type(work_type: etree._Element, draft: Draft, trail: Trail, language: str | None) -> None:  # noqa: ARG001
    words, _ = term_of(work_type, trail)
    draft.add_type(words)
    if uri := identifier_of(work_type, trail):
        draft.add_extra("lido:objectWorkType/conceptID", uri)


def _add_classification(item: etree._Element, draft: Draft, trail: Trail, language: str | None) -> None:
    words, own_language = term_of(item, trail)
    kind = attribute(item, "type").rpartition("/")[2]
    if kind == "europeana:type":
        draft.add_type(words)
        return
    uri = identifier_of(item, trail) if words else None
    draft.add_subject(words, scheme=kind[:64] or None, uri=uri, language=own_language or language)


def _add_repository(repository: etree._Element, draft: Draft, trail: Trail, language: str | None) -> None:  # noqa: ARG001
    is_current = "former" not in attribute(repository, "type")
    for body in children(repository, "repositoryName") if is_current else ():
        for name in children(body, "legalBodyName"):
            for value in list(children(name, "appellationValue"))[:1]:
                draft.add_institution(trail.use(value))
    for number in children(repository, "workID"):
        text = trail.use(number)
        if text.startswith(("http://", "https://")):
            draft.add_link(text, hint=LinkKind.LANDING)
        else:
            draft.add_identifier(text, scheme="inventory")


def _add_description(note_set: etree._Element, draft: Draft, trail: Trail, language: str | None) -> None:
    for value in children(note_set, "descriptiveNoteValue"):
        draft.add_description(trail.use(value), element_language(value) or language)


def _add_subjects(subject_set: etree._Element, draft: Draft, trail: Trail, language: str | None) -> None:
    """Add the depicted subjects; display texts count only if there are no concepts."""
    count = 0
    for subject in children(subject_set, "subject"):
        for concept in children(subject, "subjectConcept"):
            words, own_language = term_of(concept, trail)
            uri, scheme = identifier_of(concept, trail) if words else None, scheme_of(concept)
            draft.add_subject(words, scheme=scheme, uri=uri, language=own_language or language)
            count += bool(words)
        for named in children(
            subject, "subjectActor", "subjectPlace", "subjectEvent", "subjectDate", "subjectObject"
        ):
            words = _named(named, trail)
            draft.add_subject(words, language=language)
            count += bool(words)
    for display in children(subject_set, "displaySubject"):
        words = trail.use(display)
        if count == 0:
            draft.add_subject(words, language=element_language(display) or language)
        else:
            draft.add_extra("lido:subjectSet/displaySubject", words)


def _named(part: etree._Element, trail: Trail) -> str:
    for child in part:
        if local_name(child).startswith("display"):
            return trail.use(child)
    for value in part.iter():
        if local_name(value) == "appellationValue":
            return trail.use(value)
    return ""


def _add_related(work: etree._Element, draft: Draft, trail: Trail, language: str | None) -> None:  # noqa: ARG001
    for display in children(work, "displayRelatedWork"):
        draft.add_relation(trail.use(display))
        return
    for part in work.iter():
        if local_name(part) == "objectNote":
            draft.add_relation(trail.use(part))
            return


def _add_rights(rights: etree._Element, draft: Draft, trail: Trail, language: str | None) -> None:  # noqa: ARG001
    for kind in children(rights, "rightsType"):
        for number in children(kind, "conceptID"):
            draft.add_rights(trail.use(number))
        for term in terms_of(kind):
            draft.add_rights(trail.use(term))
    for credit in children(rights, "creditLine"):
        draft.add_rights(trail.use(credit))


def _add_record_link(link: etree._Element, draft: Draft, trail: Trail, language: str | None) -> None:  # noqa: ARG001
    form = attribute(link, "formatResource").lower()
    hint = LinkKind.LANDING if form in ("", "html", "text/html") else LinkKind.RELATED
    draft.add_link(trail.use(link), hint=hint)


def _add_resource(resource: etree._Element, draft: Draft, trail: Trail, language: str | None) -> None:
    representations = sorted(children(resource, "resourceRepresentation"), key=_is_preview)
    for representation in representations:  # an address may occur both as the image and as its preview
        hint = LinkKind.THUMBNAIL if _is_preview(representation) else LinkKind.FULLTEXT
        for link in children(representation, "linkResource"):
            form = attribute(link, "formatResource").lower()
            draft.add_link(trail.use(link), media_type=form if "/" in form else None, hint=hint)
    for rights in children(resource, "rightsResource"):
        _add_rights(rights, draft, trail, language)


def _is_preview(representation: etree._Element) -> bool:
    kind = attribute(representation, "type").lower()
    return any(word in kind for word in _THUMBNAILS)


def _add_identifier(number: etree._Element, draft: Draft, trail: Trail, language: str | None) -> None:  # noqa: ARG001
    draft.add_identifier(trail.use(number))


Place = Callable[[etree._Element, Draft, Trail, str | None], None]
_PLACES: dict[str, Place] = {
    "titleSet": _add_title,
    "lidoRecID": _add_identifier,
    "objectPublishedID": _add_identifier,
    "objectWorkType": _add_type,
    "classification": _add_classification,
    "repositorySet": _add_repository,
    "objectDescriptionSet": _add_description,
    "event": add_event,
    "subjectSet": _add_subjects,
    "relatedWorkSet": _add_related,
    "rightsWorkSet": _add_rights,
    "recordRights": _add_rights,
    "recordInfoLink": _add_record_link,
    "resourceSet": _add_resource,
}

READER = Lido()
