"""`windrow serve` keeps the index: made at the start, and in step with what is harvested meanwhile."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.flows.serving import NAME, serving, stocked
from tests.flows.test_resume import until
from tests.unit.index import harm
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer
from windrow.index.tantivy.live_index import LiveIndex
from windrow.store import sources
from windrow.wiring import open_library
from windrow.wiring.indexing import follow_index

SEARCH = "/api/v1/search?q=*"


def test_a_server_makes_the_index_and_follows_the_library(tmp_path: Path) -> None:
    shelf = stocked(tmp_path / "library", records=40)
    index = LiveIndex(shelf.folder / "index")
    assert not index.is_ready
    with serving(shelf.folder):
        until(lambda: index.is_ready)
        before = index.newest().records
        assert before == len(shelf.live(name=NAME))
        with DemoServer(Repository(60, page_size=50)) as server:
            shelf.change(name=NAME, url=server.url)
            shelf.harvest(name=NAME, is_full=True)
        until(lambda: index.newest().records > before)
        until(lambda: index.newest().records == len(shelf.live(name=NAME)))


def indexed(folder: Path) -> int:
    """Make the index of a library; give how many records it has."""
    library = open_library(str(folder))
    try:
        follow_index(library)
        return library.index.newest().records
    finally:
        library.close()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_server_that_finds_a_damaged_index_builds_it_anew(tmp_path: Path, workers: str) -> None:
    shelf = stocked(tmp_path / "library", records=30)
    indexed(shelf.folder)
    harm.replace(shelf.folder / "index" / "g-000001")
    with serving(shelf.folder, "--workers", workers) as server:
        seen: list[int] = []

        def is_answered() -> bool:
            seen.append(server.ask(SEARCH).status)
            return seen[-1] == 200

        until(is_answered)
        assert set(seen) <= {200, 503}
        assert server.ask("/health").status == 200
        assert LiveIndex(shelf.folder / "index").trouble == ""
        _change(shelf.folder)
        index = LiveIndex(shelf.folder / "index")
        until(lambda: index.newest().records == 0)  # the keeper is still at work


def _change(folder: Path) -> None:
    """Take a source out of the store, as another process may."""
    library = open_library(str(folder))
    try:
        with library.store.writing() as connection:
            state = sources.find(connection, NAME)
            assert state is not None
            sources.forget(connection, state.id)
    finally:
        library.close()


def test_damage_that_a_search_meets_is_put_right_while_serving(tmp_path: Path) -> None:
    shelf = stocked(tmp_path / "library", records=30)
    records = indexed(shelf.folder)
    with serving(shelf.folder) as server:
        assert server.ask(SEARCH).status == 200
        harm.overwrite(shelf.folder / "index" / "g-000001")
        until(lambda: server.ask("/api/v1/search?q=title:a*%20OR%20title:e*").status == 503)
        until(lambda: server.ask(SEARCH).status == 200)
    assert LiveIndex(shelf.folder / "index").newest().records == records


def test_a_server_never_finds_less_when_the_index_is_deleted(tmp_path: Path) -> None:
    shelf = stocked(tmp_path / "library", records=200)
    indexed(shelf.folder)
    index = LiveIndex(shelf.folder / "index")
    before = index.generation
    with serving(shelf.folder) as server:
        whole = server.ask(SEARCH)
        shutil.rmtree(shelf.folder / "index")
        answers: set[tuple[int, bytes]] = set()

        def is_new() -> bool:
            got = server.ask(SEARCH)
            answers.add((got.status, got.body))
            return index.generation != before

        until(is_new)
    assert answers == {(200, whole.body)}


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_server_that_leaves_folders_alone_has_an_index_all_the_same(tmp_path: Path, workers: str) -> None:
    shelf = stocked(tmp_path / "library", records=20)
    with serving(shelf.folder, "--no-watch", "--workers", workers) as server:
        until(lambda: server.ask(SEARCH).status == 200)
