"""The crawl bench: its site, its verdicts, and all of it once over a small site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bench import frontier_load, linked_site, nginx
from bench.errors import SetupError
from bench.measure import Result, Usage
from bench.parts import crawl
from bench.workspace import open_workspace

from tests.fixtures import missing

PAGES = 40


def timed(name: str, *seconds: float) -> Result:
    return Result(name, [Usage(each, each, 1_000_000) for each in seconds])


def met(ours: float, wget: float, scrapy: float) -> tuple[str, str]:
    row = crawl._row(timed(crawl.ROBOT, ours), 100, timed(crawl.WGET, wget), timed(crawl.SCRAPY, scrapy))
    cells = dict(zip(crawl.HEADERS, row, strict=True))
    return cells["met"], cells["met "]


def test_the_robot_is_held_to_a_share_of_wget_and_a_multiple_of_scrapy() -> None:
    assert met(1.0, 0.6, 2.0) == ("yes", "yes")
    assert met(1.0, 0.59, 2.0) == ("NO", "yes")
    assert met(1.0, 0.6, 1.9) == ("yes", "NO")


def test_every_page_of_the_site_is_linked_to_and_a_third_has_metadata(tmp_path: Path) -> None:
    site = linked_site.write(tmp_path, pages=200)
    linked = {""}
    for path in site.paths:
        text = (tmp_path / (path or "index.html")).read_text()
        linked |= {link.removeprefix("../") for link in re.findall(r'href="([^"]+)"', text)}
        assert len(text) >= linked_site.PAGE_BYTES
    assert set(site.paths) <= linked
    assert site.records == 67


def test_a_small_site_is_crawled_by_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crawl, "FRONTIER_URLS", 2_000)
    monkeypatch.setattr(crawl, "FRONTIER_HOSTS", 50)
    try:
        nginx.executable()
    except SetupError as exc:
        missing(str(exc))
    with open_workspace(records=PAGES, rounds=1, per_page=(100,), is_large=False, files=1) as space:
        crawlers, frontier = crawl.measure_part(space)
    faults = {result.name: result.fault for result in crawlers.results}
    assert faults == {crawl.ROBOT: "", crawl.WGET: "", crawl.SCRAPY: ""}
    assert frontier.rows[3][0] == "claim of 16 addresses, p50 ms"
    assert frontier.rows[3][1]


def test_the_frontier_is_worked_through_host_by_host(tmp_path: Path) -> None:
    assert frontier_load._found(1_001, 1_000).host == "www1.example.edu"
    frontier_load.main(str(tmp_path / "library"), str(tmp_path / "out"), "500", "20")
    assert '"claimed": 320' in (tmp_path / "out").read_text()
