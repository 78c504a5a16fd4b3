"""`windrow serve` keeps the index: made at the start, and in step with what is harvested meanwhile."""

from __future__ import annotations

from pathlib import Path

from tests.flows.serving import NAME, serving, stocked
from tests.flows.test_resume import until
from windrow.demo.repository import Repository
from windrow.demo.server import DemoServer
from windrow.index.live import LiveIndex


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
