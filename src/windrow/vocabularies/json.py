"""Concepts as values for JSON: the same for the command line and for the API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from windrow.model.vocabulary import Concept, Label
from windrow.vocabularies.view import VocabularyView


def short_concept(concept: Concept, languages: Sequence[str] = ()) -> dict[str, Any]:
    """Return what a list shows of a concept."""
    return {"uri": concept.uri, "notation": concept.notation or None, "label": concept.label(languages)}


def concept_as_dict(view: VocabularyView, concept: Concept, languages: Sequence[str] = ()) -> dict[str, Any]:
    """Return all of a concept, with its neighbours and the ways to it from the top."""

    def shorts(concepts: Sequence[Concept]) -> list[dict[str, Any]]:
        return [short_concept(each, languages) for each in concepts]

    return {
        "vocabulary": view.name,
        "uri": concept.uri,
        "notations": list(concept.notations),
        "label": concept.label(languages),
        "preferred": labels_as_list(concept.preferred),
        "alternative": labels_as_list(concept.alternative),
        "notes": [
            {"kind": note.kind, "text": note.text, "language": note.language or None}
            for note in concept.notes
        ],
        "broader": shorts(view.broader(concept.uri)),
        "narrower": shorts(view.narrower(concept.uri)),
        "related": shorts(view.related(concept.uri)),
        "paths": [shorts(path) for path in view.paths(concept.uri)],
        "mappings": [{"kind": each.kind, "uri": each.uri} for each in concept.mappings],
        "schemes": list(concept.schemes),
        "is_deprecated": concept.is_deprecated,
        "replaced_by": list(concept.replaced_by),
    }


def labels_as_list(labels: Sequence[Label]) -> list[dict[str, Any]]:
    """Return labels with their languages; null for none."""
    return [{"text": each.text, "language": each.language or None} for each in labels]
