"""From the store into the index: what is new, what changed, what went."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from tests.contracts.store.shelf import Shelf, gone, live
from tests.unit.index.grain import Grain, titled
from windrow.errors import Interrupted, StoreError
from windrow.formats.known_formats import richness_rank
from windrow.harvest.options import Stopper
from windrow.index import feeder
from windrow.index.feeder import BATCH, BATCH_BYTES, IndexUpdate, changes_behind, follow, next_limit
from windrow.index.tantivy.index_writer import MAX_SEGMENTS
from windrow.index.tantivy.live_index import LiveIndex
from windrow.model.query import Everything
from windrow.store import sources
from windrow.store.records import derived_sets
from windrow.store.records.set_hierarchy import guard_set


def test_a_first_run_builds_the_index(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"), titled("b", "Straw"), gone("c"))
    done = grain.follow()
    assert (done.put, done.removed, done.is_built) == (2, 1, True)
    assert grain.titles() == ["Hay", "Straw"]
    assert LiveIndex(grain.folder).is_ready


def test_a_run_with_nothing_new_does_nothing(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    before = LiveIndex(grain.folder).generation
    done = grain.follow()
    assert (done.put, done.removed, done.is_built) == (0, 0, False)
    assert LiveIndex(grain.folder).generation == before


def test_what_comes_changes_and_goes_is_followed(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"), titled("b", "Straw"), titled("c", "Oats"))
    grain.follow()
    grain.shelf.write(titled("b", "Rye"), gone("c"), titled("d", "Barley"))
    assert changes_behind(grain.store, 3) == 3
    done = grain.follow()
    assert (done.put, done.removed, done.is_built) == (2, 1, False)
    assert grain.titles() == ["Hay", "Rye", "Barley"]
    grain.shelf.write(titled("c", "Oats again"))
    grain.follow()
    assert grain.titles() == ["Hay", "Rye", "Oats again", "Barley"]


def test_many_short_runs_leave_no_more_pieces_than_one_may_ask(grain: Grain) -> None:
    most = 0
    for number in range(2 * MAX_SEGMENTS):
        grain.shelf.write(titled(f"oai:x:{number}", "Hay"))
        grain.follow()
        most = max(most, grain.segments())
    assert 1 < most <= MAX_SEGMENTS + 1
    assert len(grain.titles()) == 2 * MAX_SEGMENTS


def test_an_empty_library_has_an_empty_index(grain: Grain) -> None:
    assert grain.follow().is_built
    assert grain.titles() == []
    assert LiveIndex(grain.folder).is_ready


def test_a_payload_that_cannot_be_read_is_found_by_its_identifier(grain: Grain) -> None:
    grain.shelf.write(live("oai:x:broken", b"<not-closed", declarations=b""))
    assert grain.follow().unreadable == 1
    assert LiveIndex(grain.folder).count(Everything()) == 1
    assert grain.titles('id:"oai:x:broken"') == [""]


def test_the_richest_of_several_formats_is_taken(grain: Grain) -> None:
    kk = b'<record xmlns="http://kk/1.0"><x>1</x></record>'
    grain.shelf.write(titled("a", "Plain"), prefix="oai_dc")
    grain.shelf.write(live("a", kk, declarations=b""), prefix="kk")
    grain.follow()
    assert grain.titles() == [""]  # that of kk, which has no title here
    assert (
        richness_rank("kk")
        < richness_rank("oai_dc")
        < richness_rank("unheard-of")
        < richness_rank("http_header")
    )


def test_what_is_not_for_everybody_is_left_out(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Open"), titled("b", "Secret", sets=(guard_set("staff"), "x")))
    grain.follow()
    assert grain.titles() == ["Open"]
    grain.shelf.write(titled("b", "Secret", sets=("x",)))
    grain.follow()
    assert grain.titles() == ["Open", "Secret"]
    grain.shelf.write(titled("a", "Open", sets=(guard_set("staff"),)))
    grain.follow()
    assert grain.titles() == ["Secret"]


def test_sets_that_a_query_defines_can_be_searched(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay", sets=("barn",)), titled("b", "Straw"))
    with grain.store.writing() as connection:
        derived_sets.define_virtual_sets(connection, [derived_sets.VirtualSet("dry", "Dry things", "hay")])
        (number,) = derived_sets.list_virtual_sets(connection).values()
        derived_sets.change_membership(
            connection, {1: derived_sets.MembershipChange(frozenset((number,)), frozenset())}
        )
    grain.follow()
    assert grain.titles("set:dry") == ["Hay"]
    assert grain.titles("set:barn") == ["Hay"]


def test_a_source_that_was_removed_goes_from_the_index(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    other = Shelf(grain.store, "Oats & Co")
    other.write(titled("a", "Oats"))
    grain.follow()
    with grain.store.writing() as connection:
        sources.forget(connection, other.source_id)
    done = grain.follow()
    assert done.sources == 1
    assert grain.titles() == ["Hay"]


def test_progress_is_told_and_a_stop_is_heeded_without_loss(
    grain: Grain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeder, "BATCH", 500)
    grain.shelf.write(*(titled(f"a{number}", f"Hay {number}") for number in range(1200)))
    told: list[tuple[int, int]] = []
    stopper = Stopper()

    def progress(done: int, total: int) -> None:
        told.append((done, total))
        stopper.stop()

    with pytest.raises(Interrupted):
        follow(grain.store, grain.generations, on_progress=progress, stopper=stopper)
    assert told == [(500, 1200)]
    assert LiveIndex(grain.folder).newest().records == 500  # a first build is searched as it grows
    assert not LiveIndex(grain.folder).is_ready
    done = grain.follow()
    assert (done.put, done.is_built) == (700, False)
    assert LiveIndex(grain.folder).newest().records == 1200


def test_one_that_is_busy_is_left_alone(grain: Grain) -> None:
    with grain.generations.writing("somebody else") as is_ours:
        assert is_ours
        done = follow(grain.store, grain.generations, is_waiting=False)
    assert done.is_busy
    assert grain.generations.current() is None


def test_a_source_that_is_removed_while_it_is_indexed_goes_at_the_next_look(
    grain: Grain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeder, "BATCH", 500)
    grain.shelf.write(*(titled(f"a{number}", "Hay") for number in range(600)))

    def remove(done: int, _total: int) -> None:
        if done == 500:
            with grain.store.writing() as connection:
                sources.forget(connection, grain.shelf.source_id)

    follow(grain.store, grain.generations, on_progress=remove)
    assert LiveIndex(grain.folder).newest().records == 500
    assert grain.follow().sources == 1
    assert grain.titles() == []
    assert grain.follow().sources == 0


def test_heavy_records_are_read_a_few_at_a_time() -> None:
    heavy, light = BATCH_BYTES + 1, 1000
    assert [next_limit(BATCH, heavy), next_limit(1, heavy)] == [BATCH // 2, 1]
    assert [next_limit(4, light), next_limit(BATCH, light), next_limit(4, BATCH_BYTES // 2)] == [8, BATCH, 4]


@contextmanager
def _descriptors_left(count: int) -> Iterator[None]:
    """Let this process open so many more files and no other."""
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(count)]
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    try:
        with suppress(OSError):
            while True:
                held.append(os.open(os.devnull, os.O_RDONLY))
        for _ in range(count):
            os.close(held.pop())
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for each in held:
            os.close(each)


@pytest.mark.parametrize("left", range(8))
def test_without_descriptors_the_index_stays_as_it_is_and_is_followed_later(grain: Grain, left: int) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    searched = LiveIndex(grain.folder, clock=iter(range(10_000)).__next__)
    before = searched.generation
    grain.shelf.write(titled("b", "Straw"))
    with _descriptors_left(left):
        try:
            done = grain.follow()
        except (StoreError, OSError):
            done = IndexUpdate()
        assert not done.is_built
        assert searched.count(Everything()) >= 1
    assert not grain.follow().is_built
    assert grain.titles() == ["Hay", "Straw"]
    assert searched.generation.split("-")[:3] == before.split("-")[:3]
    assert grain.generations.names() == [grain.generations.current()]


def test_an_index_that_cannot_be_looked_at_is_not_taken_for_a_missing_one(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    with _descriptors_left(0):
        with pytest.raises(StoreError, match="Too many open files"):
            grain.generations.current()
        with pytest.raises(StoreError, match="Too many open files"):
            grain.generations.damage("g-000001")
