"""The statistics of a small library on a real port, over an index that looks at every document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from lxml import html

from tests.oracle.entries import sample_entries
from tests.oracle.memory_index import MemoryIndex
from tests.servers.asgi import AsgiServer, Got
from windrow.config.loader import load
from windrow.index.protocol import Index
from windrow.index.tantivy.rows import Entry
from windrow.search.filters import TopicLabels
from windrow.stats.charts.drawing import Drawer
from windrow.store.overview import SourceOverview
from windrow.web.app import WebApplication
from windrow.web.layout.page_layout import PageLayouts
from windrow.web.layout.site import SiteAddress, serve_asset
from windrow.web.layout.theme import Themes
from windrow.web.statistics.statistics_context import HarvestOverviews, StatisticsContext
from windrow.web.statistics.statistics_front_end import StatisticsFrontEnd

NOW = datetime(2024, 6, 1, tzinfo=UTC)
SAMPLE = sample_entries(120, seed=3)
SETTINGS = """\
[library]
name = "The barn"

[sources.barn]
url = "https://barn.example/oai"

[collections.hay]
title = "Hay and oats"
sources = ["barn"]

[collections.called]
title = "Called otherwise"
sources = ["barn"]

[collections.called.labels]
institution = "School"
subject = { en = "Topic", fi = "Asia" }
keyword = "Term"
creator = "Maker"
"""


@dataclass(frozen=True, slots=True)
class Stage:
    """A server, and the desk behind it."""

    server: AsgiServer
    desk: StatisticsContext

    def ask(self, path: str, *, language: str = "en") -> Got:
        """Ask for something under `/statistics`."""
        return self.server.ask(f"/statistics{path}", headers={"Accept-Language": language})

    def page(self, path: str, *, language: str = "en") -> html.HtmlElement:
        """Give a page as a browser reads it."""
        got = self.ask(path, language=language)
        assert got.status == 200, got.text
        return html.fromstring(got.body.decode())


@contextmanager
def staged(
    folder: Path,
    drawer: Drawer,
    entries: Iterable[Entry] = SAMPLE,
    *,
    path: str = "",
    index: Index | None = None,
    harvests: HarvestOverviews | None = None,
) -> Iterator[Stage]:
    """Serve the statistics of some entries, or of an index; `path` is where the site is for the world."""
    (folder / "windrow.toml").write_text(SETTINGS, encoding="utf-8")
    config = load(folder, environ={})
    index = index or MemoryIndex(entries)
    with AsgiServer() as server:
        site = SiteAddress(f"https://library.example{path}", "The barn")
        desk = StatisticsContext(
            PageLayouts(site, Themes(config), topics=TopicLabels(index)),
            index,
            config.collection_sources,
            harvests or _harvests,
            drawer,
            lambda: NOW,
        )
        server.application = WebApplication(
            {"statistics": StatisticsFrontEnd(desk), "static": serve_asset}, site=site
        )
        yield Stage(server, desk)


def _harvests() -> list[SourceOverview]:
    return [
        SourceOverview("barn", records=40, last_good=NOW - timedelta(days=2), outcome="ok"),
        SourceOverview("field", records=0, last_good=None, outcome="never"),
    ]


def header(got: Got, name: str) -> str:
    """Give a header, or nothing."""
    headers: Mapping[str, str] = got.headers
    return headers.get(name, "")


def text_of(element: html.HtmlElement) -> str:
    """Give the text of an element, with single spaces."""
    return " ".join(str(element.text_content()).split())
