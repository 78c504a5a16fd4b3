"""Import, build, activate: what each does to the library and to what is searched, with real harvests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.flows.harvesting import SOURCE, Shelf, Sleepless, make_shelf
from tests.servers.items import make_items
from tests.servers.oai import NOW, OaiServer
from windrow.errors import Interrupted, NotFound
from windrow.harvest.collections import CollectionSteps, ImportMode, UpdateResult, import_options
from windrow.harvest.options import NullObserver, Stopper
from windrow.index.activation import roll_back
from windrow.index.tantivy.live_index import LiveIndex
from windrow.model.run import Outcome
from windrow.store import runs
from windrow.wiring.harvesting import collection_steps
from windrow.wiring.indexing import follow_index

NOWHERE = "http://127.0.0.1:9/oai"  # nobody listens there
GONE = "oai:test.example:3"


@contextmanager
def steps(shelf: Shelf, name: str = SOURCE, *, stopper: Stopper | None = None) -> Iterator[CollectionSteps]:
    """The steps of a collection, in a library that is opened for them."""
    library = shelf.open()
    try:
        yield collection_steps(library, name, observer=NullObserver(), stopper=stopper or Sleepless())
    finally:
        library.close()


def update(shelf: Shelf, name: str = SOURCE, taking: ImportMode = ImportMode.INCREMENTAL) -> UpdateResult:
    with steps(shelf, name) as made:
        return made.update(taking)


def collect(shelf: Shelf, name: str, *sources: str) -> None:
    """Make a collection of sources."""
    with (shelf.folder / "windrow.toml").open("a", encoding="utf-8") as file:
        file.write(f"\n[collections.{name}]\nsources = {list(sources)}\n".replace("'", '"'))


def searched(shelf: Shelf) -> int:
    return LiveIndex(shelf.folder / "index").newest().records


def history(shelf: Shelf, name: str | None = None) -> list[tuple[str, str, str, int]]:
    library = shelf.open()
    try:
        with library.store.reading() as connection:
            found = runs.list_steps(connection, name, limit=100)
    finally:
        library.close()
    return [(step.kind.value, step.collection, step.word, step.records) for step in reversed(found)]


def test_each_step_does_its_own_part(tmp_path: Path) -> None:
    with OaiServer(make_items(12)) as server:
        shelf = make_shelf(tmp_path, server)
        collect(shelf, "barn", SOURCE)
        with steps(shelf, "barn") as barn:
            assert barn.take_in().counters.added == 12
            assert searched(shelf) == 0
            assert barn.build().put == 12
            assert searched(shelf) == 0
            assert barn.activate().records == 12
            assert searched(shelf) == 12
    assert history(shelf) == [
        ("import", "barn", "ok", 12),
        ("build", "barn", "ok", 12),
        ("activate", "barn", "ok", 12),
    ]


def test_an_update_is_all_three_and_builds_nothing_where_nothing_is_new(tmp_path: Path) -> None:
    items = make_items(12)
    with OaiServer(items[:10]) as server:
        shelf = make_shelf(tmp_path, server)
        assert update(shelf).built is not None
        again = update(shelf)
        assert (again.imported.outcome, again.built, again.activated) == (Outcome.OK, None, None)
        server.items += [replace(item, stamp=NOW) for item in items[10:]]
        assert update(shelf).activated is not None
    assert searched(shelf) == 12
    assert [step[0] for step in history(shelf)] == [
        *("import", "build", "activate"),
        "import",
        *("import", "build", "activate"),
    ]


def test_keep_old_keeps_what_is_there_no_more_and_remove_old_marks_it(tmp_path: Path) -> None:
    with OaiServer(make_items(12), deleted="no") as server:
        shelf = make_shelf(tmp_path, server, reconcile="1h")
        update(shelf)
        shelf.harvest(is_reconciling=True)  # so that a full harvest would compare by itself
        server.items = [item for item in server.items if item.identifier != GONE]
        assert update(shelf, taking=ImportMode.KEEP_OLD).imported.counters.seen == 11
        assert GONE in shelf.live()
        assert searched(shelf) == 12
        assert update(shelf, taking=ImportMode.REMOVE_OLD).imported.counters.deleted == 1
    assert shelf.records()[GONE].is_deleted
    assert searched(shelf) == 11


def test_a_folder_says_itself_what_is_gone_even_when_all_is_taken_in_anew() -> None:
    for taking in (ImportMode.KEEP_OLD, ImportMode.REMOVE_OLD):
        options = import_options(taking, is_complete=True)
        assert (options.is_full, options.is_reconciling) == (True, False)


def test_a_source_that_fails_leaves_the_others_be(tmp_path: Path) -> None:
    with OaiServer(make_items(12)) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.add(NOWHERE, name="lost", attempts=1)
        collect(shelf, "barn", SOURCE, "lost")
        done = update(shelf, "barn")
    assert done.imported.outcome is Outcome.PARTIAL
    assert done.activated is not None
    assert searched(shelf) == 12
    assert history(shelf)[0] == ("import", "barn", "partial", 12)


def test_where_nothing_comes_in_nothing_is_built_and_the_active_one_stays(tmp_path: Path) -> None:
    with OaiServer(make_items(12)) as server:
        shelf = make_shelf(tmp_path, server)
        update(shelf)
    shelf.change(url=NOWHERE, attempts=1)
    done = update(shelf, taking=ImportMode.KEEP_OLD)
    assert (done.imported.outcome, done.built) == (Outcome.FAILED, None)
    assert searched(shelf) == 12


def test_one_who_is_stopped_builds_nothing(tmp_path: Path) -> None:
    stopper = Sleepless()
    stopper.stop()
    with OaiServer(make_items(12)) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        with steps(shelf, stopper=stopper) as made:
            assert made.update().built is None
        with steps(shelf, stopper=stopper) as made, pytest.raises(Interrupted):
            made.build()
    assert searched(shelf) == 0


def test_an_update_lets_go_of_what_is_held(tmp_path: Path) -> None:
    with OaiServer(make_items(12)) as server:
        shelf = make_shelf(tmp_path, server)
        update(shelf)
        update(shelf, taking=ImportMode.KEEP_OLD)
        library = shelf.open()
        roll_back(library.store, library.generations)
        assert follow_index(library).is_held
        library.close()
        done = update(shelf)
    assert done.activated is not None
    assert done.activated.was_held


def test_the_whole_library_and_a_single_source_are_kept_in_the_same_way(tmp_path: Path) -> None:
    with OaiServer(make_items(5)) as one, OaiServer(make_items(7)) as other:
        shelf = make_shelf(tmp_path, one)
        shelf.add(other.url, name="other")
        update(shelf, "other")
        assert searched(shelf) == 7
        update(shelf, "")
        assert searched(shelf) == 12
    with pytest.raises(NotFound, match="nowhere"), steps(shelf, "nowhere"):
        pass


def test_two_collections_updated_in_the_same_minute_both_complete(tmp_path: Path) -> None:
    with OaiServer(make_items(40)) as one, OaiServer(make_items(60)) as other:
        shelf = make_shelf(tmp_path, one)
        shelf.add(other.url, name="other")
        collect(shelf, "barn", SOURCE)
        collect(shelf, "shed", "other")
        done: dict[str, UpdateResult] = {}
        threads = [
            threading.Thread(target=lambda name=name: done.update({name: update(shelf, name)}))
            for name in ("barn", "shed")
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert {name: each.imported.outcome for name, each in done.items()} == {
        "barn": Outcome.OK,
        "shed": Outcome.OK,
    }
    assert searched(shelf) == 100
    told = history(shelf)
    assert {step[2] for step in told} == {"ok"}
    assert {step[1] for step in told if step[0] == "build"} == {"barn", "shed"}
