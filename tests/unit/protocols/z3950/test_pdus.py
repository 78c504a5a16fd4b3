"""The messages: there and back, against octets of another implementation, and mutated."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given

from tests.thorough import IS_THOROUGH
from tests.unit.protocols.z3950.messages import EXAMPLES, search
from tests.unit.protocols.z3950.rpn_trees import rpns
from windrow.errors import RpnError
from windrow.protocols.z3950 import z3950_registry
from windrow.protocols.z3950.asn1 import Chosen, External
from windrow.protocols.z3950.ber import BerError, oid, parse, tlv
from windrow.protocols.z3950.charset_negotiation import negotiate
from windrow.protocols.z3950.pdus import (
    DefaultDiagnostic,
    InitRequest,
    NamePlusRecord,
    OtherItem,
    PresentResponse,
    SearchRequest,
    Segment,
    read_pdu,
    write_pdu,
)
from windrow.protocols.z3950.pqf import parse_pqf
from windrow.protocols.z3950.rpn import Rpn, from_pdu, to_pdu
from windrow.protocols.z3950.rpn_conversion import query_of

MUTATED = 200_000 if IS_THOROUGH else 3_000


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda message: type(message).__name__)
def test_a_message_is_read_back(message: Any) -> None:
    assert read_pdu(write_pdu(message)) == message


def test_records_and_diagnostics_are_read_back() -> None:
    diagnostic = DefaultDiagnostic(diagnostic_set_id=z3950_registry.DIAGNOSTICS, condition=14, addinfo="ö")
    records = (
        NamePlusRecord(
            name="Default", record=Chosen("retrievalRecord", External(z3950_registry.USMARC, octets=b"00024"))
        ),
        NamePlusRecord(name=None, record=Chosen("surrogateDiagnostic", Chosen("defaultFormat", diagnostic))),
    )
    response = PresentResponse(
        number_of_records_returned=2,
        next_result_set_position=3,
        present_status=0,
        records=Chosen("responseRecords", records),
    )
    segment = Segment(number_of_records_returned=2, segment_records=records)
    assert read_pdu(write_pdu(response)) == response
    assert read_pdu(write_pdu(segment)) == segment


@given(rpns())
def test_any_query_goes_through_a_message(rpn: Rpn) -> None:
    message = search("x")
    sent = SearchRequest(
        **{name: getattr(message, name) for name in message.__slots__ if name != "query"},  # type: ignore[attr-defined]
        query=Chosen("type-1", to_pdu(rpn, str.encode)),
    )
    got = read_pdu(write_pdu(sent))
    assert from_pdu(got.query.value, bytes.decode) == rpn


def test_unknown_elements_are_passed_over() -> None:
    message = bytearray(write_pdu(EXAMPLES[0]))
    extra = bytes.fromhex("9f8f7f03616263")  # a tag that no table has
    message[1] += len(extra)
    assert read_pdu(bytes(message + extra)) == EXAMPLES[0]


def test_a_message_without_a_needed_element_is_malformed() -> None:
    with pytest.raises(BerError, match="InitRequest lacks its protocol_version"):
        read_pdu(bytes.fromhex("b400"))
    with pytest.raises(BerError):
        read_pdu(bytes.fromhex("bf3d00"))  # no message at all


def test_the_first_character_set_that_can_be_taken_is_selected() -> None:
    iso2022 = bytes.fromhex("a1023000")
    utf_8 = tlv(b"\xa2", tlv(b"\x82", oid(z3950_registry.UTF_8)))
    proposal = tlv(b"\xa1", tlv(b"\xa1", iso2022 + utf_8) + b"\x83\x01\xff")
    found = negotiate((_proposed(proposal),))
    assert found is not None
    charset, answer = found
    assert charset == "utf-8"
    written = answer.information.value.written
    assert written == tlv(b"\xa2", tlv(b"\xa1", utf_8) + b"\x83\x01\xff")
    assert negotiate((_proposed(tlv(b"\xa1", tlv(b"\xa1", iso2022))),)) is None
    assert negotiate(()) is None


def _proposed(octets: bytes) -> OtherItem:
    return OtherItem(
        information=Chosen("externallyDefinedInfo", External(z3950_registry.NEGOTIATION, parse(octets)))
    )


def test_mutated_messages_are_read_or_refused(record_property: Any) -> None:
    chance = random.Random()
    seed = chance.randrange(1 << 30)
    record_property("seed", seed)
    chance.seed(seed)
    samples = [write_pdu(message) for message in EXAMPLES]
    for _ in range(MUTATED):
        octets = mutated(chance.choice(samples), chance)
        try:
            message = read_pdu(octets)
            if isinstance(message, SearchRequest) and message.query.name in ("type-1", "type-101"):
                query_of(from_pdu(message.query.value, lambda text: text.decode("latin-1")))
            elif isinstance(message, InitRequest):
                negotiate(message.other_info or ())
        except (BerError, RpnError):
            continue
        except Exception as exc:
            raise AssertionError(f"seed {seed}: {octets.hex()}") from exc


def mutated(octets: bytes, chance: random.Random) -> bytes:
    """Return a message with some of its octets changed, left out, doubled or moved."""
    made = bytearray(octets)
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(made)) if made else 0
        match chance.randrange(6):
            case 0 if made:
                made[place] = chance.randrange(256)
            case 1 if made:
                made[place] ^= 1 << chance.randrange(8)
            case 2:
                made.insert(place, chance.choice((0, 0x80, 0xFF, 0x30, chance.randrange(256))))
            case 3 if made:
                del made[place : place + chance.randint(1, 8)]
            case 4:
                made[place:place] = made[place : place + chance.randint(1, 40)] * chance.randint(1, 20)
            case _:
                made = made[: chance.randint(0, len(made))]
    return bytes(made)


def test_deep_queries_are_refused_not_recursed_into() -> None:
    deep = "@and " * 99 + "x " * 100
    assert str(query_of(parse_pqf(deep)))  # as many as one may send
    message = write_pdu(search(deep))
    assert read_pdu(message).query is not None
