"""The API over a small library, on a real port: asked as any program asks it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.servers.asgi import AsgiServer, Got
from tests.unit.search.catalogue import Catalogue
from windrow.config.loader import load
from windrow.index.feeder import follow
from windrow.index.generations import Generations
from windrow.index.protocol import Index
from windrow.index.tantivy.live_index import LiveIndex
from windrow.search.request import SearchRequest
from windrow.stats.table import Column, Kind, Row, Table, message
from windrow.stats.table_export import as_json
from windrow.vocabularies.vocabulary_expansion import make_expander
from windrow.vocabularies.vocabulary_files import import_vocabulary
from windrow.web.api.api_context import API_BASE, ApiContext
from windrow.web.api.api_front_end import ApiFrontEnd
from windrow.web.app import WebApplication
from windrow.web.layout.page_layout import PageLayouts
from windrow.web.layout.site import SiteAddress
from windrow.web.layout.theme import Themes

SITE = "https://library.example"
SETTINGS = """
[sources.hay]
url = "https://reader:secret@hay.example/oai"
[sources.oats]
url = "https://oats.example/oai"
[collections.north]
title = "The north"
sources = ["hay"]
[collections.north.vocabulary]
subject = "crops"
"""
CROPS = """code,parent,label@en,label@sv
1,,Farming,Jordbruk
2,1,Oats,Havre
3,1,Orchards,Fruktträdgårdar
"""
LANGUAGES = ("en", "sv", "fi")
TYPES = ("Bachelor's thesis", "Master's thesis", "Article")
PEOPLE = ("Mower, Ann", "Rake, Bo", "Äng, Örjan", "Niitty, Kaisa")


@dataclass
class Office:
    """A server and what stands behind it."""

    server: AsgiServer
    catalogue: Catalogue
    desk: ApiContext

    def ask(self, path: str, *pairs: tuple[str, str], headers: Mapping[str, str] | None = None) -> Got:
        query = f"?{urlencode(pairs)}" if pairs else ""
        return self.server.ask(f"{API_BASE}{path}{query}", headers=headers)

    def get(self, path: str, *pairs: tuple[str, str]) -> Any:
        """Ask for what is there; give its JSON."""
        got = self.ask(path, *pairs)
        assert got.status == 200, got.text
        return json.loads(got.body)

    def follow(self, address: str) -> Any:
        """Ask for an address that an answer gave."""
        assert address.startswith(SITE)
        got = self.server.ask(address.removeprefix(SITE))
        assert got.status == 200, got.text
        return json.loads(got.body)


def stock(catalogue: Catalogue) -> None:
    """Bring sixty records in, and take one of them back."""
    for number in range(60):
        catalogue.add(
            f"oai:hay.example:{number}/v1",
            source="hay" if number % 3 else "oats",
            sets=("theses",) if number % 2 else ("open",),
            title=f"Meadows in summer {number}" if number % 2 else f"Nurses and learning {number}",
            creator=PEOPLE[number % 4],
            subject=("hay", "straw") if number % 5 else ("oats",),
            description="A study of hay & <b>meadows</b>.",
            publisher="Barn Press" if number % 2 else "Field Press",
            date=str(2000 + number % 20),
            type=TYPES[number % 3],
            language=LANGUAGES[number % 3],
            institution="Field University" if number % 4 else "Barn Polytechnic",
            department=f"Department {number % 3}",
            identifier=f"https://barn.example/{number}",
        )
    catalogue.add("oai:hay.example:gone", title="Gone")
    catalogue.withdraw("oai:hay.example:gone")


def totals(index: Index, question: SearchRequest) -> Table:
    """A table of one row: how much is found, and how it was asked for."""
    columns = (Column("total", message("Records"), Kind.NUMBER),)
    rows = (Row((index.count(question.query),), tuple(question.pairs())),)
    return Table("totals", message("All records"), columns, rows)


@contextmanager
def opened(
    folder: Path,
    *,
    is_real: bool = False,
    is_indexed: bool = True,
    stocking: Callable[[Catalogue], object] = stock,
) -> Iterator[Office]:
    """Serve the library in a folder, over the oracle's index or the real one, which may be still to make."""
    catalogue = Catalogue(folder)
    stocking(catalogue)
    (folder / "windrow.toml").write_text(SETTINGS, encoding="utf-8")
    index: Index = catalogue.index()
    if is_real:
        if is_indexed:
            follow(catalogue.store, Generations(folder / "index"))
        index = LiveIndex(folder / "index")
    (folder / "crops.csv").write_text(CROPS, encoding="utf-8")
    import_vocabulary(catalogue.store, "crops", folder / "crops.csv")
    config = load(folder, environ={})
    tables = {"totals": lambda question: as_json(totals(index, question))}
    expander = make_expander(config, catalogue.store)
    desk = ApiContext(config, index, catalogue.store, SITE, tables, expander=expander)
    site = SiteAddress(SITE, "Hay")
    frames = PageLayouts(site, Themes(config), language=config.portal.language)
    application = WebApplication({"api": ApiFrontEnd(desk, frames)}, site=site)
    try:
        with AsgiServer(application) as server:
            yield Office(server, catalogue, desk)
    finally:
        catalogue.close()
