"""Taking documents in: a few whole books are enough at a time."""

from __future__ import annotations

import pytest

from tests.unit.index.grain import Grain
from windrow.index import writing
from windrow.index.entry import Entry
from windrow.index.live import LiveIndex
from windrow.index.writing import TantivyWriter
from windrow.model.document import Document
from windrow.model.held_file import HeldFile
from windrow.model.query import Everything, Word


def book(number: int) -> Entry:
    text = ("straw " * 10, f"needle{number}")
    return Entry(number, "hay", f"{number}", (), Document(file=HeldFile("a", "text/plain", 1, "", text=text)))


def test_long_texts_are_taken_in_a_few_at_a_time_and_none_is_lost(
    grain: Grain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "LETTERS_AT_ONCE", 150)
    coming = iter([book(number) for number in range(1, 8)])
    assert [len(list(writing._some(coming))) for _ in range(4)] == [3, 3, 1, 0]
    name = grain.generations.begin()
    writer = TantivyWriter(grain.generations, name, is_new=True)
    writer.put(book(number) for number in range(1, 8))
    writer.commit(7)
    writer.note(is_whole=True)
    writer.close()
    grain.generations.make_current(name)
    index = LiveIndex(grain.folder)
    assert index.count(Everything()) == 7
    assert [index.count(Word(f"needle{number}")) for number in range(1, 8)] == [1] * 7
