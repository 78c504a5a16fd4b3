"""BER, the encoding of ASN.1 values (X.690), to the extent that Z39.50 needs it.

`Framer` splits a stream into messages, `parse` converts one to a tree, and `tlv` writes elements. Lengths,
depth and number of elements are bounded, and malformed input raises `BerError`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

MOST_BYTES = 1 << 20  # of one message
MOST_ELEMENTS = 20_000  # of one message
DEEPEST = 120
LARGEST_TAG = 1 << 20
MOST_INTEGER_BYTES = 8
MOST_ARCS = 64  # of an object identifier

UNIVERSAL, APPLICATION, CONTEXT, PRIVATE = 0, 1 << 24, 2 << 24, 3 << 24  # classes of tags
_CONSTRUCTED = 0x20
_INDEFINITE = 0x80
_END_OF_CONTENTS = b"\x00\x00"
_SHORT_LENGTHS = [bytes((size,)) for size in range(_INDEFINITE)]
_LONG_LENGTHS = [bytes((_INDEFINITE | count,)) for count in range(MOST_INTEGER_BYTES + 1)]


class BerError(ValueError):
    """The bytes violate the encoding rules or the declaration of the message."""


class Node(NamedTuple):
    """An element: its tag with its class, and its content, which is bytes or further elements."""

    tag: int
    content: bytes | list[Node]


class _Header(NamedTuple):
    tag: int
    is_constructed: bool
    length: int | None  # None: ends with end-of-contents octets
    size: int  # of the header itself


def _header(data: bytes | bytearray, position: int, end: int) -> _Header | None:
    """Return the identifier and length octets at a position; None if they are incomplete."""
    if position + 2 > end:
        return None
    first = data[position]
    tag, place = first & 0x1F, position + 1
    if tag == 0x1F:
        tag = 0
        while True:
            if place >= end:
                return None
            octet = data[place]
            place += 1
            tag = tag << 7 | octet & 0x7F
            if tag > LARGEST_TAG:
                raise BerError("a tag is too large")
            if octet < 0x80:
                break
    if place >= end:
        return None
    length: int | None = data[place]
    place += 1
    if length == _INDEFINITE:
        length = None
        if not first & _CONSTRUCTED:
            raise BerError("a primitive element has no length")
    elif length is not None and length > _INDEFINITE:
        octets = length & 0x7F
        if place + octets > end:
            if octets > MOST_INTEGER_BYTES:
                raise BerError("a length is too large")
            return None
        length = int.from_bytes(data[place : place + octets], "big")
        place += octets
        if length > MOST_BYTES:
            raise BerError("an element is too long")
    return _Header((first & 0xC0) << 18 | tag, bool(first & _CONSTRUCTED), length, place - position)


class Framer:
    """Splits a stream of bytes into messages, each one complete element."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._buffer = bytearray()
        self._position = 0  # end of the part that has been scanned
        self._open = 0  # open elements of indefinite length

    @property
    def is_empty(self) -> bool:
        """Return whether no incomplete message is buffered."""
        return not self._buffer

    def feed(self, data: bytes) -> list[bytes]:
        """Return the messages that these bytes complete."""
        self._buffer += data
        found = []
        while (message := self._next()) is not None:
            found.append(message)
        return found

    def _next(self) -> bytes | None:
        while True:
            header = _header(self._buffer, self._position, len(self._buffer))
            if header is None:
                self._check_size(len(self._buffer))
                return None
            if header.tag == 0 and self._open:  # end of contents
                self._position += header.size
                self._open -= 1
            elif header.length is None:
                self._position += header.size
                self._open += 1
                if self._open > DEEPEST:
                    raise BerError("elements are nested too deeply")
            else:
                self._position += header.size + header.length
            self._check_size(self._position)
            if not self._open:
                break
        if self._position > len(self._buffer):
            # Scanned past the available bytes: the header is read again when more arrive.
            self._position -= header.size + (header.length or 0)
            return None
        message = bytes(self._buffer[: self._position])
        del self._buffer[: self._position]
        self._position = 0
        return message

    def _check_size(self, size: int) -> None:
        if size > self._most_bytes:
            raise BerError(f"a message has more than {self._most_bytes:,} bytes")


