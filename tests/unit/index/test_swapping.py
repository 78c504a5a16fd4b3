"""Which generation is searched: built aside, activated, gone back from, held."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.contracts.store.shelf import Shelf, gone
from tests.unit.index import harm
from tests.unit.index.grain import Grain, titled, titles
from windrow.errors import Interrupted, NotFound, StoreError, UsageError
from windrow.harvest.options import Stopper
from windrow.index.activation import activate, find_previous, find_waiting, roll_back
from windrow.index.feeder import build_aside, update_records
from windrow.index.generations import Generations
from windrow.index.tantivy.live_index import LiveIndex
from windrow.store import runs, sources

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def fed(grain: Grain) -> Grain:
    """A library with one record, in its first generation."""
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    return grain


def held(grain: Grain) -> Grain:
    """Gone back from the second generation, which has Straw as well, to the first."""
    grain.shelf.write(titled("b", "Straw"))
    build_aside(grain.store, grain.generations)
    activate(grain.store, grain.generations)
    roll_back(grain.store, grain.generations, clock=lambda: NOW)
    return grain


def history(grain: Grain) -> list[tuple[str, str, str]]:
    with grain.store.reading() as connection:
        return [(step.kind.value, step.word, step.generation) for step in runs.list_steps(connection)]


def test_what_is_built_aside_waits_until_it_is_activated(fed: Grain) -> None:
    fed.shelf.write(titled("b", "Straw"))
    done = build_aside(fed.store, fed.generations, collection="barn")
    assert (done.generation, done.put, done.is_built) == ("g-000002", 2, True)
    assert (fed.generations.current(), find_waiting(fed.generations)) == ("g-000001", "g-000002")
    assert fed.titles() == ["Hay"]
    swapped = activate(fed.store, fed.generations)
    assert (swapped.generation, swapped.before, swapped.records) == ("g-000002", "g-000001", 2)
    assert (find_waiting(fed.generations), find_previous(fed.generations)) == (None, "g-000001")
    assert fed.titles() == ["Hay", "Straw"]


def test_what_waits_is_left_alone_while_the_searched_one_is_followed(fed: Grain) -> None:
    build_aside(fed.store, fed.generations)
    fed.shelf.write(titled("b", "Straw"))
    assert fed.follow().put == 1
    assert find_waiting(fed.generations) == "g-000002"
    assert fed.titles() == ["Hay", "Straw"]


def test_activation_takes_in_first_what_came_since_the_build(fed: Grain) -> None:
    other = Shelf(fed.store, "oats")
    other.write(titled("x", "Oats"))
    build_aside(fed.store, fed.generations)
    fed.shelf.write(titled("b", "Straw"), gone("a"))
    with fed.store.writing() as connection:
        sources.forget(connection, other.source_id)
    swapped = activate(fed.store, fed.generations)
    assert (swapped.put, swapped.removed, swapped.records) == (1, 1, 1)
    assert fed.titles() == ["Straw"]


def test_the_newest_of_several_that_wait_is_activated_and_the_others_go(fed: Grain) -> None:
    for _ in range(3):
        build_aside(fed.store, fed.generations)
    assert fed.generations.names() == ["g-000001", "g-000004"]
    assert activate(fed.store, fed.generations).generation == "g-000004"


def test_a_build_that_is_stopped_leaves_what_is_searched_and_what_waits(fed: Grain) -> None:
    build_aside(fed.store, fed.generations)
    stopper = Stopper()
    stopper.stop()
    with pytest.raises(Interrupted):
        build_aside(fed.store, fed.generations, stopper=stopper)
    assert (fed.generations.current(), find_waiting(fed.generations)) == ("g-000001", "g-000002")
    assert history(fed)[0] == ("build", "interrupted", "g-000003")
    build_aside(fed.store, fed.generations)
    assert fed.generations.names() == ["g-000001", "g-000004"]


def test_where_nothing_waits_activation_changes_nothing(fed: Grain) -> None:
    before = history(fed)
    assert not activate(fed.store, fed.generations).is_changed
    assert history(fed) == before
    with pytest.raises(NotFound, match="g-000009"):
        activate(fed.store, fed.generations, name="g-000009")


def test_an_index_can_be_built_aside_where_there_is_none(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    with pytest.raises(UsageError, match="no generation waits"):
        activate(grain.store, grain.generations)
    build_aside(grain.store, grain.generations)
    assert grain.generations.current() is None
    assert activate(grain.store, grain.generations).before == ""
    assert grain.titles() == ["Hay"]


def test_a_damaged_one_is_not_activated(fed: Grain) -> None:
    build_aside(fed.store, fed.generations)
    harm.overwrite(fed.folder / "g-000002")
    with pytest.raises(StoreError, match="g-000002 is damaged"):
        activate(fed.store, fed.generations)
    assert (fed.generations.current(), find_waiting(fed.generations)) == ("g-000001", None)
    assert history(fed)[0] == ("activate", "failed", "g-000002")


def test_one_that_another_version_built_is_not_activated(fed: Grain) -> None:
    build_aside(fed.store, fed.generations)
    state = fed.generations.state("g-000002")
    assert state is not None
    fed.generations.note("g-000002", replace(state, mark="older"))
    assert find_waiting(fed.generations) is None


def test_the_one_before_comes_back_and_is_held(fed: Grain) -> None:
    held(fed)
    hold = fed.generations.hold()
    assert hold is not None
    assert (hold.generation, hold.since, hold.instead_of) == (
        "g-000001",
        "2024-06-01T12:00:00+00:00",
        "g-000002",
    )
    assert LiveIndex(fed.folder).hold == hold
    assert fed.titles() == ["Hay"]


def test_what_is_held_is_neither_followed_nor_replaced_nor_mended(fed: Grain) -> None:
    held(fed)
    fed.shelf.write(titled("c", "Oats"))
    assert fed.follow().is_held
    done = fed.follow(is_rebuilding=True)
    assert (done.is_held, done.is_built, done.generation) == (True, True, "g-000003")
    assert (fed.generations.current(), find_waiting(fed.generations)) == ("g-000001", "g-000003")
    with pytest.raises(UsageError, match="held"):
        update_records(fed.store, fed.generations, lacking=[1], surplus=[])
    assert fed.titles() == ["Hay"]


def test_activation_lets_go_and_the_newest_is_searched_and_followed_again(fed: Grain) -> None:
    held(fed)
    swapped = activate(fed.store, fed.generations)
    assert (swapped.generation, swapped.was_held) == ("g-000002", True)
    assert fed.generations.hold() is None
    fed.shelf.write(titled("c", "Oats"))
    assert fed.follow().put == 1
    assert fed.titles() == ["Hay", "Straw", "Oats"]


def test_one_can_stay_with_the_held_one_and_let_it_follow(fed: Grain) -> None:
    held(fed)
    swapped = activate(fed.store, fed.generations, name="g-000001")
    assert (swapped.is_changed, swapped.was_held, swapped.put) == (False, True, 1)
    assert fed.titles() == ["Hay", "Straw"]


def test_a_held_one_that_is_damaged_is_built_anew(fed: Grain) -> None:
    held(fed)
    fed.generations.note_damage("g-000001", "a mouse")
    assert fed.follow().is_built
    assert fed.generations.hold() is None
    assert fed.titles() == ["Hay", "Straw"]


def test_nobody_can_go_back_further_than_what_is_kept(fed: Grain) -> None:
    with pytest.raises(UsageError, match="no generation before"):
        roll_back(fed.store, fed.generations)
    held(fed)
    with pytest.raises(UsageError, match="already"):
        roll_back(fed.store, fed.generations)


def test_nobody_can_go_back_to_what_cannot_be_read(fed: Grain, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no index"):
        roll_back(fed.store, Generations(tmp_path / "nowhere"))
    fed.follow(is_rebuilding=True)
    state = fed.generations.state("g-000001")
    assert state is not None
    fed.generations.note("g-000001", replace(state, shape="another"))
    with pytest.raises(UsageError, match="no generation before"):
        roll_back(fed.store, fed.generations)
    fed.generations.note("g-000001", state)
    harm.overwrite(fed.folder / "g-000001")
    with pytest.raises(StoreError, match="g-000001 is damaged"):
        roll_back(fed.store, fed.generations)
    assert fed.generations.current() == "g-000002"


def test_after_a_rollback_a_new_build_has_the_good_one_before_it(fed: Grain) -> None:
    held(fed)
    build_aside(fed.store, fed.generations)
    activate(fed.store, fed.generations)
    assert fed.generations.names() == ["g-000001", "g-000003"]
    assert find_previous(fed.generations) == "g-000001"


def test_every_build_and_swap_is_remembered_whoever_asked_for_it(fed: Grain) -> None:
    held(fed)
    assert history(fed) == [
        ("rollback", "ok", "g-000001"),
        ("activate", "ok", "g-000002"),
        ("build", "ok", "g-000002"),
        ("activate", "ok", "g-000001"),
        ("build", "ok", "g-000001"),
    ]


def test_two_who_build_at_the_same_time_both_complete(fed: Grain) -> None:
    built: list[str] = []

    def build(*, is_first: bool) -> None:
        def tell(_done: int, _total: int) -> None:
            if is_first:
                other.start()  # which waits for the right to write

        done = build_aside(fed.store, Generations(fed.folder), on_progress=tell)
        built.append(done.generation)
        activate(fed.store, Generations(fed.folder))

    other = threading.Thread(target=build, kwargs={"is_first": False})
    build(is_first=True)
    other.join()
    assert built == ["g-000002", "g-000003"]
    assert (fed.generations.current(), find_waiting(fed.generations)) == ("g-000003", None)
    assert {outcome for _, outcome, _ in history(fed)} == {"ok"}


def test_a_record_dropped_while_a_build_runs_disturbs_nothing(fed: Grain) -> None:
    fed.shelf.write(*(titled(f"n{number}", f"Oats {number}") for number in range(600)))

    def drop(_done: int, _total: int) -> None:
        fed.shelf.write(gone("a"), gone("n7"))

    build_aside(fed.store, fed.generations, on_progress=drop)
    activate(fed.store, fed.generations)
    assert "Hay" not in fed.titles()
    assert len(fed.titles()) == 599


def test_a_thread_that_keeps_still_sees_one_state_while_others_see_the_next(fed: Grain) -> None:
    now = [0.0]
    index = LiveIndex(fed.folder, clock=lambda: now[0])
    with index.keeping_still(), index.keeping_still():
        before = index.generation
        fed.shelf.write(titled("b", "Straw"))
        fed.follow(is_rebuilding=True)
        now[0] += 60
        assert (index.generation, titles(index)) == (before, ["Hay"])
        seen: list[list[str]] = []
        other = threading.Thread(target=lambda: seen.append(titles(index)))
        other.start()
        other.join()
        assert seen == [["Hay", "Straw"]]
        assert titles(index) == ["Hay"]
    assert titles(index) == ["Hay", "Straw"]
