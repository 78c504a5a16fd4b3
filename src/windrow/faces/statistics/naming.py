"""What counted records are called in titles: the same on pages, in their files and on the command line."""

from __future__ import annotations

from windrow.faces.shared.field_words import value_words
from windrow.faces.shared.tongue import Tongue
from windrow.finding.question import Question
from windrow.finding.topic_labels import TopicLabels
from windrow.model.concepts import ConceptTable
from windrow.stats.origin import Origin


def origin_of(
    title: str,
    question: Question,
    tongue: Tongue,
    types: ConceptTable | None = None,
    topics: TopicLabels | None = None,
) -> Origin:
    """Give the origin of what a question finds in a library or collection of this title."""
    words = [("q", question.text)] if question.text else []
    found = [
        (field, value_words(field, value, tongue, types, topics))
        for field, values in question.filters.items()
        for value in values
    ]
    return Origin(title, (*words, *found))
