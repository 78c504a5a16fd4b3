"""The sorted dictionary of a field, over every back end: what SRU and Z39.50 call scan."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.contracts.index.back_ends import Shelf
from tests.oracle.entries import sample_entries
from tests.oracle.memory_index import MemoryIndex
from windrow.errors import UsageError
from windrow.index.protocol import EVERYTHING, Index
from windrow.index.tantivy import lexicon
from windrow.index.tantivy.rows import Entry
from windrow.model.query import Query, Value, any_of

Make = Callable[[Sequence[Entry]], Index]
ENTRIES = sample_entries(120, seed=3)
WORDS = ("title", "creator", "subject", "description", "publisher", "institution")
WHOLE = ("title", "creator", "subject", "keyword", "publisher", "type", "language", "place", "period", "set")
SCOPES = (EVERYTHING, Value("barn", "source"), any_of([Value("barn", "source"), Value("field", "source")]))


@pytest.mark.parametrize("query", SCOPES, ids=str)
@pytest.mark.parametrize(
    ("field", "is_whole"),
    [(None, False), *((name, False) for name in WORDS), *((name, True) for name in WHOLE), ("year", True)],
)
def test_terms_and_counts_are_those_of_the_documents(
    make_index: Make, field: str | None, is_whole: bool, query: Query
) -> None:
    index, oracle = make_index(ENTRIES), MemoryIndex(ENTRIES)
    for start in ("", "a", "hay", "m", "niitty", "ö", "zzz", "2010"):
        wanted = oracle.scan(field, start, before=4, limit=7, is_whole=is_whole, query=query)
        found = index.scan(field, start, before=4, limit=7, is_whole=is_whole, query=query)
        assert found == wanted, start


def test_documents_that_were_removed_do_not_count() -> None:
    shelf = Shelf()
    shelf.put(ENTRIES)
    shelf.remove(range(1, 101))
    rest = [entry for entry in ENTRIES if entry.number > 100]
    found = shelf.index().scan("title", "", limit=200)
    assert found == MemoryIndex(rest).scan("title", "", limit=200)


def test_stretches_without_documents_are_leapt_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexicon, "_FIRST_STEP", 2)
    shelf = Shelf()
    shelf.put(ENTRIES)
    lonely = ENTRIES[77]
    scope = Value(lonely.identifier, "identifier")
    found = shelf.index().scan("description", "", limit=200, query=scope)
    assert found == MemoryIndex([lonely]).scan("description", "", limit=200)


def test_a_field_without_whole_values_says_so(make_index: Make) -> None:
    with pytest.raises(UsageError):
        make_index(ENTRIES).scan("description", "", is_whole=True)


def test_no_more_terms_than_are_bounded_are_given(make_index: Make) -> None:
    assert len(make_index(ENTRIES).scan("title", "", limit=3)) == 3
    assert make_index(ENTRIES).scan("title", "", limit=0) == []
