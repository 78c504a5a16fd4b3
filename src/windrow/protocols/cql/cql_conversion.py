"""Conversion of CQL to the `Query` tree and its sort keys, and of `Query` back to CQL.

What cannot be expressed raises a `SruError` whose details name the part. Conditions on one event are joined
by `prox/unit=event`: `period = 2002p1 prox/unit=event place = Oslo`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from windrow.errors import NotExpressible
from windrow.model.query import (
    EVENT_FIELDS,
    FIELDS,
    MOST_EDITS,
    MOST_KEYS,
    SORTABLE,
    And,
    AtLeast,
    Everything,
    FieldKind,
    Missing,
    Not,
    Or,
    Phrase,
    Query,
    Range,
    SameEvent,
    SortKey,
    Value,
    Word,
    all_of,
    any_of,
    max_slop,
    spelled_out,
)
from windrow.protocols.cql.cql_indexes import ALL_RECORDS, OWN, RESULT_SET, Index, Indexes
from windrow.protocols.cql.cql_syntax import (
    Boolean,
    Clause,
    CqlQuery,
    Modifier,
    Node,
    Prefixed,
    Relation,
    SortSpec,
    Term,
    escape_term,
    read_term,
)
from windrow.protocols.sru.sru_diagnostics import SruError

EVENT_LANGUAGE = "event_language"  # a field of events whose name in a query is also that of another field
# Fields of words whose values are also indexed whole.
WHOLE_FIELDS = (
    *("title", "creator", "subject", "keyword", "publisher", "journal", "type", "institution", "department"),
    *("holding", "access", "licence", "place", "period", "intensity", "kind", "time"),
)
ORDERS = {"<": (None, False), "<=": (None, True), ">": (False, None), ">=": (True, None)}
_RELATIONS = {"scr": "=", "eq": "==", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_KNOWN = ("=", "==", "exact", "any", "all", "adj", "within", "<>", *ORDERS)
# Modifiers of relations without effect: they describe the normal comparison.
_IDLE = ("relevant", "ignorecase", "ignoreaccents", "masked", "word", "partial", "locale")
_ACTIVE = (
    "stem",
    "fuzzy",
    "respectcase",
    "respectaccents",
    "unmasked",
    "regexp",
    "string",
    "isodate",
    "number",
    "uri",
)
_OPPOSED = (
    ("ignorecase", "respectcase"),
    ("ignoreaccents", "respectaccents"),
    ("masked", "unmasked"),
    ("masked", "regexp"),
    ("unmasked", "regexp"),
    ("word", "string"),
    ("fuzzy", "regexp"),
    ("isodate", "number"),
)
_EDITS, _BOOST, _SLOP, _EXCLUSIVE = "edits", "boost", "slop", "exclusive"  # our own
_NUMBER = re.compile(r"-?[0-9]{1,15}", re.ASCII)
_YEAR = re.compile(r"[0-9]{4}/[0-9]{2}", re.ASCII)
_DAY = re.compile(r"[0-9]{1,4}(?:-[0-9]{1,2}(?:-[0-9]{1,2})?)?|[0-9]{8}", re.ASCII)
_LONG_WORD = 5  # letters from which a fuzzy word may differ in two


def to_query(cql: CqlQuery, indexes: Indexes | None = None) -> Query:
    return _Converter(indexes or Indexes()).convert(cql.root, {})


def to_sort(cql: CqlQuery, indexes: Indexes | None = None) -> tuple[SortKey, ...]:
    prefixes: dict[str, str] = {}
    node = cql.root
    while isinstance(node, Prefixed):  # an assignment before the whole query applies to its keys, too
        prefixes[node.prefix.lower()] = node.uri
        node = node.query
    if len(cql.sort) > MOST_KEYS:
        raise SruError(84, f"at most {MOST_KEYS} keys")
    return tuple(_sort_key(spec, indexes or Indexes(), prefixes) for spec in cql.sort)


class _Converter:
    def __init__(self, indexes: Indexes) -> None:
        self._indexes = indexes

    def convert(self, node: Node, prefixes: Mapping[str, str], *, is_event: bool = False) -> Query:
        """Return the query of a node; inside `prox/unit=event`, a condition on one event."""
        match node:
            case Prefixed(prefix, uri, inner):
                return self.convert(inner, {**prefixes, prefix.lower(): uri}, is_event=is_event)
            case Clause():
                return self._clause(node, prefixes, is_event=is_event)
            case Boolean("prox"):
                return self._prox(node, prefixes, is_event=is_event)
            case Boolean(name, left, right, modifiers):
                if modifiers:
                    raise SruError(46, f"{name}{modifiers[0]}")
                one = self.convert(left, prefixes, is_event=is_event)
                other = self.convert(right, prefixes, is_event=is_event)
                if name == "or":
                    return any_of((one, other))
                return all_of((one, Not(other) if name == "not" else other))

    def _clause(self, clause: Clause, prefixes: Mapping[str, str], *, is_event: bool) -> Query:
        index = self._indexes.find(clause.index or "cql.serverChoice", prefixes)
        if index.label == f"cql.{ALL_RECORDS}":
            return Everything()
        if index.label == f"cql.{RESULT_SET}":
            raise SruError(50, clause.term)
        reading = _Reading(clause, index, _relation(clause, prefixes), _modifiers(clause))
        if index.fields == (EVENT_LANGUAGE,):
            found = reading.query(("language",))
            return found if is_event else SameEvent(found)
        return reading.query(index.fields or (None,))

    def _prox(self, node: Boolean, prefixes: Mapping[str, str], *, is_event: bool) -> Query:
        said = _Proximity(node)
        if said.unit == "event":
            return self._same_event(node, prefixes, is_event=is_event)
        if said.unit != "word":
            raise SruError(42, said.unit)
        one, field = self._near(node.left, prefixes)
        other, other_field = self._near(node.right, prefixes)
        if field != other_field:
            raise SruError(18, f"{field or 'anywhere'} and {other_field or 'anywhere'} beside prox")
        if said.distance - 1 > max_slop(field):
            raise SruError(41, f"at most {max_slop(field) + 1} words in {field or 'any field'}")
        if said.distance == 1:
            ordered = Phrase(one + other, field)
            return ordered if said.is_ordered else any_of((ordered, Phrase(other + one, field)))
        if said.is_ordered:
            raise SruError(43, "ordered, with a distance above 1")
        if len(one) > 1 or len(other) > 1:
            raise SruError(44, "several words in one operand, with a distance above 1")
        return Phrase(one + other, field, said.distance - 1)

    def _same_event(self, node: Boolean, prefixes: Mapping[str, str], *, is_event: bool) -> Query:
        parts: list[Query] = []
        for side in (node.left, node.right):
            found = self.convert(side, prefixes, is_event=True)
            parts.append(found.part if isinstance(found, SameEvent) else found)
        together = all_of(parts)
        for field in _fields_in(together):
            if field not in (None, "language", *EVENT_FIELDS):
                raise SruError(18, f"{field} is no part of an event")
        return together if is_event else SameEvent(together)

    def _near(self, node: Node, prefixes: Mapping[str, str]) -> tuple[tuple[str, ...], str | None]:
        if not isinstance(node, Clause):
            raise SruError(39, "prox between words takes two terms")
        found = self._clause(node, prefixes, is_event=False)
        match found:
            case Word(text, field, False, 0) if field is None or FIELDS[field].kind is FieldKind.WORDS:
                return (text,), field
            case Phrase(words, field, 0):
                return words, field
            case Word(is_pattern=True):
                raise SruError(33, node.term)
        raise SruError(39, str(node))


class _Proximity:
    def __init__(self, node: Boolean) -> None:
        self.unit = "word"
        self.is_ordered = False
        distance: Modifier | None = None
        seen: set[str] = set()
        for modifier in node.modifiers:
            name = modifier.name.lower().rpartition(".")[2]
            kind = "order" if name in ("ordered", "unordered") else name
            if kind in seen:
                raise SruError(44, str(modifier))
            seen.add(kind)
            if name == "unit" and modifier.symbol == "=":
                self.unit = modifier.value.lower().rpartition(".")[2]
            elif name == "distance" and modifier.symbol:
                distance = modifier
            elif kind == "order":
                self.is_ordered = name == "ordered"
            else:
                raise SruError(46, f"prox{modifier}")
        if self.unit == "event" and (self.is_ordered or (distance is not None and distance.value != "0")):
            raise SruError(44, "one event has neither distance nor order")
        self.distance = 1 if distance is None or self.unit == "event" else _distance(distance)


def _distance(modifier: Modifier) -> int:
    value = modifier.value
    if not (value.isascii() and value.isdecimal()) or len(value) > 6:
        raise SruError(41, value)
    distance = int(value) - (modifier.symbol == "<")
    if modifier.symbol not in ("<", "<=") and not (modifier.symbol in ("=", "==") and distance == 1):
        raise SruError(40, f"distance{modifier.symbol}{value}")
    if distance < 1:
        raise SruError(41, f"distance{modifier.symbol}{value}")
    return distance


def _relation(clause: Clause, prefixes: Mapping[str, str]) -> str:
    prefix, dot, name = clause.relation.name.rpartition(".")
    if dot and prefix.lower() not in ("cql", "rel", "srw") and prefix.lower() not in prefixes:
        raise SruError(15, prefix)
    found = name.lower()
    return _RELATIONS.get(found, found)


@dataclass(frozen=True, slots=True)
class _Modifiers:
    """The modifiers of a relation, by their names in lower case."""

    names: frozenset[str]
    edits: int = 0  # 0: depends on the length of the word
    boost: float = 1.0
    slop: int = 0
    exclusive: str = ""  # low, high, both: exclusive ends of `within`


def _modifiers(clause: Clause) -> _Modifiers:
    names: set[str] = set()
    found = _Modifiers(frozenset())
    for modifier in clause.relation.modifiers:
        prefix, _, name = modifier.name.lower().rpartition(".")
        if prefix == OWN:
            found = _own(found, modifier, name)
        elif name in _IDLE or name in _ACTIVE:
            names.add(name)
        else:
            raise SruError(20, modifier.name)
    for one, other in _OPPOSED:
        if one in names and other in names:
            raise SruError(21, f"{one} and {other}")
    return replace(found, names=frozenset(names))


def _own(found: _Modifiers, modifier: Modifier, name: str) -> _Modifiers:
    value = modifier.value
    try:
        if name == _EDITS and 1 <= int(value) <= MOST_EDITS:
            return replace(found, edits=int(value))
        if name == _SLOP and 1 <= int(value) <= max_slop(None):
            return replace(found, slop=int(value))
        if name == _BOOST and 0.001 <= float(value) <= 1000:
            return replace(found, boost=float(value))
    except ValueError:
        pass
    if name == _EXCLUSIVE and value in ("low", "high", "both"):
        return replace(found, exclusive=value)
    raise SruError(20, str(modifier).removeprefix("/"))


class _Reading:
    """The conversion of one clause."""

    def __init__(self, clause: Clause, index: Index, relation: str, modifiers: _Modifiers) -> None:
        if relation not in _KNOWN:
            number = 22 if relation == "encloses" else 19
            raise SruError(number, clause.relation.name if number == 19 else f"{relation} and {index.label}")
        self._clause = clause
        self._index = index
        self._relation = (
            "==" if relation == "exact" or (relation == "=" and "string" in modifiers.names) else relation
        )
        self._modifiers = modifiers
        self._term = self._read_term()

    def query(self, fields: Iterable[str | None]) -> Query:
        ways = [self._in_field(field) for field in fields]
        found = any_of(ways)
        return Not(found) if self._relation == "<>" else found

    def _read_term(self) -> Term:
        names, text = self._modifiers.names, self._clause.term
        if "regexp" in names:
            return read_term(_masked(text))
        is_masking = "unmasked" not in names and not {"isodate", "number", "uri"} & names
        term = read_term(text, is_masking=is_masking)
        if "number" in names and not _NUMBER.fullmatch(term.text.strip()):
            raise SruError(36, f"{text} is no number")
        if "isodate" in names and not _DAY.fullmatch(term.text.strip()):
            raise SruError(36, f"{text} is no date")
        return term

    def _in_field(self, field: str | None) -> Query:
        term, relation = self._term, self._relation
        if term.is_first or term.is_last:
            if not (term.is_first and term.is_last and relation in ("=", "==", "adj")):
                raise SruError(31, self._clause.term)
            return self._whole(replace(term, is_first=False, is_last=False), field)
        self._check_modifiers(field)
        if relation in ORDERS or relation == "within":
            return self._range(term, field)
        if relation == "==":
            return self._whole(term, field)
        self._check_format(term.text, field)
        if relation in ("any", "all"):
            words = [self._word(word, field) for word in term.words()]
            return any_of(words) if relation == "any" else all_of(words)
        return self._adjacent(term, field)

    def _check_modifiers(self, field: str | None) -> None:
        names = self._modifiers.names
        if "stem" in names and field is not None and not FIELDS[field].is_stemmed:
            raise SruError(20, f"stem and {self._index.label}")
        if "stem" in names and self._relation in ("=", "adj") and len(self._term.words()) > 1:
            raise SruError(21, "stem for words side by side; any and all take it")
        for each in ("respectcase", "respectaccents"):
            if each in names and (self._relation not in ("==", "<>") or field == "title"):
                raise SruError(20, f"{each} and {self._relation} {self._index.label}")

    def _check_format(self, text: str, field: str | None) -> None:
        if field is None or self._term.is_masked:
            return
        kind, words = FIELDS[field].kind, text.split() if self._relation in ("any", "all") else [text.strip()]
        if kind is FieldKind.NUMBER:
            is_good: Callable[[str], object] = lambda word: _NUMBER.fullmatch(word) or _YEAR.fullmatch(word)  # noqa: E731
        elif kind is FieldKind.DATE:
            is_good = _DAY.fullmatch
        else:
            return
        for word in words:
            if not is_good(word):
                raise SruError(36, f"{word} in {self._index.label}")

    def _adjacent(self, term: Term, field: str | None) -> Query:
        """Return the words in sequence, or a single word; in a field that is compared whole, its value."""
        words = term.words()
        is_whole = field is not None and FIELDS[field].kind is not FieldKind.WORDS
        if is_whole or term.is_masked or "fuzzy" in self._modifiers.names or self._modifiers.edits:
            return self._word(replace(term, text=" ".join(each.text for each in words)), field)
        if len(words) == 1 and self._relation != "adj":
            return self._word(words[0], field)
        return Phrase(tuple(each.text for each in words), field, self._modifiers.slop, self._modifiers.boost)

    def _word(self, term: Term, field: str | None) -> Query:
        edits = self._modifiers.edits
        if "fuzzy" in self._modifiers.names and not edits:
            edits = 2 if len(term.text) > _LONG_WORD else 1
        if edits and term.is_masked:
            raise SruError(28, f"{term.text} and fuzzy")
        return Word(term.text, field, term.is_masked, edits, self._modifiers.boost)

    def _whole(self, term: Term, field: str | None) -> Query:
        text = " ".join(term.text.split())
        if field is None or (FIELDS[field].kind is FieldKind.WORDS and field not in WHOLE_FIELDS):
            raise SruError(22, f"{self._clause.relation.name} and {self._index.label}")
        self._check_format(text, field)
        if {"respectcase", "respectaccents"} & self._modifiers.names:
            if term.is_masked:
                raise SruError(28, term.text)
            return Value(text, field)
        if FIELDS[field].kind is not FieldKind.WORDS:
            return self._word(replace(term, text=text), field)
        if not term.is_masked:
            return Range(field, text, text)
        start = text[:-1]
        if "*" in start or "?" in text or not start:
            raise SruError(49, f"{term.text}: only the end of a whole value can be masked")
        following = start[:-1] + chr(min(ord(start[-1].lower()) + 1, 0x10FFFF))
        return Range(field, start, following, is_high_inside=False)

    def _range(self, term: Term, field: str | None) -> Query:
        if field is None or (FIELDS[field].kind is FieldKind.WORDS and field not in WHOLE_FIELDS):
            raise SruError(22, f"{self._relation} and {self._index.label}")
        if term.is_masked:
            raise SruError(28, f"{term.text} and {self._relation}")
        if self._relation == "within":
            bounds = term.text.split()
            if len(bounds) != 2:
                raise SruError(36, "within takes two values with a space between")
            low, high = bounds
            for bound in bounds:
                self._check_format(bound, field)
            outside = self._modifiers.exclusive
            return Range(field, low, high, outside not in ("low", "both"), outside not in ("high", "both"))
        self._check_format(term.text, field)
        low_inside, high_inside = ORDERS[self._relation]
        text = " ".join(term.text.split())
        if low_inside is None:
            return Range(field, None, text, is_high_inside=bool(high_inside))
        return Range(field, text, None, is_low_inside=low_inside)


def _masked(expression: str) -> str:
    """Return a regular expression as a masked term if it is equivalent to one."""
    found: list[str] = []
    place, text = 0, expression.removeprefix("^").removesuffix("$")
    while place < len(text):
        letter = text[place]
        following = text[place + 1 : place + 2]
        if letter == "\\" and following and not following.isalnum():
            found.append(f"\\{following}" if following in '*?^"\\' else following)
            place += 2
        elif letter == "." and following in ("*", "+"):
            found.append("*" if following == "*" else "?*")
            place += 2
        elif letter == ".":
            found.append("?")
            place += 1
        elif letter in "\\[](){}|+*?^$":
            raise SruError(20, f"regexp: of {expression} only letters, . .* and .+ are understood")
        else:
            found.append(letter)
            place += 1
    return "".join(found)


def _fields_in(query: Query) -> Iterable[str | None]:
    match query:
        case And(parts) | Or(parts) | AtLeast(_, parts):
            for part in parts:
                yield from _fields_in(part)
        case Not(part) | SameEvent(part):
            yield from _fields_in(part)
        case Everything():
            return
        case _:
            yield query.field


_MISSING = {
    "missinghigh": Missing.HIGH,
    "missinglow": Missing.LOW,
    "missingomit": Missing.OMIT,
    "missingfail": Missing.FAIL,
}


def _sort_key(spec: SortSpec, indexes: Indexes, prefixes: Mapping[str, str]) -> SortKey:
    index = indexes.find(spec.index, prefixes)
    field = sort_field(index)
    if field is None:
        raise SruError(82, spec.index)
    key = SortKey(field)
    for modifier in spec.modifiers:
        name = modifier.name.lower().rpartition(".")[2]
        if name in ("ascending", "descending"):
            key = replace(key, is_ascending=name == "ascending")
        elif name in ("ignorecase", "respectcase"):
            key = replace(key, respects_case=name == "respectcase")
        elif name in _MISSING:
            key = replace(key, missing=_MISSING[name])
        elif name == "missingvalue" and modifier.symbol == "=":
            key = replace(key, missing=modifier.value)
        elif name not in ("ignoreaccents", "unicodecollate", "locale"):
            raise SruError(92 if name.startswith("missing") else 82, f"{spec.index}{modifier}")
    return key


def sort_field(index: Index) -> str | None:
    if index.set == "rec" and index.name.lower() in ("creationdate", "lastmodificationdate"):
        return "added"
    return next((field for field in index.fields if field in SORTABLE), None)


# `Query` as CQL, which is parsed back to the same query. Conditions for which CQL has no equivalent use
# modifiers of our own (`windrow.edits`, `windrow.slop`, `windrow.boost`, `windrow.exclusive`). The few
# queries that cannot be expressed at all raise `NotExpressible`.

ALL = Clause("1", "cql.allRecords")
_EVENT = (Modifier("unit", "=", "event"),)


def render_cql(query: Query) -> str:
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
