"""The schema and the namespace of a format, by its prefix or by a payload."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.formats.known_formats import MOST_BYTES, FormatFacts, describe_payload, known_format

XSI = b'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
NOTHING = FormatFacts("", "")


@pytest.mark.parametrize(
    "prefix", ["oai_dc", "marc21", "mods", "mets", "oai_didl", "datacite", "arXiv", "lido"]
)
def test_a_usual_prefix_is_known(prefix: str) -> None:
    facts = known_format(prefix)
    assert facts is not None
    assert facts.schema.startswith("http")
    assert facts.namespace


def test_oai_dc_is_what_the_protocol_says() -> None:
    assert known_format("oai_dc") == FormatFacts(
        "http://www.openarchives.org/OAI/2.0/oai_dc.xsd", "http://www.openarchives.org/OAI/2.0/oai_dc/"
    )


def test_an_unusual_prefix_is_not_known() -> None:
    assert known_format("hay") is None


def test_a_payload_says_its_namespace_and_where_the_schema_lies() -> None:
    payload = (
        b'<h:hay xmlns:h="urn:hay" %b xsi:schemaLocation="urn:a http://a/ urn:hay http://hay/x.xsd"/>' % XSI
    )
    assert describe_payload(payload, b"") == FormatFacts("http://hay/x.xsd", "urn:hay")


def test_declarations_from_around_the_payload_count() -> None:
    declarations = b' xmlns="urn:hay" %b' % XSI
    payload = b'<hay xsi:schemaLocation="urn:hay http://hay/x.xsd"><straw/></hay>'
    assert describe_payload(payload, declarations) == FormatFacts("http://hay/x.xsd", "urn:hay")


def test_a_namespace_that_is_known_has_its_usual_schema_where_the_payload_names_none() -> None:
    facts = describe_payload(b'<mods xmlns="http://www.loc.gov/mods/v3"/>', b"")
    assert facts == known_format("mods")


def test_a_schema_without_a_namespace_is_told() -> None:
    payload = b'<hay %b xsi:noNamespaceSchemaLocation=" http://hay/x.xsd "/>' % XSI
    assert describe_payload(payload, b"") == FormatFacts("http://hay/x.xsd", "")


def test_a_schema_beside_the_payload_is_not_named() -> None:
    payload = b'<hay xmlns="urn:hay" %b xsi:schemaLocation="urn:hay hay.xsd"/>' % XSI
    assert describe_payload(payload, b"") == FormatFacts("", "urn:hay")


def test_a_schema_for_another_namespace_does_not_count() -> None:
    payload = b'<hay xmlns="urn:hay" %b xsi:schemaLocation="urn:a http://a/x.xsd urn:hay"/>' % XSI
    assert describe_payload(payload, b"") == FormatFacts("", "urn:hay")


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"words only",
        b"<hay",
        b"<a:hay/>",
        b"<!DOCTYPE hay [<!ENTITY a 'b'>]><hay/>",
        b"</w><w>",
        b"\xff<hay/>",
        b"<!-- " + b"x" * MOST_BYTES + b" --><hay xmlns='urn:hay'/>",
    ],
)
def test_what_has_no_readable_root_says_nothing(payload: bytes) -> None:
    assert describe_payload(payload, b"") == NOTHING


@pytest.mark.parametrize("namespace", [b"urn:a b", b"x" * 3000, b"&#10;"])
def test_a_namespace_that_is_no_address_is_not_repeated(namespace: bytes) -> None:
    assert describe_payload(b'<hay xmlns="%b"/>' % namespace, b"").namespace == ""


def test_the_rest_of_the_payload_is_not_looked_at() -> None:
    assert describe_payload(b'<hay xmlns="urn:hay"><a></b>&nothing;', b"").namespace == "urn:hay"


@given(payload=st.binary(max_size=200), declarations=st.binary(max_size=50))
def test_no_bytes_make_it_fail(payload: bytes, declarations: bytes) -> None:
    facts = describe_payload(payload, declarations)
    assert facts.schema.isprintable()
    assert facts.namespace.isprintable()
