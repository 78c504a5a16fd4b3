"""A `Query` as CQL text: the same query when it is parsed again.

What CQL has no words for is said by modifiers of our own (`windrow.edits`, `windrow.slop`, `windrow.boost`,
`windrow.exclusive`). The few queries that have no form at all are a `NotExpressible`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from windrow.errors import NotExpressible
from windrow.model.query import (
    And,
    AtLeast,
    Everything,
    Not,
    Or,
    Phrase,
    Query,
    Range,
    SameEvent,
    Value,
    Word,
    spelled_out,
)
from windrow.model.query_fields import FIELDS, FieldKind
from windrow.protocols.cql.convert import WHOLE_FIELDS
from windrow.protocols.cql.terms import escape_term
from windrow.protocols.cql.tree import Boolean, Clause, CqlQuery, Modifier, Node, Relation

ALL = Clause("1", "cql.allRecords")
_EVENT = (Modifier("unit", "=", "event"),)


def render_cql(query: Query) -> str:
    """Return a query as CQL."""
    return str(CqlQuery(_node(query)))


def _node(query: Query) -> Node:
    match query:
        case Everything():
            return ALL
        case Word():
            return _word(query)
        case Phrase():
            return _phrase(query)
        case Value(text, field):
            if FIELDS[field].kind is FieldKind.WORDS and (field not in WHOLE_FIELDS or field == "title"):
                raise NotExpressible(f"CQL has no exact value of {field}")
            return _clause(field, "==", text, Modifier("respectCase"))
        case Range():
            return _range(query)
        case And(parts):
            return _together(parts)
        case Or(parts):
            return reduce(lambda one, other: Boolean("or", one, other), map(_node, parts))
        case AtLeast():
            return _node(spelled_out(query))
        case Not(part):
            return Boolean("not", ALL, _node(part))
        case SameEvent(part):
            parts = part.parts if isinstance(part, And) and len(part.parts) > 1 else (part,)
            first, *others = map(_node, parts)
            if not others:
                return Boolean("prox", ALL, first, _EVENT)
            return reduce(lambda one, other: Boolean("prox", one, other, _EVENT), others, first)


def _together(parts: Sequence[Query]) -> Node:
    found: Node | None = None
    for part in parts:
        if isinstance(part, Not):
            found = Boolean("not", ALL if found is None else found, _node(part.part))
        else:
            found = _node(part) if found is None else Boolean("and", found, _node(part))
    return ALL if found is None else found


def _word(word: Word) -> Node:
    is_by_word = word.field is None or FIELDS[word.field].kind is FieldKind.WORDS
    if is_by_word and len(word.text.split()) != 1 and not (word.is_pattern or word.edits):
        raise NotExpressible("CQL has no several words as one")
    if word.is_pattern and "*" not in word.text and "?" not in word.text:
        raise NotExpressible("CQL has no pattern without a masking character")
    if word.text != " ".join(word.text.split()):
        raise NotExpressible("CQL has no idle white space")
    modifiers = [Modifier("windrow.edits", "=", str(word.edits))] * bool(word.edits)
    term = escape_term(word.text, is_masked=word.is_pattern)
    return _clause(word.field, "=", term, *modifiers, *_boost(word.boost), is_term=True)


def _phrase(phrase: Phrase) -> Node:
    if any(len(word.split()) != 1 for word in phrase.words):
        raise NotExpressible("CQL has no white space within a word")
    modifiers = [Modifier("windrow.slop", "=", str(phrase.slop))] * bool(phrase.slop)
    is_whole = phrase.field is not None and FIELDS[phrase.field].kind is not FieldKind.WORDS
    if is_whole:
        raise NotExpressible(f"CQL has no phrase in {phrase.field}")
    return _clause(phrase.field, "adj", " ".join(phrase.words), *modifiers, *_boost(phrase.boost))


def _range(query: Range) -> Node:
    field, low, high = query.field, query.low, query.high
    if FIELDS[field].kind is FieldKind.WORDS and field not in WHOLE_FIELDS:
        raise NotExpressible(f"CQL has no range of {field}")
    for bound in (low, high):
        if bound is not None and bound != " ".join(bound.split()):
            raise NotExpressible("CQL has no idle white space")
    if low is not None and high is not None:
        is_inside = query.is_low_inside and query.is_high_inside
        if low == high and is_inside and FIELDS[field].kind is FieldKind.WORDS and low:
            return _clause(field, "==", low)
        if " " in f"{low}{high}" or not low or not high:
            raise NotExpressible("CQL has no range whose bounds are empty or of several words")
        return _clause(field, "within", f"{low} {high}", *_exclusive(query))
    if low:
        return _clause(field, ">=" if query.is_low_inside else ">", low)
    if high:
        return _clause(field, "<=" if query.is_high_inside else "<", high)
    raise NotExpressible("CQL has no range without bounds")


def _exclusive(query: Range) -> list[Modifier]:
    if query.is_low_inside and query.is_high_inside:
        return []
    outside = "high" if query.is_low_inside else "low" if query.is_high_inside else "both"
    return [Modifier("windrow.exclusive", "=", outside)]


def _boost(boost: float) -> list[Modifier]:
    return [] if boost == 1 else [Modifier("windrow.boost", "=", repr(boost))]


def _clause(
    field: str | None, relation: str, text: str, *modifiers: Modifier, is_term: bool = False
) -> Clause:
    term = text if is_term else escape_term(text)
    if field is None and relation == "=" and not modifiers:
        return Clause(term)
    index = "cql.serverChoice" if field is None else f"windrow.{field}"
    return Clause(term, index, Relation(relation, modifiers))
