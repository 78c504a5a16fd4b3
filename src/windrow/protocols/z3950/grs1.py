"""GRS-1 records: documents as trees of tagged elements, with the tag paths of the GILS profile.

An event is an element that contains its slots. Under the profile `studera` events are order processes whose
order information is the whole event as one string, as clients of Studera.NU require.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from windrow.model.document import Document, Event
from windrow.protocols.z3950 import z3950_registry
from windrow.protocols.z3950.asn1 import (
    INTEGER,
    OID,
    TEXT,
    Choice,
    Chosen,
    explicit,
    implicit,
    optional,
    own,
    sequence,
    sequence_of,
    type_of,
)
from windrow.protocols.z3950.z3950_registry import Profile

META, GENERIC, LOCAL, GILS = 1, 2, 3, 4  # tag types: tagSet-M, tagSet-G, our own strings, GILS
EVENT_SLOTS = ("identifier", "period", "kind", "intensity", "place", "language", "time")

_TAG = Choice({"string": implicit(1, TEXT), "numeric": implicit(2, INTEGER)})
_CONTENT = Choice({"string": TEXT, "oid": OID})


@sequence
class TaggedElement:
    """An encoded element: the type of its tag, the tag, and text or further elements."""

    tag_type: int | None = optional(1, INTEGER, default=None)
    tag_value: Chosen = own(explicit(2, _TAG))
    content: Chosen = own(explicit(4, _CONTENT))


_ELEMENTS = sequence_of(type_of(TaggedElement))
_CONTENT.define({"subtree": explicit(6, _ELEMENTS)})
GENERIC_RECORD = _ELEMENTS


@dataclass(frozen=True, slots=True)
class Element:
    """An element before it is encoded: a tag of a set, and text or child elements."""

    tag_type: int
    tag: int | str
    content: str | tuple[Element, ...]


def gils_elements(
    document: Document,
    identifier: str,
    *,
    source: str,
    profile: Profile = Profile.GILS,
    is_brief: bool = False,
    changed: str = "",
) -> tuple[Element, ...]:
    """Return a document as elements of the GILS schema; the brief form only identifies it."""
    made = [
        Element(GENERIC, 1, document.title or ""),
        *(Element(GENERIC, 2, agent.name) for agent in document.creators),
        Element(GENERIC, 4, _date(document)),
    ]
    if not is_brief:
        made += _described(document, profile)
    made += _kept(_availability(document, profile, is_brief=is_brief))
    if not is_brief:
        made += _constraints(document, profile)
        made += [Element(GILS, 19, source), Element(META, 16, changed)]
    made += [Element(GILS, 1, identifier), Element(META, 14, identifier)]
    return tuple(_kept(made))


def encode_record(elements: Iterable[Element], encode: Callable[[str], bytes]) -> bytes:
    schema = TaggedElement(
        tag_type=META, tag_value=Chosen("numeric", 1), content=Chosen("oid", z3950_registry.GILS_SCHEMA)
    )
    return GENERIC_RECORD.write((schema, *(_tagged(element, encode) for element in elements)))


def _tagged(element: Element, encode: Callable[[str], bytes]) -> TaggedElement:
    tag = element.tag
    content = element.content
    return TaggedElement(
        tag_type=element.tag_type,
        tag_value=Chosen("numeric", tag) if isinstance(tag, int) else Chosen("string", tag.encode()),
        content=(
            Chosen("string", encode(content))
            if isinstance(content, str)
            else Chosen("subtree", tuple(_tagged(inner, encode) for inner in content))
        ),
    )


def _described(document: Document, profile: Profile) -> Iterator[Element]:
    yield from (Element(GENERIC, 32, agent.name) for agent in document.contributors)
    yield from (Element(GILS, 32, language) for language in document.languages)
    yield from (Element(GENERIC, 6, text.value) for text in document.descriptions)
    terms = tuple(Element(GILS, 20, subject.value) for subject in document.subjects)
    yield Element(GILS, 95, (Element(GILS, 96, terms),) if terms else ())
    yield Element(GILS, 97, tuple(Element(GILS, 22, word) for word in document.keywords))
    if profile is Profile.STUDERA:
        yield Element(GILS, 51, "; ".join(document.exams))
    else:
        yield from (Element(LOCAL, "exam", exam) for exam in document.exams)
    yield from (Element(LOCAL, "profession", profession) for profession in document.professions)


def _availability(document: Document, profile: Profile, *, is_brief: bool) -> Iterator[Element]:
    inner: list[Element] = []
    if not is_brief:
        inner += (Element(GILS, 90, (Element(GENERIC, 7, name),)) for name in document.publishers)
        inner += (Element(GILS, 33, kind) for kind in document.types)
        inner += (_event(event, profile) for event in document.events)
    for link in document.links[:1] if is_brief else document.links:
        parts = (Element(GILS, 17, link.url), Element(GILS, 18, link.media_type or ""))
        inner.append(Element(GILS, 99, tuple(_kept(parts))))
    yield Element(GILS, 70, tuple(_kept(inner)))


def _event(event: Event, profile: Profile) -> Element:
    slots = [(slot, getattr(event, slot) or "") for slot in EVENT_SLOTS]
    parts = tuple(Element(LOCAL, slot, value) for slot, value in slots if value)
    if profile is Profile.STUDERA:
        return Element(GILS, 55, (Element(GILS, 28, ";".join(value for _, value in slots)), *parts))
    return Element(LOCAL, "event", parts)


def _constraints(document: Document, profile: Profile) -> Iterator[Element]:
    if profile is Profile.STUDERA:
        yield Element(GILS, 53, tuple(Element(GILS, 25, text) for text in document.prerequisites))
    else:
        yield from (Element(LOCAL, "prerequisites", text) for text in document.prerequisites)
    yield Element(GILS, 54, "; ".join(document.rights))


def _date(document: Document) -> str:
    if document.dates:
        return document.dates[0].text
    return "" if document.year is None else str(document.year)


def _kept(elements: Iterable[Element]) -> list[Element]:
    return [element for element in elements if element.content]
