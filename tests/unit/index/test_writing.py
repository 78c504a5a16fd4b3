"""Taking documents in: a few whole books at a time, and many records into one segment."""

from __future__ import annotations

from pathlib import Path

import pytest
import tantivy

from tests.unit.index.grain import Grain
from windrow.errors import StoreError, StoreFull
from windrow.index.tantivy import index_writer
from windrow.index.tantivy.index_writer import TantivyWriter, _error
from windrow.index.tantivy.live_index import LiveIndex
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Document, HeldFile, Text
from windrow.model.query import Everything, Word


def book(number: int) -> Entry:
    text = ("straw " * 10, f"needle{number}")
    return Entry(number, "hay", f"{number}", (), Document(file=HeldFile("a", "text/plain", 1, "", text=text)))


def test_long_texts_are_taken_in_a_few_at_a_time_and_none_is_lost(
    grain: Grain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_writer, "LETTERS_AT_ONCE", 150)
    coming = iter([book(number) for number in range(1, 8)])
    assert [len(list(index_writer._some(coming))) for _ in range(4)] == [3, 3, 1, 0]
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


def sheaf(number: int, word: str) -> Entry:
    return Entry(number, "hay", f"{number}", (), Document(titles=(Text(f"{word} number{number}"),)))


def test_each_record_is_there_once_as_it_came_last(grain: Grain) -> None:
    name = grain.generations.begin()
    writer = TantivyWriter(grain.generations, name, is_new=True)
    for word in ("early", "late"):
        writer.put(sheaf(number, word) for number in range(1, 3001))
    writer.remove(range(1, 11))
    writer.commit(1)
    writer.note(is_whole=True)
    writer.close(is_settling=True)
    grain.generations.make_current(name)
    index = LiveIndex(grain.folder)
    assert index.count(Everything()) == index.count(Word("late")) == 2990
    assert index.count(Word("early")) == 0
    assert [index.count(Word(f"number{number}")) for number in (10, 11, 3000)] == [0, 1, 1]


def test_what_is_taken_in_together_is_one_segment(grain: Grain) -> None:
    name = grain.generations.begin()
    writer = TantivyWriter(grain.generations, name, is_new=True)
    writer.put(sheaf(number, "hay") for number in range(1, 3001))
    writer.commit(1)
    writer.close()
    assert tantivy.Index.open(str(grain.generations.path(name))).searcher().num_segments == 1


def test_a_writer_that_was_killed_on_a_full_disk_says_that_it_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = ValueError("An index writer was killed.")
    assert "An index writer was killed" in str(_error(killed, str(tmp_path)))
    monkeypatch.setattr(index_writer, "FULL_BYTES", 1 << 62)
    assert isinstance(_error(killed, str(tmp_path)), StoreFull)
    assert "An index writer was killed" in str(_error(killed, str(tmp_path / "gone")))


def test_after_a_failure_nothing_can_be_committed(grain: Grain, monkeypatch: pytest.MonkeyPatch) -> None:
    name = grain.generations.begin()
    writer = TantivyWriter(grain.generations, name, is_new=True)
    writer.put([sheaf(1, "hay")])
    monkeypatch.setattr(index_writer, "written_rows", lambda entries: ["no row"] * len(entries))
    with pytest.raises(StoreError, match="JSON"):
        writer.put([sheaf(2, "hay")])
    with pytest.raises(StoreError, match="JSON"):
        writer.commit(2)
    writer.close()
    assert grain.generations.state(name) is not None
    assert tantivy.Index.open(str(grain.generations.path(name))).searcher().num_docs == 0
