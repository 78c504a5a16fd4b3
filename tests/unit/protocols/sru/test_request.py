"""Requests of SRU as they are read: versions, operations, numbers, facets, keys to sort by."""

from __future__ import annotations

import pytest

from windrow.model.query import Missing, SortKey
from windrow.protocols.cql.cql_indexes import Indexes
from windrow.protocols.sru.sru_diagnostics import SruError
from windrow.protocols.sru.sru_request import (
    Facet,
    Operation,
    operation_of,
    read_request,
    read_sort_keys,
    version_of,
)


@pytest.mark.parametrize(
    ("pairs", "operation", "version"),
    [
        ({}, Operation.EXPLAIN, "2.0"),
        ({"query": "a"}, Operation.SEARCH, "2.0"),
        ({"scanClause": "a"}, Operation.SCAN, "2.0"),
        ({"operation": "explain"}, Operation.EXPLAIN, "1.2"),
        ({"operation": "searchRetrieve", "query": "a", "version": "1.1"}, Operation.SEARCH, "1.1"),
        ({"query": "a", "version": "1.2"}, Operation.SEARCH, "1.2"),
    ],
)
def test_operation_and_version_are_told(pairs: dict[str, str], operation: Operation, version: str) -> None:
    found = read_request(list(pairs.items()))
    assert (found.operation, found.version) == (operation, version)


def test_a_request_that_cannot_be_read_still_has_a_version_to_answer_in() -> None:
    pairs = [("operation", "nosuch"), ("version", "1.7")]
    assert (operation_of(pairs), version_of(pairs)) == (Operation.EXPLAIN, "1.2")
    with pytest.raises(SruError) as raised:
        read_request(pairs)
    assert raised.value.diagnostic.number == 5


def test_facets_have_limits_and_starts_of_their_own() -> None:
    asked = [("query", "a"), ("facetLimit", "10,5:dc.title"), ("facetStart", "3,2:dc.title")]
    assert read_request(asked).facets == (Facet("", 10, 3), Facet("dc.title", 5, 2))


def test_keys_of_1_1_say_direction_case_and_what_is_done_without_a_value() -> None:
    keys = read_sort_keys('title,dc,0,1,lowValue date,,,,"1999" windrow.year', Indexes())
    assert keys == (
        SortKey("title", is_ascending=False, missing=Missing.LOW, respects_case=True),
        SortKey("date", missing="1999"),
        SortKey("year"),
    )
    with pytest.raises(SruError) as raised:
        read_sort_keys("a b c d e f", Indexes())
    assert raised.value.diagnostic.number == 84
