"""The values of a document that are counted by concept: its types, its access and its licences."""

from __future__ import annotations

from collections.abc import Iterator

from windrow.model.concepts import ACCESS, NORMALISED, TYPE, ConceptTable, built_in
from windrow.model.document import Document
from windrow.model.rights import (
    OTHER,
    UNSTATED_ACCESS,
    UNSTATED_LICENCE,
    access_of,
    licences_of,
    stated_access,
    stated_licence,
    statements_of,
)

Spoken = tuple[str, str | None]  # words and their language


def types_of(document: Document, types: ConceptTable | None = None) -> tuple[str, ...]:
    """Return the types of a document as they are counted; what the table does not have stays as it is."""
    return (types or built_in(TYPE)).names(document.types)


def normalised(field: str, value: str, types: ConceptTable | None = None) -> str:
    """Return what a value of a field is counted under: the concept of any of its wordings, or itself."""
    if field == TYPE:
        return (types or built_in(TYPE)).name(value)
    if field not in NORMALISED:
        return value
    known = built_in(field).find(value)
    if known is not None:
        return known.name
    stated = stated_access(value) if field == ACCESS else stated_licence(value)
    return stated if stated and stated != OTHER else value


def label_of(field: str, value: str, language: str, types: ConceptTable | None = None) -> str:
    """Return a counted value in the words of a language."""
    if field == TYPE and types is not None:
        return types.label(value, language)
    return built_in(field).label(value, language) if field in NORMALISED else value


def type_words(
    types: tuple[str, ...], usual: str | None, table: ConceptTable | None = None
) -> Iterator[Spoken]:
    """Yield the words that find a document by its types: its wordings and all labels of their concepts."""
    yield from ((wording, usual) for wording in types)
    own = set(types)
    for label, language in (table or built_in(TYPE)).labels(types).items():
        if label not in own:
            yield label, language


def rights_words(field: str, names: tuple[str, ...]) -> Iterator[Spoken]:
    """Yield the words that find a document by its access or its licences; none where nothing is stated."""
    stated = [name for name in names if name not in (UNSTATED_ACCESS, UNSTATED_LICENCE)]
    for label, language in built_in(field).labels(stated).items():
        yield label, language
        if language == "en" and label.startswith("CC"):
            yield "Creative Commons", "en"


def access_and_licences(document: Document) -> tuple[str, tuple[str, ...]]:
    """Return the access and the licences of a document as they are counted."""
    statements = statements_of(document)
    return access_of(statements), licences_of(statements)
