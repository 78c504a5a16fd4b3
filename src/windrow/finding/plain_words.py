"""A question read as plain words, for when it found nothing: signs in it may be part of a title."""

from __future__ import annotations

from windrow.errors import QueryTooCostly
from windrow.finding.question import Question
from windrow.finding.spelling import Suggestion
from windrow.index.protocol import Index
from windrow.model.query import Everything
from windrow.wire.query.parse import LONGEST_QUERY
from windrow.wire.query.plain import as_words


def offer_words(index: Index, question: Question, total: int) -> Suggestion | None:
    """Give the same question without operators, fields and wildcards; None where that finds nothing, too."""
    if total or not question.text:
        return None
    meant = question.rewritten(as_words(question.text[:LONGEST_QUERY]))
    if meant.words in (question.words, Everything()):
        return None
    try:
        count = index.count(meant.query)
    except QueryTooCostly:  # it was not asked for
        return None
    return Suggestion(meant.text, meant, count) if count else None
