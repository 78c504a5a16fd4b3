"""Declarative ASN.1 types: a message is a dataclass whose fields have their tags, as in the standard.

    @sequence
    class SearchRequest:
        result_set_name: str = field(17, STRING)
        query: Chosen = field(21, explicit(QUERY))

`read` converts an element to such a value and raises `BerError` if it does not match; `write` is its inverse.
Elements that a class does not declare are ignored, as the standard requires.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar, cast, dataclass_transform

from windrow.protocols.z3950.ber import (
    CONTEXT,
    UNIVERSAL,
    BerError,
    Node,
    elements_in,
    identifier,
    integer,
    integer_in,
    octets_in,
    oid,
    oid_in,
    parse,
    primitive,
    tlv,
)

T = TypeVar("T")
Content = bytes | list[Node]
_SEQUENCE = UNIVERSAL | 16
_TABLE = "__asn1__"


class Chosen(NamedTuple):
    """The chosen alternative of a CHOICE, and its value."""

    name: str
    value: Any


class Type(ABC):
    """A type: the possible tags of its elements, and their conversion."""

    tags: frozenset[int]

    @abstractmethod
    def read(self, node: Node) -> Any:
        """Return the value of an element that has one of the type's tags."""

    @abstractmethod
    def write(self, value: Any) -> bytes:
        """Return the value as an element."""


class Tagged(Type):
    """A type with one tag, which an implicit tag can replace."""

    def __init__(
        self,
        tag: int,
        read: Callable[[Content], Any],
        write: Callable[[Any], bytes],
        *,
        is_constructed: bool = False,
        others: Iterable[int] = (),
    ) -> None:
        self.tag = tag
        self.tags = frozenset((tag, *others))
        self.is_constructed = is_constructed
        self.content_read = read
        self.content_write = write
        self._octets = identifier(tag, is_constructed=is_constructed)

    def read(self, node: Node) -> Any:
        return self.content_read(node.content)

    def write(self, value: Any) -> bytes:
        return tlv(self._octets, self.content_write(value))


def implicit(number: int, type_: Tagged, *, kind: int = CONTEXT) -> Tagged:
    """Return the type with another tag: `[number] IMPLICIT`."""
    return Tagged(kind | number, type_.content_read, type_.content_write, is_constructed=type_.is_constructed)


def explicit(number: int, type_: Type, *, kind: int = CONTEXT) -> Tagged:
    """Return the type inside an element with this tag: `[number]`."""

    def read(content: Content) -> Any:
        nodes = elements_in(content)
        if len(nodes) != 1 or nodes[0].tag not in type_.tags:
            raise BerError(f"element [{number}] has not what it must have in it")
        return type_.read(nodes[0])

    return Tagged(kind | number, read, type_.write, is_constructed=True)


class Choice(Type):
    """One of several types, distinguished by tag."""

    def __init__(self, alternatives: Mapping[str, Type]) -> None:
        self._types = dict(alternatives)
        self._fill()

    def _fill(self) -> None:
        self._by_tag = {tag: (name, type_) for name, type_ in self._types.items() for tag in type_.tags}
        self.tags = frozenset(self._by_tag)

    def define(self, alternatives: Mapping[str, Type]) -> None:
        """Set the alternatives of a recursive choice."""
        self._types.update(alternatives)
        self._fill()

    def read(self, node: Node) -> Chosen:
        found = self._by_tag.get(node.tag)
        if found is None:
            raise BerError("an element is none of the alternatives that it can be")
        return Chosen(found[0], found[1].read(node))

    def write(self, value: Chosen) -> bytes:
        return self._types[value.name].write(value.value)


def sequence_of(type_: Type) -> Tagged:
    """Return SEQUENCE OF a type, whose values are tuples."""

    def read(content: Content) -> tuple[Any, ...]:
        found = []
        for node in elements_in(content):
            if node.tag not in type_.tags:
                raise BerError("a list has an element that it cannot have")
            found.append(type_.read(node))
        return tuple(found)

    def write(values: Sequence[Any]) -> bytes:
        return b"".join(map(type_.write, values))

    return Tagged(_SEQUENCE, read, write, is_constructed=True)


def field(tag: int, type_: Tagged) -> Any:
    """Return a mandatory field: `[tag] IMPLICIT`, unless the type has a tag of its own."""
    return dataclasses.field(metadata={_TABLE: (implicit(tag, type_), False)})


def optional(tag: int, type_: Tagged, *, default: None) -> Any:
    """Return an optional field: `[tag] IMPLICIT … OPTIONAL`. Type checkers need the default."""
    return dataclasses.field(default=default, metadata={_TABLE: (implicit(tag, type_), True)})


def own(type_: Type) -> Any:
    """Return a mandatory field under the tag of its type."""
    return dataclasses.field(metadata={_TABLE: (type_, False)})


def own_optional(type_: Type, *, default: None) -> Any:
    """Return an optional field under the tag of its type."""
    return dataclasses.field(default=default, metadata={_TABLE: (type_, True)})


@dataclass_transform(
    kw_only_default=True, frozen_default=True, field_specifiers=(field, optional, own, own_optional)
)
def sequence(made: type[T]) -> type[T]:
    """Make a class a frozen dataclass that `type_of` converts to a SEQUENCE of its fields."""
    return dataclass(frozen=True, slots=True, kw_only=True)(made)


class _Column(NamedTuple):
    name: str
    type_: Type
    tags: frozenset[int]
    read: Callable[[Node], Any]
    write: Callable[[Any], bytes]
    is_optional: bool


