"""Sorted dictionaries that are kept: packed, read again when that is worth while, and never in a hurry."""

from __future__ import annotations

from bisect import bisect_left

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contracts.index.back_ends import Shelf
from tests.oracle.entries import sample_entries
from windrow.index.protocol import Deferred, quick_answers_only
from windrow.index.tantivy import lexicon
from windrow.index.tantivy.layout import POSITIONED
from windrow.index.tantivy.lexicon import CACHED_DICTIONARIES, Dictionaries, PackedTerms

ENTRIES = sample_entries(30)


@given(st.lists(st.text(st.characters(exclude_categories=[]), max_size=6)))
def test_packed_terms_are_the_same_sequence(terms: list[str]) -> None:
    packed = PackedTerms(sorted(terms))
    assert list(packed) == sorted(terms)
    assert packed[1:3] == sorted(terms)[1:3]
    assert all(packed[bisect_left(packed, term)] == term for term in terms)


class Clock:
    """A clock that goes on by so much whenever it is looked at."""

    def __init__(self) -> None:
        self.now, self.step = 0.0, 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def test_a_dictionary_that_takes_long_is_not_read_at_every_change() -> None:
    clock, shelf = Clock(), Shelf()
    shelf.put(ENTRIES[:10])
    kept = Dictionaries(clock)
    clock.step = 1.0  # reading takes a second or two by this clock
    few = kept.find(shelf.index()._searcher, "title", "one")
    clock.step = 0.0
    shelf.put(ENTRIES)
    searcher = shelf.index()._searcher
    assert kept.find(searcher, "title", "two") is few
    clock.now += 1000
    assert len(kept.find(searcher, "title", "two")) > len(few)


def test_a_dictionary_that_is_read_at_once_is_always_of_now() -> None:
    shelf, kept = Shelf(), Dictionaries(lambda: 0.0)
    shelf.put(ENTRIES[:10])
    few = kept.find(shelf.index()._searcher, "title", "one")
    shelf.put(ENTRIES)
    assert len(kept.find(shelf.index()._searcher, "title", "two")) > len(few)


def test_only_some_dictionaries_are_kept() -> None:
    shelf, kept = Shelf(), Dictionaries()
    shelf.put(ENTRIES)
    for name in POSITIONED:
        kept.find(shelf.index()._searcher, name, "one")
    assert len(kept._known) == CACHED_DICTIONARIES < len(POSITIONED)


def test_a_large_dictionary_is_not_read_in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexicon, "_QUICK_TERMS", 5)
    shelf = Shelf()
    shelf.put(ENTRIES)
    index = shelf.index()
    with quick_answers_only(), pytest.raises(Deferred):
        index.scan("title", "h")
    found = index.scan("title", "h")
    with quick_answers_only():
        assert index.scan("title", "h") == found  # it is there now
