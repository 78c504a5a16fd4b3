"""SKOS and SKOS-XL: conversion of RDF statements to concepts, and of concepts to RDF statements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from windrow.model.thesaurus import Concept, Label, Scheme
from windrow.store.vocabulary import vocabulary_staging as staging
from windrow.store.vocabulary.vocabulary_staging import Statement

if TYPE_CHECKING:
    from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

SKOS = "http://www.w3.org/2004/02/skos/core#"
SKOS_XL = "http://www.w3.org/2008/05/skos-xl#"
ISO_THES = "http://purl.org/iso25964/skos-thes#"
SUB_PROPERTY = "http://www.w3.org/2000/01/rdf-schema#subPropertyOf"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
OWL_DEPRECATED = "http://www.w3.org/2002/07/owl#deprecated"
BOOLEAN = "http://www.w3.org/2001/XMLSchema#boolean"
DCT = "http://purl.org/dc/terms/"
REPLACED_BY = f"{DCT}isReplacedBy"

_LABELS = {
    f"{SKOS}prefLabel": staging.PREFERRED,
    f"{SKOS}altLabel": staging.ALTERNATIVE,
    f"{SKOS}hiddenLabel": staging.HIDDEN,
    f"{SKOS_XL}literalForm": staging.LITERAL,
    f"{DCT}title": staging.TITLE,
    "http://purl.org/dc/elements/1.1/title": staging.TITLE,
    "http://www.w3.org/2000/01/rdf-schema#label": staging.TITLE,
}
_NOTE_NAMES = {
    "scope": "scopeNote",
    "definition": "definition",
    "example": "example",
    "history": "historyNote",
    "editorial": "editorialNote",
    "change": "changeNote",
    "note": "note",
}
_NOTES = {SKOS + name: staging.NOTE + kind for kind, name in _NOTE_NAMES.items()}
_LINKS = {
    f"{SKOS}broader": staging.BROADER,
    f"{SKOS}narrower": staging.NARROWER,
    f"{SKOS}related": staging.RELATED,
    f"{SKOS}inScheme": staging.IN_SCHEME,
    f"{SKOS}topConceptOf": staging.TOP_OF,
    f"{SKOS}hasTopConcept": staging.HAS_TOP,
    f"{SKOS_XL}prefLabel": staging.XL + staging.PREFERRED,
    f"{SKOS_XL}altLabel": staging.XL + staging.ALTERNATIVE,
    f"{SKOS_XL}hiddenLabel": staging.XL + staging.HIDDEN,
    REPLACED_BY: staging.REPLACED_BY,
    **{f"{ISO_THES}broader{kind}": staging.BROADER for kind in ("Generic", "Instantial", "Partitive")},
    **{f"{ISO_THES}narrower{kind}": staging.NARROWER for kind in ("Generic", "Instantial", "Partitive")},
    **{
        f"{SKOS}{kind}Match": staging.MAPPING + kind
        for kind in ("exact", "close", "broad", "narrow", "related")
    },
}
_TYPES = {
    f"{SKOS}Concept": staging.CONCEPT,
    f"{SKOS}ConceptScheme": staging.SCHEME,
    f"{SKOS}Collection": staging.COLLECTION,
    f"{SKOS}OrderedCollection": staging.COLLECTION,
    f"{SKOS_XL}Label": staging.XL_LABEL,
}


def read_statements(quads: Iterable[Quad]) -> Iterator[Statement]:
    """Yield statements about concepts, schemes and labels; all other RDF statements are ignored."""
    import pyoxigraph as rdf  # noqa: PLC0415 - an extra

    for quad in quads:
        subject, value = resource_as_text(quad.subject), quad.object
        predicate = quad.predicate.value
        if predicate in _LINKS:
            if not isinstance(value, rdf.Literal):
                yield Statement(subject, _LINKS[predicate], resource_as_text(value))
        elif predicate in _LABELS:
            if isinstance(value, rdf.Literal):
                yield Statement(subject, _LABELS[predicate], value.value, _language(value))
        elif predicate == RDF_TYPE:
            kind = _TYPES.get(resource_as_text(value))
            if kind is not None:
                yield Statement(subject, staging.TYPE, kind)
        elif predicate == f"{SKOS}notation":
            yield Statement(
                subject,
                staging.NOTATION,
                value.value if isinstance(value, rdf.Literal) else resource_as_text(value),
            )
        elif predicate in _NOTES:
            if isinstance(value, rdf.Literal):  # some are resources of their own
                yield Statement(subject, _NOTES[predicate], value.value, _language(value))
        elif (
            predicate == OWL_DEPRECATED
            and isinstance(value, rdf.Literal)
            and value.value.lower() in ("true", "1")
        ):
            yield Statement(subject, staging.DEPRECATED, "true")


def sub_properties(quads: Iterable[Quad]) -> dict[str, str]:
    """Return the properties that a file declares as sub-properties of SKOS relations, with their kinds."""
    return {
        resource_as_text(quad.subject): _LINKS[resource_as_text(quad.object)]
        for quad in quads
        if quad.predicate.value == SUB_PROPERTY and resource_as_text(quad.object) in _LINKS
    }


def read_links(quads: Iterable[Quad], kinds: Mapping[str, str]) -> Iterator[Statement]:
    for quad in quads:
        kind = kinds.get(quad.predicate.value)
        if kind is not None:
            yield Statement(resource_as_text(quad.subject), kind, resource_as_text(quad.object))


def triples(concepts: Iterable[Concept], schemes: Iterable[Scheme] = ()) -> Iterator[Triple]:
    import pyoxigraph as rdf  # noqa: PLC0415 - an extra

    node, triple = rdf.NamedNode, rdf.Triple
    kind, label = node(RDF_TYPE), node(f"{SKOS}prefLabel")
    for scheme in schemes:
        yield triple(node(scheme.uri), kind, node(f"{SKOS}ConceptScheme"))
        yield from (triple(node(scheme.uri), label, _literal(each)) for each in scheme.labels)
    for concept in concepts:
        uri = _resource(concept.uri)
        yield triple(uri, kind, node(f"{SKOS}Concept"))
        yield from (triple(uri, node(f"{SKOS}notation"), rdf.Literal(text)) for text in concept.notations)
        for name, labels in (
            ("prefLabel", concept.preferred),
            ("altLabel", concept.alternative),
            ("hiddenLabel", concept.hidden),
        ):
            yield from (triple(uri, node(SKOS + name), _literal(each)) for each in labels)
        for note in concept.notes:
            yield triple(uri, node(SKOS + _NOTE_NAMES[note.kind]), _literal(Label(note.text, note.language)))
        for name, uris in (
            (f"{SKOS}broader", concept.broader),
            (f"{SKOS}narrower", concept.narrower),
            (f"{SKOS}related", concept.related),
            (f"{SKOS}inScheme", concept.schemes),
            (f"{SKOS}topConceptOf", concept.top_of),
            (REPLACED_BY, concept.replaced_by),
        ):
            yield from (triple(uri, node(name), _resource(each)) for each in uris)
        for mapping in concept.mappings:
            yield triple(uri, node(f"{SKOS}{mapping.kind}Match"), _resource(mapping.uri))
        if concept.is_deprecated:
            yield triple(uri, node(OWL_DEPRECATED), rdf.Literal("true", datatype=node(BOOLEAN)))


def resource_as_text(value: NamedNode | BlankNode | Literal | object) -> str:
    """Return a resource as text: its IRI, or `_:` and the name of a blank node."""
    found: str = getattr(value, "value", "")
    return f"_:{found}" if type(value).__name__ == "BlankNode" else found


def _language(value: Literal) -> str:
    return (value.language or "").lower()


def _resource(uri: str) -> NamedNode | BlankNode:
    import pyoxigraph as rdf  # noqa: PLC0415

    return rdf.BlankNode(uri[2:]) if uri.startswith("_:") else rdf.NamedNode(uri)


def _literal(label: Label) -> Literal:
    import pyoxigraph as rdf  # noqa: PLC0415

    return rdf.Literal(label.text, language=label.language) if label.language else rdf.Literal(label.text)
