"""The encoding: lengths in all forms, and malformed bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.protocols.z3950 import ber
from windrow.protocols.z3950.ber import BerError, Framer, Node, integer, integer_in, oid, oid_in, parse


@given(st.integers(-(1 << 60), 1 << 60))
def test_a_number_is_read_back(value: int) -> None:
    assert integer_in(integer(value)) == value


@pytest.mark.parametrize("value", ["1.2.840.10003.3.1", "2.999.3", "0.39", "1.0.10646.1.0.8"])
def test_an_object_identifier_is_read_back(value: str) -> None:
    assert oid_in(oid(value)) == value


def test_known_octets() -> None:
    assert oid("1.2.840.10003.5.10") == bytes.fromhex("2a8648ce13050a")
    assert parse(bytes.fromhex("30030201ff")) == Node(16, [Node(2, b"\xff")])
    assert integer_in(b"\xff") == -1


def test_an_indefinite_length_is_the_same_as_a_definite_one() -> None:
    assert parse(bytes.fromhex("3080020105a080020106000000 00".replace(" ", ""))) == parse(
        bytes.fromhex("3008020105a003020106")
    )


def test_a_segmented_string_is_one() -> None:
    node = parse(bytes.fromhex("2480 0402 6162 0401 63 0000".replace(" ", "")))
    assert ber.octets_in(node.content) == b"abc"


@pytest.mark.parametrize(
    "octets",
    [
        "",  # nothing
        "30",  # no length
        "3003",  # too little in it
        "30030201",
        "020100020100",  # two elements
        "0280",  # a primitive element of indefinite length
        "3080020105",  # no end of contents
        "30800000" + "00",
        "1fffffffffff7f01",  # a tag that is too large
        "0489ffffffffffffffffff",  # a length of nine octets
        "048500ffffffff",
        "300302020a",  # longer than what it is in
        "30800001000000",  # an end of contents with contents
    ],
)
def test_malformed_octets_are_one_error(octets: str) -> None:
    with pytest.raises(BerError):
        parse(bytes.fromhex(octets))


def test_depth_and_number_of_elements_are_bounded() -> None:
    with pytest.raises(BerError, match="deep"):
        parse(b"\x30\x80" * 5000 + b"\x00\x00" * 5000)
    many = b"\x05\x00" * (ber.MOST_ELEMENTS + 1)
    with pytest.raises(BerError, match="elements"):
        parse(b"\x30\x83" + len(many).to_bytes(3, "big") + many)


@pytest.mark.parametrize("content", [b"", b"\x00" * 9])
def test_a_number_has_some_octets_and_not_too_many(content: bytes) -> None:
    with pytest.raises(BerError):
        integer_in(content)


@given(st.lists(st.binary(max_size=300), max_size=5), st.integers(1, 50))
def test_a_stream_is_cut_wherever_its_pieces_end(bodies: list[bytes], size: int) -> None:
    octets = ber.identifier(4, is_constructed=False)
    messages = [ber.tlv(octets, body) for body in bodies]
    messages.append(bytes.fromhex("3080020105a080020106000000 00".replace(" ", "")))
    stream, framer, found = b"".join(messages), Framer(), []
    for place in range(0, len(stream), size):
        found += framer.feed(stream[place : place + size])
    assert found == messages
    assert framer.is_empty


@pytest.mark.parametrize(
    "octets", [b"\x04\x82\x10\x00", b"\x30\x80" + b"\x04\x82\x04\x00" + b"x" * 1024, b"\x30\x80" * 500]
)
def test_a_message_that_is_too_long_is_refused_early(octets: bytes) -> None:
    with pytest.raises(BerError):
        Framer(1000).feed(octets)