def type_of(made: type[Any]) -> Tagged:
    columns = []
    for each in dataclasses.fields(cast("Any", made)):
        type_, is_optional = each.metadata[_TABLE]
        columns.append(_Column(each.name, type_, type_.tags, type_.read, type_.write, is_optional))
    needed = [column.name for column in columns if not column.is_optional]

    def read(content: Content) -> Any:
        values: dict[str, Any] = {}
        place = 0
        for node in elements_in(content):
            for at in range(place, len(columns)):
                column = columns[at]
                if node.tag in column.tags:
                    values[column.name] = column.read(node)
                    place = at + 1
                    break
        for name in needed:
            if name not in values:
                raise BerError(f"{made.__name__} lacks its {name}")
        return made(**values)

    def write(value: Any) -> bytes:
        parts = []
        for column in columns:
            held = getattr(value, column.name)
            if held is not None:
                parts.append(column.write(held))
        return b"".join(parts)

    return Tagged(_SEQUENCE, read, write, is_constructed=True)


def _boolean_in(content: Content) -> bool:
    octets = primitive(content)
    if len(octets) != 1:
        raise BerError("a truth value has not one octet")
    return octets != b"\0"


def _text_in(content: Content) -> str:
    """Decode text as UTF-8 or, for clients older than that rule, as ISO 8859-1."""
    octets = octets_in(content)
    try:
        return octets.decode()
    except UnicodeDecodeError:
        return octets.decode("latin-1")


def _bits_in(content: Content) -> frozenset[int]:
    octets = primitive(content)
    if not octets or octets[0] > 7 or len(octets) > 32:
        raise BerError("a string of bits is malformed")
    return frozenset(
        place * 8 + bit for place, octet in enumerate(octets[1:]) for bit in range(8) if octet & (0x80 >> bit)
    )


def _bits(values: Iterable[int]) -> bytes:
    octets = bytearray(max(values, default=0) // 8 + 1)
    for value in values:
        octets[value // 8] |= 0x80 >> value % 8
    return b"\0" + bytes(octets)


_STRINGS = tuple(UNIVERSAL | tag for tag in (12, 22, 25, 26, 27))  # UTF8, IA5, Graphic, Visible, General

BOOLEAN = Tagged(UNIVERSAL | 1, _boolean_in, lambda value: b"\xff" if value else b"\0")
INTEGER = Tagged(UNIVERSAL | 2, integer_in, integer)
BITS = Tagged(UNIVERSAL | 3, _bits_in, _bits)  # the numbers of the set bits
OCTETS = Tagged(UNIVERSAL | 4, octets_in, bytes)
NULL = Tagged(UNIVERSAL | 5, lambda _content: None, lambda _value: b"")
OID = Tagged(UNIVERSAL | 6, oid_in, oid)
VISIBLE = Tagged(UNIVERSAL | 26, _text_in, str.encode, others=_STRINGS)  # VisibleString
STRING = Tagged(UNIVERSAL | 27, _text_in, str.encode, others=_STRINGS)  # InternationalString
TEXT = Tagged(UNIVERSAL | 27, octets_in, bytes, others=_STRINGS)  # a string in the session's character set
TIME = Tagged(UNIVERSAL | 24, _text_in, str.encode)  # GeneralizedTime


class _Any(Type):
    """An element without conversion."""

    tags = frozenset[int]()

    def read(self, node: Node) -> Node:
        return node

    def write(self, value: Node) -> bytes:
        return write_node(value)


ANY = _Any()


def write_node(node: Node) -> bytes:
    is_constructed = not isinstance(node.content, bytes)
    content = node.content if isinstance(node.content, bytes) else b"".join(map(write_node, node.content))
    return tlv(identifier(node.tag, is_constructed=is_constructed), content)


class External(NamedTuple):
    """A value whose type an object identifier names: as an element, or as octets."""

    oid: str | None
    element: Node | None = None
    octets: bytes | None = None
    written: bytes | None = None  # an element to be sent


_EXTERNAL_ELEMENT = CONTEXT | 0
_EXTERNAL_OCTETS = CONTEXT | 1
_ELEMENT_OCTETS = identifier(_EXTERNAL_ELEMENT, is_constructed=True)
_ALIGNED_OCTETS = identifier(_EXTERNAL_OCTETS, is_constructed=False)


def _external_in(content: Content) -> External:
    name: str | None = None
    for node in elements_in(content):
        if node.tag == OID.tag:
            name = oid_in(node.content)
        elif node.tag == _EXTERNAL_ELEMENT:
            inner = elements_in(node.content)
            if len(inner) != 1:
                raise BerError("an external value is not one element")
            return External(name, inner[0])
        elif node.tag == _EXTERNAL_OCTETS:
            return External(name, octets=octets_in(node.content))
    return External(name)


def _external(value: External) -> bytes:
    head = OID.write(value.oid) if value.oid else b""
    if value.octets is not None:
        return head + tlv(_ALIGNED_OCTETS, value.octets)
    element = value.written if value.element is None else write_node(value.element)
    return head + tlv(_ELEMENT_OCTETS, element or b"")


EXTERNAL = Tagged(UNIVERSAL | 8, _external_in, _external, is_constructed=True)


def read(type_: Type, data: bytes) -> Any:
    """Decode bytes as a value of a type; raise BerError if they are not one."""
    node = parse(data)
    if node.tag not in type_.tags:
        raise BerError("the element is not of the type that it must be of")
    return type_.read(node)
