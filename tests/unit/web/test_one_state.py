"""An answer is that of one state of the index, even if the next one comes while it is made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.asgi import AsgiServer
from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import Page
from windrow.config.loader import load
from windrow.index.feeder import follow
from windrow.index.generations import Generations
from windrow.index.tantivy.live_index import LiveIndex
from windrow.stats.charts.drawing import Drawer
from windrow.web.app import WebApplication
from windrow.web.front_ends import library_front_ends
from windrow.web.layout.site import SiteAddress

SITE = "https://library.example"
SETTINGS = '[sources.hay]\nurl = "https://hay.example/oai"\n'


class Restless:
    """A clock at every look at which the library has grown, and the index with it."""

    def __init__(self, folder: Path, catalogue: Catalogue) -> None:
        self._generations = Generations(folder / "index")
        self._catalogue = catalogue
        self.seconds = 0.0

    def __call__(self) -> float:
        self.seconds += 60
        number = int(self.seconds) // 60
        subject = "meadows" if number % 2 else "barns"
        self._catalogue.add(f"oai:hay.example:{number}", title=f"Hay {number}", subject=subject)
        follow(self._catalogue.store, self._generations)
        return self.seconds


@pytest.fixture
def server(tmp_path: Path) -> Iterator[AsgiServer]:
    catalogue = Catalogue(tmp_path)
    (tmp_path / "windrow.toml").write_text(SETTINGS, encoding="utf-8")
    clock = Restless(tmp_path, catalogue)
    for _ in range(4):
        clock()
    drawer = Drawer()
    index = LiveIndex(tmp_path / "index", clock=clock)
    faces = library_front_ends(load(tmp_path, environ={}), index, catalogue.store, url=SITE, drawer=drawer)
    with AsgiServer(WebApplication(faces, site=SiteAddress(SITE, "Hay"))) as made:
        yield made
    drawer.engine.close()
    catalogue.close()


def body(server: AsgiServer, path: str) -> str:
    got = server.ask(path)
    assert got.status == 200, got.text
    return got.text


@pytest.mark.parametrize("path", ["search?q=hay&facet=subject", "facets?q=hay&field=subject"])
def test_the_total_and_the_counts_of_the_api_fit_together(server: AsgiServer, path: str) -> None:
    totals = []
    for _ in range(3):
        found = json.loads(body(server, f"/api/v1/{path}"))
        assert sum(each["count"] for each in found["facets"][0]["values"]) == found["total"]
        totals.append(found["total"])
    assert totals == sorted(set(totals)), "nothing came while they were asked"


def test_the_numbers_on_a_page_of_results_fit_together(server: AsgiServer) -> None:
    for _ in range(3):
        page = Page(server.ask("/search?q=hay&per_page=100"))
        (total,) = page.texts("//p[@class='total']")
        counts = page.texts("//a[contains(@href, 'subject')]//span[@class='count']")
        assert len(counts) == 2
        assert f"{sum(map(int, counts))} results" == total


def test_the_numbers_of_a_statistic_fit_together(server: AsgiServer) -> None:
    for _ in range(3):
        _, *rows = body(server, "/statistics/subjects.csv").split()
        assert sum(float(row.split(",")[2]) for row in rows) == 1
