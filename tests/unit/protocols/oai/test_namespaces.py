"""Declarations read off a start tag, and a payload made to stand alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.unit.protocols.oai.pages import OAI
from windrow.protocols.oai.payload_xml import make_standalone, parse_declarations, render_declarations

OUTER = b' xmlns="urn:default" xmlns:a="urn:a" xmlns:b="urn:b"'


def test_declarations_are_picked_out_of_attributes_in_one_form() -> None:
    attributes = f""" xmlns='{OAI}'\n xsi:schemaLocation="x xmlns:no='urn:no'" xmlns:xsi = "urn:xsi" """
    assert parse_declarations(attributes.encode()) == f' xmlns="{OAI}" xmlns:xsi="urn:xsi"'.encode()


def test_an_address_is_written_so_that_it_reads_the_same() -> None:
    rendered = render_declarations({"a": 'urn:"a"&<b>\t\n\'', "": "urn:é"})
    assert parse_declarations(rendered) == rendered
    assert etree.fromstring(b"<r" + render_declarations({"a": "urn:a&b"}) + b"/>").nsmap == {"a": "urn:a&b"}


@pytest.mark.parametrize(
    ("payload", "alone"),
    [
        (b"<x/>", b"<x" + OUTER + b"/>"),
        (b"<x>t</x>", b"<x" + OUTER + b">t</x>"),
        (b"<a:x b:y='1'/>", b"<a:x" + OUTER + b" b:y='1'/>"),
        (b'<x xmlns="urn:own"/>', b'<x xmlns:a="urn:a" xmlns:b="urn:b" xmlns="urn:own"/>'),
        (b"<x xmlns=''><y/></x>", b'<x xmlns:a="urn:a" xmlns:b="urn:b" xmlns=\'\'><y/></x>'),
        (b"<a:x xmlns:a = 'urn:own'/>", b'<a:x xmlns="urn:default" xmlns:b="urn:b" xmlns:a = \'urn:own\'/>'),
        (b"<x y='a > b' z=\"/>\"/>", b"<x" + OUTER + b" y='a > b' z=\"/>\"/>"),
        (b"<x y=\" xmlns:a='no' \"/>", b"<x" + OUTER + b" y=\" xmlns:a='no' \"/>"),
        (b"<x><x><x/></x></x>", b"<x" + OUTER + b"><x><x/></x></x>"),
        (b"<x ><y></y></x >", b"<x" + OUTER + b" ><y></y></x >"),
        (b"<!-- <c> --><x/>", b"<!-- <c> --><x" + OUTER + b"/>"),
        (b"<?pi <c> ?>\n<x></x><!-- </x> -->", b"<?pi <c> ?>\n<x" + OUTER + b"></x><!-- </x> -->"),
        (b"<x><![CDATA[</x><x>]]></x>", b"<x" + OUTER + b"><![CDATA[</x><x>]]></x>"),
    ],
)
def test_what_was_declared_around_a_payload_stands_on_its_root_unless_it_has_its_own(
    payload: bytes, alone: bytes
) -> None:
    assert make_standalone(payload, OUTER) == alone
    etree.fromstring(alone)


@pytest.mark.parametrize(
    "payload",
    [
        b"<x/><y/>",
        b"<x></x> <x></x>",
        b"<x><x/></x><x/>",
        b"text",
        b"",
        b"text <x/>",
        b"<x/> text",
        b"<!-- c -->",
    ],
)
def test_what_is_not_exactly_one_element_is_wrapped(payload: bytes) -> None:
    alone = make_standalone(payload, OUTER)
    assert alone == b"<metadata" + OUTER + b">" + payload + b"</metadata>"
    etree.fromstring(alone)


def test_a_payload_without_declarations_around_it_stays_as_it_is() -> None:
    assert make_standalone(b"<x xmlns='urn:x'/>", b"") == b"<x xmlns='urn:x'/>"


def test_what_does_not_parse_is_wrapped_and_no_worse_for_it() -> None:
    assert make_standalone(b"<x><y></x>", b"") == b"<metadata><x><y></x></metadata>"


PREFIXES = st.dictionaries(
    st.sampled_from(["", "a", "b", "c"]), st.sampled_from(["urn:1", "urn:2", "urn:3&4"])
)


@settings(deadline=None)
@given(outer=PREFIXES, own=PREFIXES, used=st.sampled_from(["a", "b", "c"]))
def test_names_mean_alone_what_they_meant_in_their_envelope(
    outer: dict[str, str], own: dict[str, str], used: str
) -> None:
    if used not in outer | own:
        outer = outer | {used: "urn:used"}
    payload = b"<%s:x%s><y/></%s:x>" % (used.encode(), render_declarations(own), used.encode())
    declarations = render_declarations(outer)
    (inside,) = etree.fromstring(b"<metadata" + declarations + b">" + payload + b"</metadata>")
    alone = etree.fromstring(make_standalone(payload, declarations))
    assert [element.tag for element in alone.iter()] == [element.tag for element in inside.iter()]
    assert alone.nsmap == inside.nsmap
