"""The vocabulary answers of the API, for other programs such as the form of a cataloguing system."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from windrow.errors import NotFound
from windrow.model.thesaurus import Concept, Vocabulary
from windrow.store.vocabulary import concepts as rows
from windrow.vocabularies.vocabulary_view import (
    Named,
    VocabularyView,
    concept_as_dict,
    count_records,
    labels_as_list,
    short_concept,
)
from windrow.web.api.api_answers import ApiAnswer
from windrow.web.api.api_context import ApiContext
from windrow.web.http.parameters import CheckedParameters

MAX_LISTED_CONCEPTS = 1_000


def answer_vocabularies(desk: ApiContext, asked: CheckedParameters) -> ApiAnswer:  # noqa: ARG001
    with desk.store.reading() as connection:
        found = rows.list_vocabularies(connection)
    return ApiAnswer({"items": [_vocabulary_value(desk, each) for each in found]})


def answer_vocabulary(desk: ApiContext, asked: CheckedParameters) -> ApiAnswer:
    return ApiAnswer(_vocabulary_value(desk, VocabularyView(desk.store, asked.text("vocabulary")).vocabulary))


def answer_concept(desk: ApiContext, asked: CheckedParameters) -> ApiAnswer:
    """Find one concept by URI, notation or label."""
    view, found = _find_concept(desk, asked)
    counts = _record_counts(desk, view, [found])
    return ApiAnswer(
        concept_as_dict(view, found, _wanted_languages(asked)) | {"records": counts.get(found.uri)}
    )


def answer_narrower_concepts(desk: ApiContext, asked: CheckedParameters) -> ApiAnswer:
    """List the concepts directly below one; without one, the top concepts."""
    if asked.text("concept"):
        view, above = _find_concept(desk, asked)
        found = view.narrower(above.uri, limit=MAX_LISTED_CONCEPTS)
    else:
        view = VocabularyView(desk.store, asked.text("vocabulary"))
        found = view.top_concepts(limit=MAX_LISTED_CONCEPTS)
    counts, inner = _record_counts(desk, view, found), view.having_narrower([each.uri for each in found])
    items = [
        short_concept(each, _wanted_languages(asked))
        | {"records": counts.get(each.uri), "children": each.uri in inner}
        for each in found
    ]
    return ApiAnswer({"items": items})


def answer_concept_search(desk: ApiContext, asked: CheckedParameters) -> ApiAnswer:
    """Find concepts whose names begin with the text, then those with its words in their labels."""
    view = VocabularyView(desk.store, asked.text("vocabulary"))
    return _matched_concepts(view, view.search(asked.text("q"), limit=asked.number("limit")), asked)


def answer_concept_suggestions(desk: ApiContext, asked: CheckedParameters) -> ApiAnswer:
    view = VocabularyView(desk.store, asked.text("vocabulary"))
    return _matched_concepts(view, view.suggest(asked.text("q"), limit=asked.number("limit")), asked)


def _matched_concepts(view: VocabularyView, found: Sequence[Named], asked: CheckedParameters) -> ApiAnswer:
    known = {each.uri: each for each in view.concepts([each.uri for each in found])}
    items = [
        short_concept(known[each.uri], _wanted_languages(asked)) | {"matched": each.text or None}
        for each in found
        if each.uri in known
    ]
    return ApiAnswer({"items": items})


def _find_concept(desk: ApiContext, asked: CheckedParameters) -> tuple[VocabularyView, Concept]:
    view, name = VocabularyView(desk.store, asked.text("vocabulary")), asked.text("concept")
    found = view.find(name)
    if found is None:
        raise NotFound(f"{view.name} has no concept {name}", hint="Name it by URI, notation or label.")
    return view, found


def _record_counts(desk: ApiContext, view: VocabularyView, concepts: Iterable[Concept]) -> dict[str, int]:
    return count_records(desk.index, desk.expander, view.name, [each.uri for each in concepts])


def _wanted_languages(asked: CheckedParameters) -> tuple[str, ...]:
    return (asked.text("language"),) if asked.text("language") else ()


def _vocabulary_value(desk: ApiContext, found: Vocabulary) -> dict[str, Any]:
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
