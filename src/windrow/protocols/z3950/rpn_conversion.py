"""Conversion of RPN to `Query`, and of `Query` to RPN as far as attributes can express it.

An unsupported attribute raises an `RpnError` with Bib-1's diagnostic for that attribute. Words are searched
without their other forms, which are included if a client requests stemming (relation 101). A proximity of
elements (unit 8, distance 0) requests conditions on the same event.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from windrow.errors import NotExpressible, RpnError
from windrow.model.query import (
    EVENT_FIELDS,
    FIELDS,
    NOTHING,
    And,
    Everything,
    FieldKind,
    Not,
    Or,
    Phrase,
    Query,
    Range,
    SameEvent,
    Word,
    all_of,
    any_of,
    find_field,
    max_slop,
)
from windrow.model.text.folding import split_words
from windrow.protocols.z3950 import z3950_registry
from windrow.protocols.z3950.rpn import (
    Attribute,
    AttributeType,
    Boolean,
    Combination,
    Proximity,
    ProximityUnit,
    Relation,
    ResultSet,
    Rpn,
    Structure,
    Term,
)
from windrow.protocols.z3950.term_patterns import NoPattern, event_query, patterns_of
from windrow.protocols.z3950.z3950_registry import (
    ACCESS_POINTS,
    DATED,
    EVENT,
    RELATIONS,
    STRUCTURES,
    TRUNCATIONS,
    Diagnostic,
    Profile,
)

MOST_WORDS = 50  # of one term
MOST_STARS = 4  # of one word
_EVENT_SLOTS = frozenset((*EVENT_FIELDS, "language"))
_NO_FORM = "no attributes of Z39.50 stand for this"
_WHOLE_KINDS = (FieldKind.EXACT, FieldKind.TREE, FieldKind.NUMBER, FieldKind.DATE)
_ORDERED_KINDS = (FieldKind.NUMBER, FieldKind.DATE)
_SHAPES = {
    FieldKind.NUMBER: re.compile(r"-?[0-9]{1,18}"),
    FieldKind.DATE: re.compile(r"[0-9]{4}(?:-[0-9]{2}){0,2}"),
}
# Fields of words whose values are also indexed whole, so that they can be compared and sorted.
WHOLE_FIELDS = frozenset(
    (
        *("title", "creator", "subject", "keyword", "publisher", "type", "journal"),
        *("institution", "department", "holding", "access", "licence"),
    )
)
_EQUAL, _STEM, _RELEVANCE, _ALWAYS, _NOT_EQUAL = 3, 101, 102, 103, 6
_ORDER = (1, 2, 4, 5)
_WORD_LIST, _ANY_WORD, _NUMERIC = 6, (105, 106), 109
_NONE, _HASH, _REGEXP_1, _REGEXP_2, _Z39_58 = 100, 101, 102, 103, 104
_ENDS = {1: (False, True), 2: (True, False), 3: (True, True)}  # stars before and after the term
_KNOWN = {
    AttributeType.RELATION: (Diagnostic.RELATION, frozenset(each.value for each in RELATIONS)),
    AttributeType.POSITION: (Diagnostic.POSITION, frozenset((1, 2, 3))),
    AttributeType.STRUCTURE: (Diagnostic.STRUCTURE, frozenset(each.value for each in STRUCTURES)),
    AttributeType.TRUNCATION: (Diagnostic.TRUNCATION, frozenset(each.value for each in TRUNCATIONS)),
    AttributeType.COMPLETENESS: (Diagnostic.COMPLETENESS, frozenset((1, 2, 3))),
}


def no_result_sets(name: str) -> Query:
    """Raise for every result set, for targets without any."""
    raise RpnError(Diagnostic.NO_SUCH_RESULT_SET, name)


def query_of(
    rpn: Rpn, profile: Profile = Profile.GILS, result_set: Callable[[str], Query] = no_result_sets
) -> Query:
    """Convert an RPN query; `result_set` returns the query of an earlier result set."""
    return _Reading(rpn.attribute_set, profile, result_set).structure(rpn.root)


class TermAttributes(NamedTuple):
    """The attributes of a term, one of each type."""

    fields: tuple[str | None, ...]  # None: the fields that are searched if none is named
    use: str  # in the client's form, for diagnostics
    relation: int = _EQUAL
    position: int = 3
    structure: int = 1
    truncation: int = _NONE
    completeness: int = 1


def read_attributes(attributes: Iterable[Attribute], attribute_set: str, profile: Profile) -> TermAttributes:
    """Interpret attributes; raise RpnError for unsupported ones."""
    given: dict[int, int] = {}
    fields: tuple[str | None, ...] = (None,)
    use = ""
    for each in attributes:
        known_as = each.set or attribute_set
        if known_as not in ACCESS_POINTS[profile]:
            raise RpnError(Diagnostic.ATTRIBUTE_SET, known_as)
        if each.type == AttributeType.USE:
            fields, use = _fields(each.value, known_as, profile), str(each.value)
            continue
        found = _KNOWN.get(each.type)  # type: ignore[call-overload]
        if found is None:
            raise RpnError(Diagnostic.ATTRIBUTE_TYPE, str(each.type))
        if not isinstance(each.value, int) or each.value not in found[1]:
            raise RpnError(found[0], str(each.value))
        given[each.type] = each.value
    return TermAttributes(
        fields,
        use,
        given.get(AttributeType.RELATION, _EQUAL),
        given.get(AttributeType.POSITION, 3),
        given.get(AttributeType.STRUCTURE, 1),
        given.get(AttributeType.TRUNCATION, _NONE),
        given.get(AttributeType.COMPLETENESS, 1),
    )


def _fields(value: int | str, attribute_set: str, profile: Profile) -> tuple[str | None, ...]:
    if isinstance(value, str):  # our own access points, which are names of fields
        name = find_field(value)
        if name is None:
            raise RpnError(Diagnostic.USE_ATTRIBUTE, value)
        return (name,)
    point = ACCESS_POINTS[profile][attribute_set].get(value)
    if point is None:
        raise RpnError(Diagnostic.USE_ATTRIBUTE, str(value))
    return point.fields or (None,)


@dataclass(frozen=True, slots=True)
class _Reading:
    """Converts one query."""

    attribute_set: str
    profile: Profile
    result_set: Callable[[str], Query]

    def structure(self, found: Structure) -> Query:
        match found:
            case Term():
                return self._term(found)
            case ResultSet(name):
                return self.result_set(name)
            case Combination(Boolean.AND, left, right):
                return all_of([self.structure(left), self.structure(right)])
            case Combination(Boolean.OR, left, right):
                return any_of([self.structure(left), self.structure(right)])
            case Combination(Boolean.NOT, left, right):
                return all_of([self.structure(left), Not(self.structure(right))])
            case Combination(operator, left, right):
                assert isinstance(operator, Proximity)
                return self._near(operator, left, right)

    def _term(self, term: Term) -> Query:
        asked = read_attributes(term.attributes, self.attribute_set, self.profile)
        if EVENT in asked.fields:
            return _of_event(term.text, asked)
        if asked.relation == _ALWAYS:
            return any_of(_has(field) for field in asked.fields)
        if asked.fields == DATED:
            asked = asked._replace(fields=(_dated(term.text, asked),))
        if asked.structure == _WORD_LIST and not _is_whole(asked):
            words = [replaced_term(word, asked) for word in _separate(term.text, asked)]
            return all_of(words) if words else NOTHING
        if asked.structure in _ANY_WORD:
            return any_of(replaced_term(word, asked) for word in _separate(term.text, asked))
        return replaced_term(term.text, asked)

    def _near(self, near: Proximity, left: Structure, right: Structure) -> Query:
        if near.is_private_unit:
            raise RpnError(Diagnostic.PROXIMITY_UNIT, str(near.unit))
        if near.unit in (ProximityUnit.ELEMENT, ProximityUnit.SUBELEMENT):
            return self._same_event(near, left, right)
        if near.unit != ProximityUnit.WORD:
            raise RpnError(Diagnostic.PROXIMITY_UNIT, str(near.unit))
        if near.is_exclusion:
            raise RpnError(Diagnostic.PROXIMITY_RELATION, "exclusion")
        reach = _reach(near)
        if isinstance(left, ResultSet) or isinstance(right, ResultSet):
            raise RpnError(Diagnostic.PROXIMITY_OF_SETS)
        if not isinstance(left, Term) or not isinstance(right, Term):
            raise RpnError(Diagnostic.PROXIMITY_ATTRIBUTES)
        return self._words_near(near, reach, left, right)

    def _words_near(self, near: Proximity, reach: int, left: Term, right: Term) -> Query:
        both = [read_attributes(each.attributes, self.attribute_set, self.profile) for each in (left, right)]
        fields = both[0].fields
        for each in both:
            is_plain = each.relation in (_EQUAL, _RELEVANCE) and each.truncation == _NONE
            if not is_plain or each.completeness != 1 or each.fields != fields or EVENT in fields:
                raise RpnError(Diagnostic.PROXIMITY_ATTRIBUTES, each.use)
        words = [split_words(each.text) for each in (left, right)]
        if any(len(each) != 1 for each in words):
            raise RpnError(Diagnostic.PROXIMITY_ATTRIBUTES, "one word on each side")
        pair = (words[0][0], words[1][0])
        return any_of(_pair(pair, field, reach, is_ordered=near.is_ordered) for field in fields)

    def _same_event(self, near: Proximity, left: Structure, right: Structure) -> Query:
        if near.distance != 0 or near.relation not in (Relation.LESS_OR_EQUAL, Relation.EQUAL):
            raise RpnError(Diagnostic.PROXIMITY_DISTANCE, "0, for the same event")
        if near.is_exclusion or near.is_ordered:
            raise RpnError(Diagnostic.PROXIMITY_ORDERED, "conditions on one event have no order")
        parts = [self.structure(each) for each in (left, right)]
        inner = [part.part if isinstance(part, SameEvent) else part for part in parts]
        for part in inner:
            _check_of_event(part)
        return SameEvent(all_of(inner))


def _check_of_event(part: Query) -> None:
    match part:
        case And(parts) | Or(parts):
            for each in parts:
                _check_of_event(each)
        case Not(inner) | SameEvent(inner):
            _check_of_event(inner)
        case Word() | Phrase() | Range():
            if part.field is not None and part.field not in _EVENT_SLOTS:
                raise RpnError(Diagnostic.PROXIMITY_ATTRIBUTES, f"{part.field} is not of an event")
        case Everything():
            pass
        case _:
            raise RpnError(Diagnostic.PROXIMITY_ATTRIBUTES)


def _reach(near: Proximity) -> int:
    if near.relation == Relation.LESS:
        reach = near.distance - 2
    elif near.relation == Relation.LESS_OR_EQUAL or (near.relation == Relation.EQUAL and near.distance == 1):
        reach = near.distance - 1
    else:
        raise RpnError(Diagnostic.PROXIMITY_RELATION, str(near.relation))
    if reach < 0:
        raise RpnError(Diagnostic.PROXIMITY_DISTANCE, str(near.distance))
    return reach


def _pair(pair: tuple[str, str], field: str | None, reach: int, *, is_ordered: bool) -> Query:
    if reach > max_slop(field):
        raise RpnError(Diagnostic.PROXIMITY_DISTANCE, str(reach + 1))
    if reach == 0:
        ordered = Phrase(pair, field)
        return ordered if is_ordered else any_of([ordered, Phrase(pair[::-1], field)])
    if is_ordered:
        raise RpnError(Diagnostic.PROXIMITY_ORDERED, "only for words side by side")
    return Phrase(pair, field, slop=reach)


def _of_event(text: str, asked: TermAttributes) -> Query:
    if asked.relation == _ALWAYS:
        return any_of(_has(slot) for slot in EVENT_FIELDS)
    if asked.relation not in (_EQUAL, _RELEVANCE):
        raise RpnError(Diagnostic.RELATION, str(asked.relation))
    if asked.truncation not in (_NONE, 1, 2, 3, _REGEXP_1, _REGEXP_2):
        raise RpnError(Diagnostic.TRUNCATION, str(asked.truncation))
    try:
        return event_query(text)
    except NoPattern as exc:
        raise RpnError(Diagnostic.ILLEGAL_TERM, str(exc)) from exc


def _has(field: str | None) -> Query:
    return Everything() if field is None else Word("*", field, is_pattern=True)


def _dated(text: str, asked: TermAttributes) -> str:
    """Return the field for a date: a bare year is compared with the year of publication."""
    is_year = text.strip().isascii() and text.strip().isdigit() and len(text.strip()) <= 4
    return "year" if is_year or asked.truncation != _NONE or not text.strip() else "date"


def _separate(text: str, asked: TermAttributes) -> list[str]:
    if any(field is not None and FIELDS[field].kind in _WHOLE_KINDS for field in asked.fields):
        return text.split()
    # Truncations have wildcard characters of their own, which must be kept.
    return text.split() if asked.truncation in (_HASH, _REGEXP_1, _REGEXP_2, _Z39_58) else split_words(text)


def _is_whole(asked: TermAttributes) -> bool:
    return asked.completeness != 1


def replaced_term(text: str, asked: TermAttributes) -> Query:
    if asked.relation == _NOT_EQUAL:
        return Not(replaced_term(text, asked._replace(relation=_EQUAL)))
    fields = asked.fields
    if len(fields) > 1 and (_is_whole(asked) or asked.relation in _ORDER):
        # Of several fields only those whose values are indexed whole.
        fields = tuple(field for field in fields if field in WHOLE_FIELDS) or fields
    return any_of(_in_field(text, field, asked) for field in fields)


def _in_field(text: str, field: str | None, asked: TermAttributes) -> Query:
    if field is not None and FIELDS[field].kind in _WHOLE_KINDS:
        return _of_value(text, field, asked)
    if asked.position != 3:
        raise RpnError(Diagnostic.POSITION, str(asked.position))
    if asked.structure == _NUMERIC:
        raise RpnError(Diagnostic.ATTRIBUTE_COMBINATION, f"4={_NUMERIC} 1={asked.use or 1016}")
    if asked.relation in _ORDER:
        return _in_order(text, field, asked)
    if _is_whole(asked):
        if field not in WHOLE_FIELDS or asked.truncation != _NONE:
            raise RpnError(Diagnostic.ATTRIBUTE_COMBINATION, f"6={asked.completeness} 1={asked.use or 1016}")
        return Range(field, text.strip(), text.strip()) if split_words(text) else NOTHING
    return _in_words(text, field, asked)


def _in_words(text: str, field: str | None, asked: TermAttributes) -> Query:
    if asked.truncation != _NONE:
        return any_of(_pattern(pattern, field) for pattern in _truncated(text, asked.truncation))
    words = split_words(text)
    if len(words) > MOST_WORDS:
        raise RpnError(Diagnostic.TOO_MANY_ARGUMENT_WORDS, str(MOST_WORDS))
    if not words:
        return NOTHING
    if asked.relation == _STEM:
        return all_of(Word(word, field) for word in words)
    if len(words) == 1 and field is None and any(letter.isdigit() for letter in text):
        return Word(text.strip(), None)  # perhaps a year or an identifier, which are compared whole
    return Phrase(tuple(words), field)


def _of_value(text: str, field: str, asked: TermAttributes) -> Query:
    text = text.strip()
    if asked.relation in _ORDER:
        return _in_order(text, field, asked)
    if asked.relation == _STEM:
        raise RpnError(Diagnostic.ATTRIBUTE_COMBINATION, f"2={_STEM} 1={asked.use or field}")
    if not text:
        return NOTHING
    if asked.truncation != _NONE:
        return any_of(
            pattern if isinstance(pattern, Word) else Word(pattern, field, is_pattern=_has_wildcard(pattern))
            for pattern in _truncated(text, asked.truncation)
        )
    return Word(text, field)


def _in_order(text: str, field: str | None, asked: TermAttributes) -> Query:
    text = text.strip()
    if field is None or (FIELDS[field].kind not in _ORDERED_KINDS and field not in WHOLE_FIELDS):
        raise RpnError(Diagnostic.ATTRIBUTE_COMBINATION, f"2={asked.relation} 1={asked.use or 1016}")
    if asked.truncation != _NONE:
        raise RpnError(Diagnostic.ATTRIBUTE_COMBINATION, f"2={asked.relation} 5={asked.truncation}")
    if not text:
        raise RpnError(Diagnostic.MALFORMED_TERM)
    shape = _SHAPES.get(FIELDS[field].kind)
    if shape is not None and not shape.fullmatch(text):
        raise RpnError(Diagnostic.ILLEGAL_TERM, text[:100])
    if asked.relation in (1, 2):
        return Range(field, high=text, is_high_inside=asked.relation == 2)
    return Range(field, low=text, is_low_inside=asked.relation == 4)


def _truncated(text: str, truncation: int) -> Sequence[str | Word]:
    if truncation in _ENDS:
        before, behind = _ENDS[truncation]
        plain = text.replace("*", " ").replace("?", " ").strip()
        return [("*" if before else "") + plain + ("*" if behind else "")] if plain else []
    if truncation == _HASH:
        found = [text.replace("*", " ").replace("?", " ").replace("#", "*")]
    elif truncation == _Z39_58:
        found = [text.replace("*", " ").replace("?", "*").replace("#", "?")]
    elif truncation == _REGEXP_2 and text.strip().isalnum():
        return [Word(text.strip(), None, edits=1)]
    else:
        try:
            found = patterns_of(text.strip())
        except NoPattern as exc:
            raise RpnError(Diagnostic.TRUNCATION, f"{truncation}: {exc}") from exc
    for pattern in found:
        if pattern.count("*") > MOST_STARS:
            raise RpnError(Diagnostic.TRUNCATION, f"more than {MOST_STARS} wildcards in one word")
    return found


def _pattern(pattern: str | Word, field: str | None) -> Query:
    if isinstance(pattern, Word):
        return Word(pattern.text, field, edits=pattern.edits)
    if not split_words(pattern):
        # A pattern of wildcards alone matches any word; in a field, any value.
        return _has(field) if "*" in pattern and not pattern.strip("* ") else NOTHING
    if _has_wildcard(pattern):
        return Word(pattern, field, is_pattern=True)
    return Phrase(tuple(split_words(pattern)), field)


def _has_wildcard(pattern: str) -> bool:
    return "*" in pattern or "?" in pattern


def rpn_of(query: Query) -> Rpn:
    """Return a query as RPN that `query_of` converts back; raise NotExpressible if there is none."""
    return Rpn(z3950_registry.BIB_1, _structure(query))


def _structure(query: Query) -> Structure:
    match query:
        case Everything():
            return Term("", (Attribute(AttributeType.RELATION, _ALWAYS),))
        case Word() | Phrase() | Range():
            return _checked(_leaf(query), query)
        case And(parts):
            return _together(parts)
        case Or(parts):
            return _chain(Boolean.OR, [_structure(part) for part in parts])
        case Not():
            return _together((Everything(), query))
        case SameEvent(part):
            parts = part.parts if isinstance(part, And) else (part, part)
            near = Proximity(0, unit=ProximityUnit.ELEMENT)
            return _chain(near, [_structure(each) for each in parts])
        case _:
            raise NotExpressible(_NO_FORM)


def _checked(found: Structure, query: Query) -> Structure:
    """Return a condition if it is converted back to the same query; some cannot be requested by a client."""
    try:
        again = query_of(Rpn(z3950_registry.BIB_1, found))
    except RpnError as exc:
        raise NotExpressible(_NO_FORM) from exc
    if again != query:
        raise NotExpressible(_NO_FORM)
    return found


def _together(parts: Sequence[Query]) -> Structure:
    first, *rest = parts
    found = _structure(first)
    for part in rest:
        if isinstance(part, Not):
            found = Combination(Boolean.NOT, found, _structure(part.part))
        else:
            found = Combination(Boolean.AND, found, _structure(part))
    return found


def _chain(operator: Boolean | Proximity, parts: Sequence[Structure]) -> Structure:
    found, *rest = parts
    for part in rest:
        found = Combination(operator, found, part)
    return found


def _leaf(query: Word | Phrase | Range) -> Structure:
    use = () if query.field is None else (Attribute(AttributeType.USE, query.field),)
    if isinstance(query, Range):
        return _range(query, use)
    if query.boost != 1:
        raise NotExpressible(_NO_FORM)
    if isinstance(query, Word):
        return _word(query, use)
    if query.slop:
        if len(query.words) != 2:
            raise NotExpressible(_NO_FORM)
        left, right = (Term(word, use) for word in query.words)
        return Combination(Proximity(query.slop + 1), left, right)
    if query.field is not None and FIELDS[query.field].kind in _WHOLE_KINDS:
        raise NotExpressible(_NO_FORM)
    return Term(" ".join(query.words), use)


def _word(word: Word, use: tuple[Attribute, ...]) -> Term:
    is_whole = word.field is not None and FIELDS[word.field].kind in _WHOLE_KINDS
    if word.is_pattern:
        if not word.text.strip("*"):
            if word.field is None:
                raise NotExpressible(_NO_FORM)
            return Term("", (*use, Attribute(AttributeType.RELATION, _ALWAYS)))
        if "#" in word.text:
            raise NotExpressible(_NO_FORM)
        text = word.text.replace("?", "#").replace("*", "?")
        return Term(text, (*use, Attribute(AttributeType.TRUNCATION, _Z39_58)))
    if word.edits:
        if word.edits > 1 or is_whole or not word.text.isalnum():
            raise NotExpressible(_NO_FORM)
        return Term(word.text, (*use, Attribute(AttributeType.TRUNCATION, _REGEXP_2)))
    if is_whole:
        return Term(word.text, use)
    return Term(word.text, (*use, Attribute(AttributeType.RELATION, _STEM)))


def _range(query: Range, use: tuple[Attribute, ...]) -> Term:
    if query.low is not None and query.high is not None:
        is_value = query.low == query.high and query.is_low_inside and query.is_high_inside
        if not is_value or query.field not in WHOLE_FIELDS:
            raise NotExpressible(_NO_FORM)
        return Term(query.low, (*use, Attribute(AttributeType.COMPLETENESS, 3)))
    if query.low is not None:
        return Term(query.low, (*use, Attribute(AttributeType.RELATION, 4 if query.is_low_inside else 5)))
    if query.high is not None:
        return Term(query.high, (*use, Attribute(AttributeType.RELATION, 2 if query.is_high_inside else 1)))
    raise NotExpressible(_NO_FORM)
