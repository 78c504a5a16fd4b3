"""How well a document fits a query, as simply as it can be told: title before creator before subject."""

from __future__ import annotations

from dataclasses import replace

from windrow.model.document_view import DocumentView
from windrow.model.matching import compile_query
from windrow.model.query import (
    DEFAULT_FIELDS,
    FIELDS,
    And,
    AtLeast,
    FieldKind,
    Or,
    Phrase,
    Query,
    SameEvent,
    Word,
)
from windrow.model.text.folding import folded_words

WEIGHTS = {"title": 8.0, "creator": 4.0, "subject": 2.0, "notes": 0.01}
EXACT = 1.5  # times the weight of a word that is there only in another form


def score_of(query: Query, view: DocumentView) -> float:
    """The sum over all words and phrases that are asked for, in every field that has them."""
    match query:
        case And(parts) | Or(parts) | AtLeast(_, parts):
            return sum(score_of(part, view) for part in parts)
        case SameEvent(part):
            return score_of(part, view) if compile_query(query)(view) else 0.0
        case Word() | Phrase():
            names = DEFAULT_FIELDS if query.field is None else (query.field,)
            return query.boost * sum(_in_field(query, name, view) for name in names)
        case _:
            return 0.0


def _in_field(leaf: Word | Phrase, name: str, view: DocumentView) -> float:
    if not compile_query(replace(leaf, field=name))(view):
        return 0.0
    weight = WEIGHTS.get(name, 1.0)
    if isinstance(leaf, Phrase) or FIELDS[name].kind is not FieldKind.WORDS:
        return weight * EXACT
    exact = Phrase(tuple(folded_words(leaf.text)), name)
    return weight * EXACT if compile_query(exact)(view) else weight
