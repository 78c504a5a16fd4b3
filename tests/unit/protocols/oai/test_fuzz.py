"""Whatever bytes come, parsing ends, and ends in a page or in an error of ours."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixtures import Place, own_and_shared
from tests.thorough import tries
from tests.unit.protocols.oai.generated import pages
from tests.unit.protocols.oai.pages import NAMESPACES, page, record
from windrow.errors import BadXml, NotOai, OaiError
from windrow.protocols.oai.page_parser import parse_page, peek_token
from windrow.protocols.oai.repository_info import faults_in, parse_formats, parse_identity, parse_sets

HAPPENINGS = b"""
    < > & ]]> <![CDATA[ <!-- --> <? ?> <!DOCTYPE x [ <!ENTITY </OAI-PMH> <OAI-PMH> <record> </record> x:y
    <metadata </metadata> <header &#0; &a; " ' xmlns='' encoding='idna' <resumptionToken>
""".split()
HAPPENINGS += [b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc3", b"<!ENTITY a 'b'>"]


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    body = draw(pages())
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, len(body)))
        length = draw(st.sampled_from([0, 0, 1, 1, 5, 60]))
        inserted = draw(st.one_of(st.sampled_from(HAPPENINGS), st.binary(max_size=3)))
        body = body[:place] + inserted + body[place + length :]
    return body


def swallow(body: bytes) -> None:
    for parse in (parse_page, parse_identity, parse_formats, parse_sets):
        with contextlib.suppress(BadXml, NotOai, OaiError):
            parse(body)
    peek_token(body)
    faults_in(body)


@settings(deadline=None, max_examples=tries(250))
@given(mutated())
def test_a_page_changed_at_random_gives_a_page_or_our_error(body: bytes) -> None:
    swallow(body)


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_random_bytes_give_our_error(body: bytes) -> None:
    swallow(body)


@own_and_shared
def test_attack_payloads_inside_a_record_give_a_page_or_our_error(place: Place) -> None:
    for path in sorted(place("oai-hostile").rglob("*")):
        if path.is_file():
            for line in path.read_bytes().splitlines()[:300]:
                swallow(page(record("a", "<x>PAYLOAD</x>"), record("b")).replace(b"PAYLOAD", line))


SIZE = 400_000
LONG = {
    "open comments": b"<!--" * (SIZE // 4),
    "open CDATA sections": b"<![CDATA[" * (SIZE // 9),
    "ampersands": b"&" * SIZE,
    "an entity's name": b"&" + b"a" * SIZE,
    "a reference's digits": b"&#" + b"1" * SIZE + b";",
    "stray signs": b"< " * (SIZE // 2),
    "bad bytes": b"\xe4" * SIZE,
    "control characters": b"\x01" * SIZE,
    "white space": b" " * SIZE + b"&",
    "tokens": b"<resumptionToken>" * (SIZE // 17) + b"&",
    "record starts": b"<record><header>" * (SIZE // 16),
    "colons": b"<a" + b":" * SIZE + b"/>",
    "undeclared prefix": b"<" + b"p" * SIZE + b":x/>",
    "a long tag": b"<p:x " + b"a='1' " * (SIZE // 6) + b"/>",
    "roots": b"</OAI-PMH><OAI-PMH>" * (SIZE // 19),
    "depth": b"<x>" * (SIZE // 3),
    "an attribute": b"<x a='" + b"y" * SIZE + b"' b=1/>",
    "metadata": b"<metadata/>" * (SIZE // 11) + b"&",
    "abouts": b"<about/>" * (SIZE // 8),
}


@pytest.mark.parametrize("name", LONG)
def test_long_hostile_stretches_are_worked_through_in_time_that_grows_with_their_length(name: str) -> None:
    """At this length anything quadratic runs for hours: ending at all is what is asked here."""
    for body in (page(record("a", "<x>LONG</x>")), page() + b"LONG", b"LONG" + page(), b"LONG"):
        with contextlib.suppress(BadXml, NotOai):
            parse_page(body.replace(b"LONG", LONG[name]))


def test_thousands_of_broken_records_are_told_apart() -> None:
    found = parse_page(page(*[record(str(number), f"<x {NAMESPACES}>") for number in range(3000)]))
    assert len(found.rejects) == 3000
