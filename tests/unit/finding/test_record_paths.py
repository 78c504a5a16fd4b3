"""The paths of many records at once are those that each has by itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.finding.addresses import record_path
from windrow.finding.record_paths import record_paths

PIECES = st.text(alphabet="ab/. %?#&'~:\nåd\udc00", max_size=12)


def whole(source: str, identifiers: list[str]) -> list[str]:
    start, paths = record_paths(source, identifiers)
    return [start + path for path in paths]


@given(st.lists(PIECES, max_size=5))
def test_many_paths_are_those_of_each_record(identifiers: list[str]) -> None:
    assert whole("hay", identifiers) == [record_path("hay", each) for each in identifiers]


@pytest.mark.parametrize("odd", ["a b", "/a", "a/", "a//b", "a/../b", "./a", "..", "a\nb", "ä", "a%2Fb"])
def test_one_odd_identifier_among_plain_ones_is_written_as_it_must_be(odd: str) -> None:
    identifiers = ["oai:hay.example:1", odd, "10024/2"]
    assert whole("hay", identifiers) == [record_path("hay", each) for each in identifiers]


def test_plain_identifiers_are_taken_as_they_are() -> None:
    identifiers = ["oai:hay.example:10024/1", "oai:hay.example:10024/2"]
    assert record_paths("hay", identifiers) == ("/record/hay/", identifiers)
