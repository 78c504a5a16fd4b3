"""Namespace names that are no URIs: allowed in XML, refused by lxml, read all the same."""

from __future__ import annotations

import pytest
from lxml import etree

from windrow.errors import BadXml
from windrow.formats.registry import parse_payload, read

DC = (
    b'<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'
    b' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Rye</dc:title><x/></oai_dc:dc>'
)


@pytest.mark.parametrize(
    "name", ["http://x.example/a http://x.example/a.xsd", "{id}", "http://x.example/\u00e9"]
)
def test_a_namespace_name_that_is_no_uri_costs_no_document(name: str) -> None:
    document = read(DC, f' xmlns:q="{name}"'.encode(), "oai_dc")
    assert document.title == "Rye"


def test_what_is_not_well_formed_is_still_refused() -> None:
    with pytest.raises(etree.XMLSyntaxError):
        parse_payload(b"<a><b></a>", b"")
    with pytest.raises(BadXml):
        read(b"<a><b></a>", b"", "notes")
