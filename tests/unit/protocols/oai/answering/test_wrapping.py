"""Payloads go out and come back: the same bytes, with the same names in scope."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.thorough import tries
from tests.unit.protocols.oai.answering.answers import entry, harvest
from tests.unit.protocols.oai.pages import OAI
from windrow.model.record import Record
from windrow.protocols.oai.payload_xml import (
    ROOT_DECLARATIONS,
    ROOT_SCOPE,
    metadata_tags,
    namespace_scope,
    render_declarations,
)

PAYLOAD = b'<a:x xmlns:a="urn:a"><b:y xmlns:b="urn:b"/></a:x>'


def hop(payload: bytes, declarations: bytes) -> Record:
    (record,) = harvest(entry(payload, declarations))
    return record


def names(payload: bytes, declarations: bytes) -> list[str]:
    """The names of all elements and attributes, as a parser sees them in this scope."""
    root = etree.fromstring(b"<top" + declarations + b">" + payload + b"</top>")
    elements = [element for child in root for element in child.iter("*")]
    return [str(name) for element in elements for name in (element.tag, *element.attrib)]


def test_what_our_root_declares_already_is_not_declared_again() -> None:
    assert metadata_tags(PAYLOAD, ROOT_DECLARATIONS) == (b"<metadata>", b"</metadata>")
    backwards = render_declarations(dict(reversed(list(ROOT_SCOPE.items()))))
    assert metadata_tags(PAYLOAD, backwards) == (b"<metadata>", b"</metadata>")


def test_what_our_root_does_not_declare_stands_on_the_start_tag() -> None:
    declared = render_declarations({**ROOT_SCOPE, "dc": "urn:dc&more", "xsi": "urn:other"})
    start, end = metadata_tags(b"<dc:x/>", declared)
    assert start == b'<metadata xmlns:xsi="urn:other" xmlns:dc="urn:dc&amp;more">'
    assert end == b"</metadata>"


def test_another_default_namespace_leaves_metadata_in_its_own() -> None:
    start, end = metadata_tags(b"<x/>", b' xmlns="urn:d"')
    assert start == f'<oai:metadata xmlns:oai="{OAI}" xmlns="urn:d">'.encode()
    assert end == b"</oai:metadata>"


def test_a_prefix_that_means_oai_already_is_used() -> None:
    declared = render_declarations({"": "urn:d", "o": OAI})
    assert metadata_tags(b"<x/>", declared)[1] == b"</o:metadata>"


def test_a_prefix_that_means_something_else_is_left_alone() -> None:
    declared = render_declarations({"": "urn:d", "oai": "urn:1", "oai1": "urn:2"})
    start, end = metadata_tags(b"<oai:x/>", declared)
    assert end == b"</oai2:metadata>"
    assert names(b"<oai:x/>", declared) == ["{urn:1}x"]
    assert namespace_scope(hop(b"<oai:x/>", declared).declarations)["oai"] == "urn:1"
    assert start.startswith(b"<oai2:metadata")


@pytest.mark.parametrize(
    ("payload", "is_plain"),
    [
        (PAYLOAD, True),
        (b'<x xmlns="urn:x"><y/></x>', True),
        (b"<x a=\"1 > 0\" xmlns:b='urn:b' xmlns = 'urn:x'><y/></x>", True),
        (b"<x/>", False),
        (b"<x><y xmlns='urn:y'/></x>", False),
        (b"<x a=' xmlns=\"urn:no\"'></x>", False),
        (b'<a:x xmlns:a="urn:a"><y/></a:x>', False),
        (b'<x xmlns="urn:x"></x><x></x>', False),
        (b'<x xmlns="urn:x"></x><y/>', False),
        (b'<!-- --><x xmlns="urn:x"></x>', False),
    ],
)
def test_where_no_default_was_declared_none_comes_over_what_would_take_it(
    payload: bytes, is_plain: bool
) -> None:
    for declarations in (b"", b' xmlns:dc="urn:dc"'):
        start, _ = metadata_tags(payload, declarations)
        assert start.startswith(b"<metadata") is is_plain
        record = hop(payload, declarations)
        assert record.payload == payload
        assert names(payload, record.declarations) == names(payload, declarations)


def test_declarations_that_are_none_are_an_error_and_never_markup() -> None:
    for text in (b"><evil/", b"/><evil", b' xmlns:a="', b" & ", b' xmlns:a="" '):
        with pytest.raises(ValueError, match="no namespace declarations"):
            metadata_tags(PAYLOAD, text)


def test_long_payloads_are_judged_in_one_pass() -> None:
    size = 2_000_000  # by the square of this, the test would never end
    for payload in (
        b"<" * size,
        b"<a" * size,
        b"<x " + b"a='' " * size,
        b"<x" + b" " * size,
        b"<x a=" + b"'" * size,
    ):
        metadata_tags(payload, b"")


_PREFIX = st.sampled_from(["", "a", "b", "oai", "oai1", "xsi", "dc", "é"])
_ADDRESS = st.sampled_from(["urn:1", "urn:2&3", "urn:4'5", OAI, ROOT_SCOPE["xsi"]])
_SCOPES = st.dictionaries(_PREFIX, _ADDRESS, max_size=5).flatmap(
    lambda scope: st.sampled_from([scope, {**scope, "": ""}, {**scope, **ROOT_SCOPE}])
)


@st.composite
def payloads(draw: st.DrawFn, scope: dict[str, str], depth: int = 0) -> str:
    prefixes = [prefix for prefix in scope if prefix]
    own = draw(st.sampled_from(["", "", ' xmlns="urn:own"', " xmlns=''", " xmlns:own='urn:own'"]))
    if own.startswith(" xmlns:"):
        prefixes.append("own")
    prefix = draw(st.sampled_from(["", *prefixes]))
    name = f"{prefix}:x" if prefix else draw(st.sampled_from(["x", "y", "xx"]))
    attribute = draw(st.sampled_from(["", " k='>'", *(f" {each}:k=''" for each in prefixes)]))
    inside = "".join(draw(st.lists(payloads(scope, depth + 1), max_size=2))) if depth < 2 else "&lt;é"
    return f"<{name}{own}{attribute}>{inside}</{name}>" if inside else f"<{name}{own}{attribute}/>"


@settings(deadline=None, max_examples=tries(300))
@given(st.data())
def test_payloads_come_back_to_the_byte_and_declarations_grow_at_the_first_hop_only(
    data: st.DataObject,
) -> None:
    scope = data.draw(_SCOPES)
    payload = data.draw(payloads(scope)).encode()
    declarations = render_declarations(scope)
    first = hop(payload, declarations)
    second = hop(payload, first.declarations)
    assert first.payload == second.payload == payload
    assert names(payload, first.declarations) == names(payload, declarations)
    assert namespace_scope(first.declarations).items() >= {key: scope[key] for key in scope if key}.items()
    assert namespace_scope(second.declarations) == namespace_scope(first.declarations)
    if scope.items() >= ROOT_SCOPE.items():
        assert namespace_scope(first.declarations) == scope
