"""The address behind a lasting name."""

from __future__ import annotations

import pytest

from windrow.finding.resolvers import lasting, resolver
from windrow.model.document import Name


@pytest.mark.parametrize(
    ("name", "address"),
    [
        (Name("doi", "10.5555/x"), "https://doi.org/10.5555/x"),
        (Name("doi", "10.5555/a<b>#c?d e"), "https://doi.org/10.5555/a%3Cb%3E%23c%3Fd%20e"),
        (Name("hdl", "1/2"), "https://hdl.handle.net/1/2"),
        (Name("urn", "URN:NBN:fi-fe2012"), "https://urn.fi/URN:NBN:fi-fe2012"),
        (Name("urn", "urn:isbn:123"), ""),
        (Name("isbn", "123"), ""),
        (Name("doi", ""), ""),
        (Name("doi", "10.5555/" + "x" * 2000), ""),
    ],
)
def test_a_name_is_looked_up_where_somebody_knows_it(name: Name, address: str) -> None:
    assert resolver(name) == address


def test_the_most_lasting_name_counts_and_of_its_kind_the_first() -> None:
    names = [Name("isbn", "1"), Name("hdl", "1/2"), Name("doi", "10.1/a"), Name("doi", "10.1/b")]
    assert lasting(names) == "https://doi.org/10.1/a"
    assert lasting(names[:2]) == "https://hdl.handle.net/1/2"
    assert lasting(names[:1]) == ""
