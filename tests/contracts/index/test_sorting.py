"""Results at any place, by relevance and by several keys, over every back end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.oracle.entries import sample_entries
from tests.oracle.memory_index import MemoryIndex
from windrow.errors import TooManyToSort, Unsortable, ValueMissing
from windrow.index.protocol import EVERYTHING, Index
from windrow.index.tantivy import searching
from windrow.index.tantivy.rows import Entry
from windrow.model.query import SORTABLE, Missing, Query, SortKey, Word

Make = Callable[[Sequence[Entry]], Index]
ENTRIES = sample_entries(90, seed=5)


@pytest.mark.parametrize("field", SORTABLE)
@pytest.mark.parametrize("is_ascending", [True, False])
@pytest.mark.parametrize("missing", [Missing.HIGH, Missing.LOW, Missing.OMIT, "2011"])
def test_one_key_puts_all_results_in_order(
    make_index: Make, field: str, is_ascending: bool, missing: Missing | str
) -> None:
    key = SortKey(field, is_ascending, missing)
    wanted = MemoryIndex(ENTRIES).numbers(EVERYTHING, sort=[key], limit=-1)
    assert make_index(ENTRIES).numbers(EVERYTHING, sort=[key], limit=-1) == wanted


def test_later_keys_decide_where_earlier_ones_do_not(make_index: Make) -> None:
    keys = [SortKey("language"), SortKey("year", is_ascending=False), SortKey("title", respects_case=True)]
    wanted = MemoryIndex(ENTRIES).numbers(EVERYTHING, sort=keys, limit=-1)
    index = make_index(ENTRIES)
    assert index.numbers(EVERYTHING, sort=keys, limit=-1) == wanted
    assert index.numbers(EVERYTHING, sort=keys, offset=10, limit=5) == wanted[10:15]


def test_pages_by_relevance_come_to_all_results(make_index: Make) -> None:
    index, query = make_index(ENTRIES), Word("hay")
    total = index.count(query)
    pages = [index.numbers(query, offset=offset, limit=7) for offset in range(0, total, 7)]
    together = [number for page in pages for number in page]
    assert len(together) == total == len(set(together))
    assert set(together) == set(MemoryIndex(ENTRIES).numbers(query, limit=1000))
    assert index.numbers(query, offset=total + 5, limit=3) == []


@pytest.mark.parametrize("query", [EVERYTHING, Word("hay"), Word("hay", "title"), Word("nowhere")])
def test_the_first_results_come_with_how_many_there_are(make_index: Make, query: Query) -> None:
    index = make_index(ENTRIES)
    assert index.first_numbers(query, 7) == (index.count(query), index.numbers(query, limit=7))


def test_what_cannot_be_sorted_is_refused(make_index: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    index = make_index(ENTRIES)
    with pytest.raises(Unsortable):
        index.numbers(EVERYTHING, sort=[SortKey("description")])
    with pytest.raises(ValueMissing):
        index.numbers(EVERYTHING, sort=[SortKey("title", missing=Missing.FAIL)])
    if isinstance(index, searching.TantivyIndex):
        monkeypatch.setattr(searching, "MAX_SORTED_RESULTS", 10)
        with pytest.raises(TooManyToSort):
            index.numbers(EVERYTHING, sort=[SortKey("title")])
