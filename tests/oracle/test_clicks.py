"""What was counted is what a click finds, and no query loses or doubles a document."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.oracle.entries import sample_entries
from tests.oracle.memory_index import MemoryIndex
from tests.thorough import tries
from tests.unit.model.queries import queries
from windrow.index.protocol import TALLIED, FacetRequest, Order
from windrow.model.query import EVENT_FIELDS, FIELDS, Everything, Not, Query, SameEvent, Value, all_of
from windrow.protocols.query.query_parser import parse_query

ENTRIES = sample_entries(120)
INDEX = MemoryIndex(ENTRIES)
CLICKABLE = [field for field in TALLIED if field in FIELDS and field != "set"]
QUERIES = ["*", "hay", "metsät -autot", "year:2010..2020 type:thesis", 'event:(place="Haytown" language:sv)']


@pytest.mark.parametrize("text", QUERIES)
@pytest.mark.parametrize("field", CLICKABLE)
def test_a_click_on_a_count_finds_as_many_as_were_counted(text: str, field: str) -> None:
    query = parse_query(text).query
    (counts,) = INDEX.tally(query, [FacetRequest(field, limit=1000)])
    assert counts.others == 0
    found = {one.value: INDEX.count(all_of([query, Value(one.value, field)])) for one in counts.values}
    assert found == {one.value: one.count for one in counts.values}


def test_a_click_on_a_set_finds_those_below_it_too() -> None:
    (counts,) = INDEX.tally(Everything(), [FacetRequest("set")])
    below = {one.value: one.count for one in counts.values}
    assert below["theses"] < INDEX.count(Value("theses", "set")) < sum(below.values())


@settings(deadline=None, max_examples=tries(40), suppress_health_check=[HealthCheck.too_slow])
@given(query=queries())
def test_a_query_and_its_opposite_share_all_documents_between_them(query: Query) -> None:
    assert INDEX.count(query) + INDEX.count(Not(query)) == len(ENTRIES)


@pytest.mark.parametrize("order", list(Order))
def test_pages_of_any_size_give_every_document_once(order: Order) -> None:
    seen: list[int] = []
    page = INDEX.search(Everything(), limit=7, order=order)
    while True:
        seen += [hit.card.number for hit in page.hits]
        if page.next is None:
            break
        page = INDEX.search(Everything(), limit=7, order=order, after=page.next)
    assert sorted(seen) == [entry.number for entry in ENTRIES]


@settings(deadline=None)
@given(number=st.integers(0, len(ENTRIES) - 1), fields=st.sets(st.sampled_from(EVENT_FIELDS), min_size=1))
def test_what_one_event_says_is_found_as_the_same_event(number: int, fields: set[str]) -> None:
    entry = ENTRIES[number]
    for event in entry.document.events:
        values = {field: value for field in fields if (value := getattr(event, field))}
        query = SameEvent(all_of(Value(value, field) for field, value in values.items()))
        assert entry.number in {known.card.number for known in INDEX.found(query)}
