"""The address behind a lasting name."""

from __future__ import annotations

import pytest

from windrow.model.document import Identifier
from windrow.search.record_addresses import lasting_address, resolver_address


@pytest.mark.parametrize(
    ("name", "address"),
    [
        (Identifier("doi", "10.5555/x"), "https://doi.org/10.5555/x"),
        (Identifier("doi", "10.5555/a<b>#c?d e"), "https://doi.org/10.5555/a%3Cb%3E%23c%3Fd%20e"),
        (Identifier("hdl", "1/2"), "https://hdl.handle.net/1/2"),
        (Identifier("urn", "URN:NBN:fi-fe2012"), "https://urn.fi/URN:NBN:fi-fe2012"),
        (Identifier("urn", "urn:isbn:123"), ""),
        (Identifier("isbn", "123"), ""),
        (Identifier("doi", ""), ""),
        (Identifier("doi", "10.5555/" + "x" * 2000), ""),
    ],
)
def test_a_name_is_looked_up_where_somebody_knows_it(name: Identifier, address: str) -> None:
    assert resolver_address(name) == address


def test_the_most_lasting_name_counts_and_of_its_kind_the_first() -> None:
    names = [
        Identifier("isbn", "1"),
        Identifier("hdl", "1/2"),
        Identifier("doi", "10.1/a"),
        Identifier("doi", "10.1/b"),
    ]
    assert lasting_address(names) == "https://doi.org/10.1/a"
    assert lasting_address(names[:2]) == "https://hdl.handle.net/1/2"
    assert lasting_address(names[:1]) == ""
