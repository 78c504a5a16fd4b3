"""Identifiers as people paste them find their record, however either of the two is written."""

from __future__ import annotations

import pytest

from tests.unit.search.catalogue import Catalogue
from windrow.search.request import read_request

IDENTIFIERS = {
    "doi": "https://doi.org/10.1000/S0140-6736(20)30183-5",
    "isbn": "ISBN 978-951-39-1234-5",
    "urn": "http://urn.fi/URN:NBN:fi:hay-2014052710203",
    "hdl": "http://hdl.handle.net/10138/12345",
}
ASKED = [
    ("doi", '"10.1000/S0140-6736(20)30183-5"'),
    ("doi", "10.1000/S0140-6736(20)30183-5"),
    ("doi", "doi.org/10.1000/S0140-6736(20)30183-5"),
    ("doi", '"https://doi.org/10.1000/S0140-6736(20)30183-5"'),
    ("isbn", '"978-951-39-1234-5"'),
    ("isbn", "ISBN 978-951-39-1234-5"),
    ("urn", '"URN:NBN:fi:hay-2014052710203"'),
    ("urn", "urn.fi/URN:NBN:fi:hay-2014052710203"),
    ("hdl", '"10138/12345"'),
    ("hdl", "hdl.handle.net/10138/12345"),
]


@pytest.mark.parametrize(("wanted", "text"), ASKED, ids=[text for _, text in ASKED])
def test_an_identifier_finds_its_record(catalogue: Catalogue, wanted: str, text: str) -> None:
    for name, identifier in IDENTIFIERS.items():
        catalogue.add(f"oai:hay:{name}", title="Hay", identifier=identifier)
    found = catalogue.index().search(read_request([("q", text)]).query, limit=9)
    assert [hit.card.identifier for hit in found.hits] == [f"oai:hay:{wanted}"]
