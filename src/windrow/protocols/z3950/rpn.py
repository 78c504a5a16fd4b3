"""RPN, the query of Z39.50 (types 1 and 101), as a tree of terms with their attributes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntEnum

from windrow.errors import RpnError
from windrow.protocols.z3950 import pdus
from windrow.protocols.z3950.asn1 import Chosen
from windrow.protocols.z3950.z3950_registry import Diagnostic

LONGEST_TERM = 1_000  # bytes
MOST_OPERATORS = 100


class AttributeType(IntEnum):
    """The types of attributes, in Bib-1 and the sets based on it."""

    USE = 1
    RELATION = 2
    POSITION = 3
    STRUCTURE = 4
    TRUNCATION = 5
    COMPLETENESS = 6


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of a term. Without a set of its own it belongs to the query's."""

    type: int
    value: int | str
    set: str | None = None


@dataclass(frozen=True, slots=True)
class Term:
    """A search term with its attributes."""

    text: str
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class ResultSet:
    """The records of an earlier query."""

    name: str


class Boolean(Enum):
    """A boolean operator."""

    AND = "and"
    OR = "or"
    NOT = "and-not"


class Relation(IntEnum):
    """How a distance is compared."""

    LESS = 1
    LESS_OR_EQUAL = 2
    EQUAL = 3
    GREATER_OR_EQUAL = 4
    GREATER = 5
    NOT_EQUAL = 6


class ProximityUnit(IntEnum):
    """The unit of a distance."""

    CHARACTER = 1
    WORD = 2
    SENTENCE = 3
    PARAGRAPH = 4
    SECTION = 5
    CHAPTER = 6
    DOCUMENT = 7
    ELEMENT = 8
    SUBELEMENT = 9
    ELEMENT_TYPE = 10
    BYTE = 11


@dataclass(frozen=True, slots=True)
class Proximity:
    """The proximity of two operands."""

    distance: int
    relation: int = Relation.LESS_OR_EQUAL
    unit: int = ProximityUnit.WORD
    is_ordered: bool = False
    is_exclusion: bool | None = None  # None: not specified, which is allowed
    is_private_unit: bool = False


@dataclass(frozen=True, slots=True)
class Combination:
    """Two operands and their operator."""

    operator: Boolean | Proximity
    left: Structure
    right: Structure


Structure = Term | ResultSet | Combination


@dataclass(frozen=True, slots=True)
class Rpn:
    """A whole query: its default attribute set, and its tree."""

    attribute_set: str
    root: Structure


def from_pdu(query: pdus.RpnQuery, decode: Callable[[bytes], str]) -> Rpn:
    """Convert the query of a message; `decode` decodes terms. Raise RpnError for unsupported elements."""
    return Rpn(query.attribute_set, _Reading(decode).structure(query.rpn))


def to_pdu(query: Rpn, encode: Callable[[str], bytes]) -> pdus.RpnQuery:
    return pdus.RpnQuery(attribute_set=query.attribute_set, rpn=_structure(query.root, encode))


class _Reading:
    """Converts one query, and counts its operators."""

    def __init__(self, decode: Callable[[bytes], str]) -> None:
        self._decode = decode
        self._operators = 0

    def structure(self, found: Chosen) -> Structure:
        if found.name == "op":
            return self._operand(found.value)
        self._operators += 1
        if self._operators > MOST_OPERATORS:
            raise RpnError(Diagnostic.TOO_MANY_OPERATORS, str(MOST_OPERATORS))
        inner: pdus.RpnRpnOp = found.value
        return Combination(_operator(inner.op), self.structure(inner.rpn1), self.structure(inner.rpn2))

    def _operand(self, found: Chosen) -> Structure:
        if found.name == "resultSet":
            return ResultSet(found.value)
        if found.name == "resultAttr":
            raise RpnError(Diagnostic.RESTRICTION)
        return term_of(found.value, self._decode)


def term_of(found: pdus.AttributesPlusTerm, decode: Callable[[bytes], str]) -> Term:
    return Term(_text(found.term, decode), attributes_of(found.attributes))


def attributes_of(found: tuple[pdus.AttributeElement, ...]) -> tuple[Attribute, ...]:
    """Return attributes; of several values in one, the first."""
    return tuple(
        Attribute(each.attribute_type, _value(each.attribute_value), each.attribute_set) for each in found
    )


def _value(found: Chosen) -> int | str:
    if found.name == "numeric":
        number: int = found.value
        return number
    listed: pdus.ComplexValue = found.value
    if not listed.values:
        raise RpnError(Diagnostic.MALFORMED_QUERY, "an attribute without a value")
    first: int | str = listed.values[0].value
    return first


def _text(found: Chosen, decode: Callable[[bytes], str]) -> str:
    value = found.value
    if found.name in ("general", "characterString"):
        if len(value) > LONGEST_TERM:
            raise RpnError(Diagnostic.TOO_MANY_ARGUMENT_WORDS, f"{LONGEST_TERM} bytes")
        return decode(value)
    if found.name in ("numeric", "oid", "dateTime"):
        return str(value)
    if found.name == "null":
        return ""
    raise RpnError(Diagnostic.TERM_TYPE, found.name)


def _operator(found: Chosen) -> Boolean | Proximity:
    if found.name != "prox":
        return Boolean(found.name)
    near: pdus.ProximityOperator = found.value
    return Proximity(
        near.distance,
        near.relation_type,
        near.unit_code.value,
        near.ordered,
        near.exclusion,
        near.unit_code.name == "private",
    )


def _structure(found: Structure, encode: Callable[[str], bytes]) -> Chosen:
    match found:
        case ResultSet(name):
            return Chosen("op", Chosen("resultSet", name))
        case Term():
            return Chosen("op", Chosen("attrTerm", term_pdu(found, encode)))
        case Combination(operator, left, right):
            both = pdus.RpnRpnOp(
                rpn1=_structure(left, encode), rpn2=_structure(right, encode), op=_operator_pdu(operator)
            )
            return Chosen("rpnRpnOp", both)


def term_pdu(term: Term, encode: Callable[[str], bytes]) -> pdus.AttributesPlusTerm:
    attributes = tuple(
        pdus.AttributeElement(
            attribute_set=each.set, attribute_type=each.type, attribute_value=_value_pdu(each.value)
        )
        for each in term.attributes
    )
    return pdus.AttributesPlusTerm(attributes=attributes, term=Chosen("general", encode(term.text)))


def _value_pdu(value: int | str) -> Chosen:
    if isinstance(value, int):
        return Chosen("numeric", value)
    return Chosen("complex", pdus.ComplexValue(values=(Chosen("string", value),), semantic_action=None))


def _operator_pdu(operator: Boolean | Proximity) -> Chosen:
    if isinstance(operator, Boolean):
        return Chosen(operator.value, None)
    unit = Chosen("private" if operator.is_private_unit else "known", operator.unit)
    near = pdus.ProximityOperator(
        exclusion=operator.is_exclusion,
        distance=operator.distance,
        ordered=operator.is_ordered,
        relation_type=operator.relation,
        unit_code=unit,
    )
    return Chosen("prox", near)
