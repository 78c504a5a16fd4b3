"""The real index finds and counts what the plain one does: random documents, random queries."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contracts.index.back_ends import Shelf, in_one_segment, in_several_segments
from tests.contracts.index.chance import documents, libraries, queries, tallies
from tests.oracle.memory_index import MemoryIndex
from tests.thorough import tries
from windrow.index.protocol import Index, Order
from windrow.index.tantivy.rows import Entry
from windrow.model.query import Everything, Query

_SEVERAL = 6  # queries for each library: to make one takes longer than to ask it


def numbers(index: Index, query: Query) -> list[int]:
    return [hit.card.number for hit in index.search(query, limit=100, order=Order.NUMBER).hits]


@settings(max_examples=tries(90), deadline=None)
@given(st.data())
def test_any_query_finds_the_same_documents(data: st.DataObject) -> None:
    entries = data.draw(libraries())
    plain, real, asked = MemoryIndex(entries), in_one_segment(entries), queries(entries)
    for _ in range(_SEVERAL):
        query = data.draw(asked)
        assert numbers(real, query) == numbers(plain, query), str(query)
        assert real.count(query) == plain.count(query)
        assert {hit.card.number for hit in real.search(query, limit=100).hits} == set(numbers(plain, query))


@settings(max_examples=tries(45), deadline=None)
@given(st.data())
def test_any_tally_counts_the_same(data: st.DataObject) -> None:
    entries, starts = data.draw(libraries(most=12)), data.draw(st.sampled_from([0, 801, 1015]))
    plain, asked = MemoryIndex(entries, year_starts=starts), queries(entries)
    real = in_several_segments(entries, year_starts=starts)
    for _ in range(_SEVERAL):
        query, counted = data.draw(asked), data.draw(st.lists(tallies(), max_size=3))
        assert real.tally(query, counted) == plain.tally(query, counted), str(query)


@settings(max_examples=tries(30), deadline=None)
@given(st.data())
def test_what_changes_and_goes_is_followed(data: st.DataObject) -> None:
    entries = {entry.number: entry for entry in data.draw(libraries())}
    shelf = Shelf()
    shelf.put(entries.values())
    for _ in range(3):
        number = data.draw(st.sampled_from(sorted(entries) or [1]))
        if data.draw(st.booleans()):
            shelf.remove([number])
            entries.pop(number, None)
        else:
            entries[number] = Entry(number, "barn", f"oai:{number}", (), data.draw(documents()))
            shelf.put([entries[number]])
    plain, real = MemoryIndex(entries.values()), shelf.index()
    for query in (Everything(), data.draw(queries(list(entries.values())))):
        assert numbers(real, query) == numbers(plain, query), str(query)


@settings(max_examples=tries(30), deadline=None)
@given(st.data())
def test_values_and_initials_are_the_same_from_a_to_z(data: st.DataObject) -> None:
    entries = data.draw(libraries())
    plain, real = MemoryIndex(entries), in_several_segments(entries)
    for field in ("creator", "subject", "keyword", "institution", "set"):
        assert real.values(field) == plain.values(field)
        assert real.initials(field) == plain.initials(field)
        prefix = data.draw(st.sampled_from(["", "h", "ÄN", "meadow s", "2"]))
        after = data.draw(st.sampled_from(["", "hay", "Meadow", "äng"]))
        limit = data.draw(st.integers(1, 3))
        for query in (Everything(), data.draw(queries(entries))):
            found = real.values(field, prefix=prefix, after=after, limit=limit, query=query)
            assert found == plain.values(field, prefix=prefix, after=after, limit=limit, query=query)
            assert real.initials(field, query=query) == plain.initials(field, query=query)


@settings(max_examples=tries(30), deadline=None)
@given(st.data())
def test_beginnings_are_completed_alike(data: st.DataObject) -> None:
    entries = data.draw(libraries())
    plain, real = MemoryIndex(entries), in_several_segments(entries)
    query = data.draw(queries(entries))
    for beginning in ("me", "HA", "än"):
        assert real.complete(beginning, limit=50, query=query) == plain.complete(
            beginning, limit=50, query=query
        )