def parse(data: bytes) -> Node:
    """Parse bytes as one element with all elements in it."""
    outer: list[Node] = []
    children, end = outer, len(data)
    is_definite = True
    stack: list[tuple[list[Node], int, bool]] = []
    position = elements = 0
    while True:
        while is_definite and position == end:
            if not stack:
                if len(outer) != 1:
                    raise BerError("a message is not one element")
                return outer[0]
            children, end, is_definite = stack.pop()
        if position >= end:
            raise BerError("an element ends too early")
        # Fast path for short forms of tag and length, which are by far the most common.
        first = data[position]
        if first & 0x1F != 0x1F and position + 1 < end and data[position + 1] < _INDEFINITE:
            tag, is_constructed = (first & 0xC0) << 18 | first & 0x1F, bool(first & _CONSTRUCTED)
            length: int | None = data[position + 1]
            position += 2
        else:
            header = _header(data, position, end)
            if header is None:
                raise BerError("an element ends too early")
            tag, is_constructed, length, size = header
            position += size
        if tag == 0 and not is_definite:
            if length != 0:
                raise BerError("the end of contents has contents")
            children, end, is_definite = stack.pop()
            continue
        elements += 1
        if elements > MOST_ELEMENTS:
            raise BerError(f"a message has more than {MOST_ELEMENTS:,} elements")
        if length is not None and position + length > end:
            raise BerError("an element is longer than what it is in")
        if not is_constructed:
            assert length is not None
            children.append(Node(tag, data[position : position + length]))
            position += length
            continue
        inner: list[Node] = []
        children.append(Node(tag, inner))
        stack.append((children, end, is_definite))
        if len(stack) > DEEPEST:
            raise BerError("elements are nested too deeply")
        children, is_definite = inner, length is not None
        end = end if length is None else position + length


def identifier(tag: int, *, is_constructed: bool) -> bytes:
    first = tag >> 18 & 0xC0 | (_CONSTRUCTED if is_constructed else 0)
    number = tag & 0xFFFFFF
    if number < 0x1F:
        return bytes((first | number,))
    return bytes((first | 0x1F,)) + _base128(number)


def tlv(octets: bytes, content: bytes) -> bytes:
    size = len(content)
    if size < _INDEFINITE:
        return octets + _SHORT_LENGTHS[size] + content
    count = (size.bit_length() + 7) // 8
    return b"".join((octets, _LONG_LENGTHS[count], size.to_bytes(count, "big"), content))


def octets_in(content: bytes | list[Node], depth: int = 0) -> bytes:
    if isinstance(content, bytes):
        return content
    if depth > DEEPEST:
        raise BerError("elements are nested too deeply")
    return b"".join(octets_in(part.content, depth + 1) for part in content)


def integer_in(content: bytes | list[Node]) -> int:
    octets = primitive(content)
    if not 0 < len(octets) <= MOST_INTEGER_BYTES:
        raise BerError("a number has no octets, or too many")
    return int.from_bytes(octets, "big", signed=True)


def integer(value: int) -> bytes:
    return value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True)


def oid_in(content: bytes | list[Node]) -> str:
    return _dotted(primitive(content))


@lru_cache(maxsize=256)
def _dotted(octets: bytes) -> str:
    arcs: list[int] = []
    value = 0
    for octet in octets:
        value = value << 7 | octet & 0x7F
        if value > 1 << 64:
            raise BerError("an arc of an object identifier is too large")
        if octet < 0x80:
            arcs.append(value)
            value = 0
    if not arcs or octets[-1] >= 0x80 or len(arcs) > MOST_ARCS:
        raise BerError("an object identifier is malformed")
    first = min(arcs[0] // 40, 2)
    return ".".join(map(str, (first, arcs[0] - 40 * first, *arcs[1:])))


@lru_cache(maxsize=256)
def oid(value: str) -> bytes:
    first, second, *rest = map(int, value.split("."))
    return b"".join(map(_base128, (40 * first + second, *rest)))


def primitive(content: bytes | list[Node]) -> bytes:
    if not isinstance(content, bytes):
        raise BerError("an element has elements in it that it cannot have")
    return content


def elements_in(content: bytes | list[Node]) -> list[Node]:
    if isinstance(content, bytes):
        raise BerError("an element lacks the elements that it must have")
    return content


def _base128(value: int) -> bytes:
    octets = [value & 0x7F]
    while value := value >> 7:
        octets.append(value & 0x7F | 0x80)
    return bytes(reversed(octets))
