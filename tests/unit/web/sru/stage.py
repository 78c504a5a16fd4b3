"""SRU over a small library: records with all that the tests ask of, in an index and in a store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from lxml import etree

from tests.servers.asgi import AsgiServer, Got
from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import SETTINGS, frames_of
from windrow.config.loader import load
from windrow.index.feeder import follow
from windrow.index.generations import Generations
from windrow.index.protocol import Index
from windrow.index.tantivy.live_index import LiveIndex
from windrow.search.databases import Database, library_databases
from windrow.search.record_schemas import schema_lister
from windrow.web.app import FrontEnd, WebApplication
from windrow.web.http.thread_pools import SearchPools
from windrow.web.layout.site import SiteAddress, serve_asset
from windrow.web.portal.portal_context import PortalContext
from windrow.web.portal.portal_front_end import portal_front_ends
from windrow.web.sru.sru_front_end import SruFrontEnd
from windrow.web.sru.zeerex import SruLimits

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
COLLECTION = '\n[collections.fields]\ntitle = "All fields"\nsources = ["hay", "oats"]\n'
MARC = "http://www.loc.gov/MARC21/slim"
_MARC = (
    f'<record xmlns="{MARC}"><leader>00000cam a2200000 a 4500</leader>'
    '<controlfield tag="001">7</controlfield><datafield tag="245" ind1="1" ind2="0">'
    '<subfield code="a">Rye in MARC</subfield></datafield></record>'
).encode()


def stock(catalogue: Catalogue) -> None:
    """Thirty records on hay, one on oats, one that was harvested in MARC, one that is gone."""
    for place in range(1, 31):
        catalogue.add(
            f"oai:hay:{place}",
            title=f"Hay and straw {place}",
            creator="Mower, Ann" if place % 2 else "Äng, Bo",
            subject=("meadows", "hö") if place % 3 else ("drying",),
            date=str(2000 + place % 10),
            type="Thesis",
            language="en" if place % 2 else "sv",
            identifier=f"https://hay.example/{place}",
        )
    catalogue.add("oai:oats:1", source="oats", title="Oats & <rye>", creator="Rake, Cia", date="1999")
    catalogue.add("oai:oats:2", source="oats", prefix="marcxml", payload=_MARC)
    catalogue.add("oai:oats:3", source="oats", title="Gone hay")
    catalogue.withdraw("oai:oats:3", source="oats")


def indexed(folder: Path, catalogue: Catalogue) -> LiveIndex:
    """Return a real index of all that is in the store."""
    follow(catalogue.store, Generations(folder / "index"))
    return LiveIndex(folder / "index")


@dataclass
class Sru:
    """A server that can be asked."""

    server: AsgiServer
    face: SruFrontEnd

    def ask(
        self, query: Mapping[str, str] | str = "", *, name: str = "", headers: Mapping[str, str] | None = None
    ) -> Got:
        written = query if isinstance(query, str) else urlencode(query)
        path = "/sru" + (f"/{name}" if name else "")
        return self.server.ask(f"{path}?{written}" if written else path, headers=headers or {"Accept": "*/*"})

    def xml(self, query: Mapping[str, str] | str = "", *, name: str = "") -> etree._Element:
        got = self.ask(query, name=name)
        assert got.status == 200, got.text
        return etree.fromstring(got.body)

    def search(self, query: str, *, name: str = "", **parameters: str) -> etree._Element:
        """A search in 1.2."""
        asked = {"operation": "searchRetrieve", "version": "1.2", "query": query, **parameters}
        return self.xml(asked, name=name)


def total(root: etree._Element) -> int:
    return int(texts(root, "numberOfRecords")[0])


def texts(root: etree._Element, name: str) -> list[str]:
    """The texts of all elements of a name, whatever their namespace."""
    return [each.text or "" for each in root.iter() if local(each) == name]


def numbers(root: etree._Element) -> list[int]:
    """The numbers of the diagnostics."""
    found = (uri for uri in texts(root, "uri") if uri.startswith("info:srw/diagnostic/1/"))
    return [int(uri.rpartition("/")[2]) for uri in found]


def local(element: etree._Element) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


@contextmanager
def staged(
    folder: Path,
    catalogue: Catalogue,
    *,
    index: Index | None = None,
    limits: SruLimits | None = None,
    others: tuple[Database, ...] = (),
    path: str = "",
) -> Iterator[Sru]:
    """Serve it."""
    (folder / "windrow.toml").write_text(SETTINGS + COLLECTION, encoding="utf-8")
    config = load(folder, environ={})
    site = SiteAddress(f"https://library.example{path}", config.library.name)
    index = index or indexed(folder, catalogue)
    store = catalogue.store
    frames = frames_of(config, site, catalogue, index)
    databases = library_databases(config, index, store, schemas=schema_lister(store), others=lambda: others)
    room = PortalContext(config, frames, index, store)
    searches = SearchPools()
    contact = config.library.contact
    face = SruFrontEnd(databases, index, frames, searches, limits=limits, contact=contact)
    with AsgiServer() as server:
        faces: dict[str, FrontEnd] = {**portal_front_ends(room, searches), "sru": face, "static": serve_asset}
        server.application = WebApplication(faces, site=site)
        yield Sru(server, face)
