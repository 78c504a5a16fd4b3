"""What may leave, and what would spoil a page."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thorough import tries
from tests.unit.protocols.oai.answering.answers import entry, harvest
from windrow.protocols.oai.payload_xml import ROOT_DECLARATIONS, is_clean_xml
from windrow.protocols.oai.well_formedness import find_flaw

DIRTY = [bytes((number,)) for number in range(32) if number not in b"\t\n\r"]
DIRTY += [
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xc0\x80",
    b"\xef\xbf\xbe",
    b"\xef\xbf\xbf",
    b"\xf4\x90\x80\x80",
]


@pytest.mark.parametrize("dirt", DIRTY)
def test_bytes_that_xml_cannot_carry_are_not_clean(dirt: bytes) -> None:
    for payload in (b"<x>%b</x>" % dirt, b"<x>\xc3\xa4%b</x>" % dirt):
        assert not is_clean_xml(payload)
        assert find_flaw(payload) is not None


@pytest.mark.parametrize("text", ["", "<x/>", "\t\r\n", "\x7f\x85", "ä€𐐷", "\ufffd", "\U0001fffe", "\ue000"])
def test_everything_else_is_clean(text: str) -> None:
    assert is_clean_xml(text.encode())
    assert find_flaw(b"<x><![CDATA[%b]]></x>" % text.encode()) is None


@settings(deadline=None, max_examples=tries(300))
@given(st.binary(max_size=20).filter(lambda data: b"]]>" not in data))
def test_clean_is_what_a_parser_takes_as_text(data: bytes) -> None:
    assert is_clean_xml(data) == (find_flaw(b"<x><![CDATA[%b]]></x>" % data) is None)


@pytest.mark.parametrize(
    "payload",
    [
        b"<x/>",
        b"<dc:x/>",
        b"<x/><y/>",
        b"<x><![CDATA[</x>]]></x>",
        b"<!-- c --><x>&amp;&#233;</x>",
        b"<one/>",
    ],
)
def test_content_of_any_shape_comes_back_as_it_left(payload: bytes) -> None:
    (record,) = harvest(entry(payload, ROOT_DECLARATIONS + b' xmlns:dc="urn:dc"'))
    assert record.payload == payload
