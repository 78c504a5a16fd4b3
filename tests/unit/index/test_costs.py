"""What a query is estimated to cost, before it is asked."""

from __future__ import annotations

import pytest

from tests.contracts.index.back_ends import Shelf
from tests.contracts.index.hay import entry
from windrow.errors import QueryTooCostly
from windrow.index.tantivy.query_costs import (
    LARGEST_MEASURED,
    PUBLIC,
    CostBudget,
    TermStatistics,
    TermStatisticsCache,
)
from windrow.index.tantivy.searching import TantivyIndex
from windrow.model.document import Agent, Document, Text
from windrow.protocols.query.query_parser import parse_query

RECORDS = 300


@pytest.fixture(scope="module")
def index() -> TantivyIndex:
    shelf = Shelf()
    shelf.put(
        entry(
            number,
            Document(
                titles=(Text(f"Hay and straw{number} of the barn"),),
                creators=(Agent(f"Mower{number}, Ann"),),
                descriptions=(Text(f"the meadow{number} and the oats{number % 7}"),),
            ),
        )
        for number in range(RECORDS)
    )
    return shelf.index()


def cost(index: TantivyIndex, text: str) -> float:
    return sum(each.amount for each in index._estimator.costs(parse_query(text).query))


@pytest.mark.parametrize(
    ("cheaper", "dearer"),
    [
        ("hay", "hay barn"),
        ("meadow100", "hay"),
        ("meadow10*", "meadow*"),
        ("straw1*", "*traw*"),
        ("title:*traw*", "*traw*"),
        ("*traw*", "*traw* OR *eado*"),
        ("*traw*", "*traw*-*eado*"),
        ('"the barn"', '"the the"~100'),
        ("title:[a TO b]", "title:[a TO z]"),
        ("oats1~", "oats1-meadow1~"),
        ("year:2010", "year:20*"),
        ("hay", "-(hay OR barn OR the)"),
        ("creator:ann", "keyword:*nn*"),
        ("hay", "event:(a b c)"),
    ],
)
def test_more_work_is_estimated_to_cost_more(index: TantivyIndex, cheaper: str, dearer: str) -> None:
    assert cost(index, cheaper) < cost(index, dearer)


def test_a_query_over_the_budget_is_refused_by_everything_that_takes_one(index: TantivyIndex) -> None:
    query = parse_query("*traw* OR *eado*").query
    index.budget = CostBudget(100, 100)
    try:
        for ask in (
            lambda: index.search(query),
            lambda: index.count(query),
            lambda: index.tally(query, []),
            lambda: index.values("creator", query=query),
            lambda: index.initials("creator", query=query),
            lambda: index.complete("mo", query=query),
        ):
            with pytest.raises(QueryTooCostly) as caught:
                ask()
            assert caught.value.reason == "patterns"
            assert "fewer" in caught.value.hint
    finally:
        index.budget = PUBLIC
    assert index.count(query) == RECORDS


def test_one_pattern_may_cost_more_than_several_together(index: TantivyIndex) -> None:
    one = cost(index, "*traw*")
    index.budget = CostBudget(one * 0.9, one * 1.1)
    try:
        assert index.count(parse_query("*traw*").query) == RECORDS
        assert index.count(parse_query("*traw* hay").query) == RECORDS
        with pytest.raises(QueryTooCostly):
            index.count(parse_query("*traw* OR *ado*").query)
    finally:
        index.budget = PUBLIC


def test_a_dictionary_is_measured_again_only_when_the_library_has_grown(index: TantivyIndex) -> None:
    vocabularies = TermStatisticsCache()
    first = vocabularies.find(index._searcher, "core")
    assert vocabularies.find(index._searcher, "core") is first
    assert RECORDS < first.size < LARGEST_MEASURED
    vocabularies._known["core"] = RECORDS // 2, TermStatistics(1.0)
    assert vocabularies.find(index._searcher, "core") == first
