"""Reads LIDO, the museums' format: an object, the events of its life, its subjects and its pictures.

What happened, where and with what is told in events; making gives creators and dates, the other
events stay in `extra` with measurements, places and materials (`lido:eventPlace/appellationValue`).
"""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from windrow.formats.elements import Draft, language_of, local
from windrow.formats.leftovers import Trail
from windrow.formats.lidoconcepts import (
    NAMESPACE,
    attribute,
    children,
    identifier_of,
    scheme_of,
    term_of,
    terms_of,
)
from windrow.formats.lidoevents import add_event
from windrow.model.document import Document, LinkKind

# The parts of a record that its leftovers are named after.
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
    """Lightweight Information Describing Objects, 1.0 and 1.1, with or without its namespace."""

    name = "lido"
    prefixes = frozenset({"oai_lido", "lido_1.0", "lido_1.1", "LIDO", "lido-v1.0", "ddb_lido"})
    roots = frozenset({f"{{{NAMESPACE}}}lido", f"{{{NAMESPACE}}}lidoWrap"})

    def read(self, root: etree._Element) -> Document:
        """Give the document that the record, or the first record of the wrapper, describes."""
        draft, trail = Draft("lido"), Trail()
        records = [child for child in root if local(child) == "lido"]
        _walk(records[0] if records else root, draft, trail)
        trail.sweep(root, draft, "lido", anchors=_ANCHORS)
        return draft.finish()


def _walk(record: etree._Element, draft: Draft, trail: Trail) -> None:
    """Visit the record in its order, down to the parts that have a place."""
    stack = [(record, language_of(record))]
    while stack:
        element, language = stack.pop()
        place = _PLACES.get(local(element))
        if place is not None:
            place(element, draft, trail, language)
        else:
            below = language_of(element) or language
            stack.extend((child, below) for child in reversed(element) if local(child))


def _add_title(title_set: etree._Element, draft: Draft, trail: Trail, language: str | None) -> None:
    values = list(children(title_set, "appellationValue"))
    for value in values:
        is_alternative = attribute(value, "pref").rpartition("/")[2] in _ALTERNATIVE
        add = draft.add_alternative if is_alternative else draft.add_title
        add(trail.use(value), language_of(value) or language)


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
        draft.add_description(trail.use(value), language_of(value) or language)


def _add_subjects(subject_set: etree._Element, draft: Draft, trail: Trail, language: str | None) -> None:
    """Add what the object shows or is about; the words for display only where there are no concepts."""
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
            draft.add_subject(words, language=language_of(display) or language)
        else:
            draft.add_extra("lido:subjectSet/displaySubject", words)


def _named(part: etree._Element, trail: Trail) -> str:
    """Give the words for display of a person, place, event or date that the object shows."""
    for child in part:
        if local(child).startswith("display"):
            return trail.use(child)
    for value in part.iter():
        if local(value) == "appellationValue":
            return trail.use(value)
    return ""


def _add_related(work: etree._Element, draft: Draft, trail: Trail, language: str | None) -> None:  # noqa: ARG001
    for display in children(work, "displayRelatedWork"):
        draft.add_relation(trail.use(display))
        return
    for part in work.iter():
        if local(part) == "objectNote":
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
    for representation in representations:  # the same address may be given as the picture and its preview
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
