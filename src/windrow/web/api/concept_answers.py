"""Vocabularies for other programs, such as the form of a cataloguing system: concepts, search, children."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from windrow.errors import NotFound
from windrow.faces.api.answers import Answer
from windrow.faces.api.desk import Desk
from windrow.faces.api.schema_parts import (
    ADDRESS,
    FLAG,
    MAYBE_NUMBER,
    MAYBE_TEXT,
    NUMBER,
    TEXT,
    TEXTS,
    Schema,
    items_of,
    list_of,
    object_of,
)
from windrow.faces.shared.parameters import Asked
from windrow.model.vocabulary import Concept, Vocabulary
from windrow.store import vocabularies as rows
from windrow.vocabularies.counting import count_records
from windrow.vocabularies.json import concept_as_dict, labels_as_list, short_concept
from windrow.vocabularies.view import Named, VocabularyView

MOST_LISTED = 1_000
_LABEL = {"text": TEXT, "language": MAYBE_TEXT}
_SHORT: Schema = {
    "uri": TEXT,
    "notation": MAYBE_TEXT,
    "label": {**TEXT, "description": "In `language` where there is one, else in another."},
}
_RECORDS: Schema = {
    **MAYBE_NUMBER,
    "description": "Records of it and of all below it; null where the vocabulary is bound to no field.",
}
VOCABULARY_SCHEMAS: Schema = {
    "Label": object_of(_LABEL),
    "ShortConcept": object_of(_SHORT),
    "CountedConcept": object_of({**_SHORT, "records": _RECORDS, "children": FLAG}),
    "MatchedConcept": object_of(
        {**_SHORT, "matched": {**MAYBE_TEXT, "description": "The name that was found."}}
    ),
    "Concept": object_of(
        {
            "vocabulary": TEXT,
            "uri": TEXT,
            "notations": TEXTS,
            "label": TEXT,
            "preferred": list_of("Label"),
            "alternative": list_of("Label"),
            "notes": {"type": "array", "items": object_of({"kind": TEXT, **_LABEL})},
            "broader": list_of("ShortConcept"),
            "narrower": list_of("ShortConcept"),
            "related": list_of("ShortConcept"),
            "paths": {"type": "array", "items": list_of("ShortConcept"), "description": "From the top down."},
            "mappings": {"type": "array", "items": object_of({"kind": TEXT, "uri": TEXT})},
            "schemes": TEXTS,
            "is_deprecated": FLAG,
            "replaced_by": TEXTS,
            "records": _RECORDS,
        }
    ),
    "Vocabulary": object_of(
        {
            "name": TEXT,
            "title": list_of("Label"),
            "concepts": NUMBER,
            "languages": TEXTS,
            "fields": {**TEXTS, "description": "The fields that it is bound to."},
            "updated": TEXT,
            "concept": ADDRESS,
            "search": ADDRESS,
            "children": ADDRESS,
            "suggest": ADDRESS,
        }
    ),
    "Vocabularies": items_of("Vocabulary"),
    "Concepts": items_of("MatchedConcept"),
    "Children": items_of("CountedConcept"),
}


def vocabularies(desk: Desk, asked: Asked) -> Answer:  # noqa: ARG001
    """The vocabularies of the library."""
    with desk.store.reading() as connection:
        found = rows.listed(connection)
    return Answer({"items": [_vocabulary(desk, each) for each in found]})


def vocabulary(desk: Desk, asked: Asked) -> Answer:
    """One vocabulary."""
    return Answer(_vocabulary(desk, VocabularyView(desk.store, asked.text("vocabulary")).vocabulary))


def concept(desk: Desk, asked: Asked) -> Answer:
    """One concept, by URI, notation or label."""
    view, found = _named(desk, asked)
    counts = _counts(desk, view, [found])
    return Answer(concept_as_dict(view, found, _languages(asked)) | {"records": counts.get(found.uri)})


def children(desk: Desk, asked: Asked) -> Answer:
    """The concepts right below one; without one, the top concepts."""
    if asked.text("concept"):
        view, above = _named(desk, asked)
        found = view.narrower(above.uri, limit=MOST_LISTED)
    else:
        view = VocabularyView(desk.store, asked.text("vocabulary"))
        found = view.top_concepts(limit=MOST_LISTED)
    counts, inner = _counts(desk, view, found), view.having_narrower([each.uri for each in found])
    items = [
        short_concept(each, _languages(asked))
        | {"records": counts.get(each.uri), "children": each.uri in inner}
        for each in found
    ]
    return Answer({"items": items})


def search(desk: Desk, asked: Asked) -> Answer:
    """Concepts whose names begin so, then those with the words in their labels."""
    view = VocabularyView(desk.store, asked.text("vocabulary"))
    return _matched(view, view.search(asked.text("q"), limit=asked.number("limit")), asked)


def suggest(desk: Desk, asked: Asked) -> Answer:
    """Concepts whose names begin so: for a field that completes what is typed."""
    view = VocabularyView(desk.store, asked.text("vocabulary"))
    return _matched(view, view.suggest(asked.text("q"), limit=asked.number("limit")), asked)


def _matched(view: VocabularyView, found: Sequence[Named], asked: Asked) -> Answer:
    known = {each.uri: each for each in view.concepts([each.uri for each in found])}
    items = [
        short_concept(known[each.uri], _languages(asked)) | {"matched": each.text or None}
        for each in found
        if each.uri in known
    ]
    return Answer({"items": items})


def _named(desk: Desk, asked: Asked) -> tuple[VocabularyView, Concept]:
    view, name = VocabularyView(desk.store, asked.text("vocabulary")), asked.text("concept")
    found = view.find(name)
    if found is None:
        raise NotFound(f"{view.name} has no concept {name}", hint="Name it by URI, notation or label.")
    return view, found


def _counts(desk: Desk, view: VocabularyView, concepts: Iterable[Concept]) -> dict[str, int]:
    return count_records(desk.index, desk.expander, view.name, [each.uri for each in concepts])


def _languages(asked: Asked) -> tuple[str, ...]:
    return (asked.text("language"),) if asked.text("language") else ()


def _vocabulary(desk: Desk, found: Vocabulary) -> dict[str, Any]:
    path = f"/vocabularies/{found.name}"
    return {
        "name": found.name,
        "title": labels_as_list(found.title),
        "concepts": found.concepts,
        "languages": list(found.languages),
        "fields": list(desk.expander.fields_of(found.name)) if desk.expander else [],
        "updated": found.updated,
        **{name: desk.link(f"{path}/{name}") for name in ("concept", "search", "children", "suggest")},
    }
