"""Concepts in LIDO: their words in several languages and their identifiers. Part of the lido reader."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from windrow.formats.authorities import authority_of, best_of
from windrow.formats.elements import language_of, local
from windrow.formats.leftovers import Trail
from windrow.formats.markup import fold

NAMESPACE = "http://www.lido-schema.org"


def children(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    """Give the children of these names, whatever their namespace."""
    return (child for child in element if local(child) in names)


def attribute(element: etree._Element, name: str) -> str:
    """Give a LIDO attribute, which some write with the namespace and some without."""
    return element.get(f"{{{NAMESPACE}}}{name}") or element.get(name) or ""


def terms_of(concept: etree._Element) -> list[etree._Element]:
    """Give the elements that hold the words of a concept: LIDO's own terms, or SKOS labels in version 1.1.

    Words that were added only for searching come last.
    """
    found = list(children(concept, "term"))
    found.sort(key=lambda term: attribute(term, "addedSearchTerm") == "yes")
    for child in children(concept, "Concept"):
        found += children(child, "prefLabel")
    return [term for term in found if (term.text or "").strip()]


def term_of(concept: etree._Element, trail: Trail) -> tuple[str, str | None]:
    """Give the word of a concept, English or first, and its language; empty where there is none.

    The others stay for extra. A notation is only taken for a word where there is no other.
    """
    terms = terms_of(concept)
    notations = {(number.text or "").strip() for number in children(concept, "conceptID")}
    words = [term for term in terms if (term.text or "").strip() not in notations] or terms
    if not words:
        return "", None
    main = [term for term in words if attribute(term, "addedSearchTerm") != "yes"] or words
    chosen = next((term for term in main if language_of(term) == "en"), main[0])
    return trail.use(chosen), language_of(chosen)


def identifier_of(element: etree._Element, trail: Trail, name: str = "conceptID") -> str | None:
    """Give the identifier of a concept, an actor or a place: an address where there is one."""
    numbers = [
        (number, fold(authority_of(number.text or "", attribute(number, "source")) or ""))
        for number in children(element, name)
    ]
    labels = [str(value) for child in children(element, "Concept") for value in _about(child)]
    best = best_of([*(value for _, value in numbers if value), *labels])
    for number, value in numbers:
        if value == best:
            trail.skip(number)
    return best


def scheme_of(concept: etree._Element) -> str | None:
    """Give the vocabulary that a concept's number is from, as its source names it."""
    sources = (attribute(number, "source") for number in children(concept, "conceptID"))
    return next((source[:64] for source in sources if source), None)


def _about(element: etree._Element) -> list[str]:
    return [str(value) for key, value in element.attrib.items() if str(key).endswith("}about")]
