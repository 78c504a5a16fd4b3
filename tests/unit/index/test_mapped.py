"""What is mapped of an index's files: let go of when it has become much, and nobody notices."""

from __future__ import annotations

import mmap
import shutil
from pathlib import Path

import pytest

from tests.unit.index.grain import Grain, titled
from windrow.index.protocol import FacetRequest
from windrow.index.tantivy.live_index import LiveIndex, MappedMemory
from windrow.model.query import Everything

ALWAYS = MappedMemory(-(1 << 50))  # whatever is mapped is too much
LETTERS = FacetRequest("initial", 10)
SIZE = 8_000_000


class Clock:
    """Says a second more whenever it is asked: so that every question looks for what is new."""

    def __init__(self) -> None:
        self._now = 0.0

    def __call__(self) -> float:
        self._now += 1
        return self._now


def test_an_index_of_which_much_is_mapped_is_opened_anew_and_answers_the_same(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"), titled("b", "Oats"))
    grain.follow()
    index = LiveIndex(grain.folder, clock=Clock(), mapped=ALWAYS)
    before = index.newest()
    counted = before.tally(Everything(), [LETTERS])
    after = index.newest()
    assert after is not before
    assert (after.generation, after.records) == (before.generation, 2)
    assert after.tally(Everything(), [LETTERS]) is counted  # kept: it was not worked out again
    assert index.count(Everything()) == 2


def test_an_index_of_which_little_is_mapped_stays_as_it_is(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    index = LiveIndex(grain.folder, clock=Clock(), mapped=MappedMemory(1 << 50))
    assert index.newest() is index.newest()


def test_a_change_is_seen_by_an_index_that_was_opened_anew(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    index = LiveIndex(grain.folder, clock=Clock(), mapped=ALWAYS)
    assert [index.count(Everything()) for _ in range(3)] == [1, 1, 1]
    grain.shelf.write(titled("b", "Oats"))
    grain.follow()
    assert index.count(Everything()) == 2


def test_an_index_whose_folder_is_gone_is_not_let_go_of(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    index = LiveIndex(grain.folder, clock=Clock(), mapped=ALWAYS)
    assert index.count(Everything()) == 1
    shutil.rmtree(grain.folder)
    assert [index.count(Everything()) for _ in range(3)] == [1, 1, 1]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux tells")
def test_pages_of_a_file_count_while_they_are_mapped(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(SIZE))
    mapped = MappedMemory(SIZE // 2)
    mapped.begin()
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as pages:
        assert sum(pages[:: mmap.PAGESIZE]) == 0
        assert mapped.is_much()
        mapped.begin()
        assert not mapped.is_much()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux tells")
def test_what_was_let_go_of_after_the_beginning_is_no_room_for_more(tmp_path: Path) -> None:
    path, mapped = tmp_path / "file", MappedMemory(SIZE // 2)
    path.write_bytes(bytes(SIZE))
    with path.open("rb") as file:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as old:
            assert sum(old[:: mmap.PAGESIZE]) == 0
            mapped.begin()  # an index is opened anew while somebody still asks the old one
        assert not mapped.is_much()
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as new:
            assert sum(new[:: mmap.PAGESIZE]) == 0
            assert mapped.is_much()
