"""The pages of vocabularies over a small library, on a real port."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.servers.asgi import AsgiServer
from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import Page, Portal
from tests.unit.web.portal.test_occasions import course
from windrow.config.loader import load
from windrow.stats.charts.drawing import Drawer
from windrow.vocabularies.vocabulary_files import import_vocabulary
from windrow.web.app import WebApplication
from windrow.web.front_ends import library_front_ends
from windrow.web.layout.site import SiteAddress, serve_asset

SITE = "https://library.example"
SETTINGS = """\
[library]
name = "The barn"

[sources.hay]
url = "https://hay.example/oai"

[sources.oats]
url = "https://oats.example/oai"

[collections.north]
title = "The north"
sources = ["oats"]
[collections.north.vocabulary]
subject = "farming"

[collections.whole]
title = "Everything"
sources = ["hay", "oats"]
[collections.whole.vocabulary]
subject = "farming"
place = "places"
"""
BASE = "http://farm.example/onto/f"
# Several parents (f4), a circle below f7, a concept without labels (f9), one without one in English (f5), one
# that is no longer used (f10), and one of another address.
FARMING = f"""\
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix f: <{BASE}> .
<http://farm.example/onto/> a skos:ConceptScheme ;
  skos:prefLabel "Farming"@en , "Lantbruk"@sv , "Maatalous"@fi .
f:1 a skos:Concept ; skos:inScheme <http://farm.example/onto/> ;
  skos:prefLabel "Crops"@en , "Grödor"@sv , "Viljelykasvit"@fi ; skos:narrower f:3 , f:4 .
f:2 a skos:Concept ; skos:prefLabel "Fodder"@en , "Foder"@sv , "Rehu"@fi ; skos:narrower f:4 , f:5 .
f:3 a skos:Concept ; skos:prefLabel "Oats"@en , "Havre"@sv , "Kaura"@fi ; skos:broader f:1 ;
  skos:altLabel "Avena"@la , "Grey oats"@en ; skos:definition "A <b>cereal</b>."@en , "Ett sädesslag."@sv ;
  skos:related f:4 ; skos:exactMatch <https://other.example/oats> , <vocabulary://places/1> .
f:4 a skos:Concept ; skos:prefLabel "Hay"@en , "Hö"@sv , "Heinä"@fi ; skos:broader f:1 .
f:5 a skos:Concept ; skos:prefLabel "Ängsgräs"@sv ; skos:broader f:2 .
f:6 a skos:Concept ; skos:prefLabel "Zebu"@sv , "Zebu"@en ; skos:broader f:2 .
f:7 a skos:Concept ; skos:prefLabel "Round"@en ; skos:broader f:8 , f:2 .
f:8 a skos:Concept ; skos:prefLabel "And round"@en ; skos:broader f:7 .
f:9 a skos:Concept ; skos:broader f:2 .
f:10 a skos:Concept ; skos:prefLabel "Barley, old"@en ; owl:deprecated true ; dct:isReplacedBy f:3 .
<https://else.example/x/1> a skos:Concept ; skos:prefLabel "Elsewhere"@en ; skos:broader f:1 .
"""
PLACES = (
    "code,parent,label@en,label@sv,label@fi\n1,,North,Norr,Pohjoinen\n2280,1,Härnösand,Härnösand,Härnösand\n"
)


@dataclass
class Stage:
    """A portal with vocabularies."""

    portal: Portal
    folder: Path

    def page(self, path: str, language: str = "en") -> Page:
        return self.portal.page(path, language=language)

    def take_in(self, name: str, text: str, *, is_new: bool = False) -> None:
        put(self.portal.catalogue, self.folder, name, text, is_new=is_new)


def put(catalogue: Catalogue, folder: Path, name: str, text: str, *, is_new: bool = True) -> None:
    path = folder / (f"{name}.ttl" if text.startswith("@") else f"{name}.csv")
    path.write_text(text, encoding="utf-8")
    import_vocabulary(catalogue.store, name, path, is_new=is_new)


def stock(catalogue: Catalogue) -> None:
    subjects = (("oats",), ("Havre", "hay"), ("Heinä",), (f"{BASE}5",), ("chaff",))
    for number, found in enumerate(subjects):
        catalogue.add(
            f"r{number}", source="oats" if number else "hay", title=f"Record {number}", subject=found,
            date=str(2000 + number),
        )  # fmt: skip


@contextmanager
def staged(
    folder: Path,
    *,
    vocabularies: dict[str, str] | None = None,
    settings: str = SETTINGS,
    courses: bool = False,
) -> Iterator[Stage]:
    """Serve them; without `vocabularies`, farming and places. With `courses`, one course is there besides."""
    catalogue = Catalogue(folder)
    stock(catalogue)
    if courses:
        payload = course("a1;2002p1;bunden;full;2280;sv;dag")
        catalogue.add("course", source="oats", prefix="wir", payload=payload)
    for name, text in (
        {"farming": FARMING, "places": PLACES} if vocabularies is None else vocabularies
    ).items():
        put(catalogue, folder, name, text)
    (folder / "windrow.toml").write_text(settings, encoding="utf-8")
    config, drawer = load(folder, environ={}), Drawer()
    faces = library_front_ends(config, catalogue.index(), catalogue.store, url=SITE, drawer=drawer)
    site = SiteAddress(SITE, config.library.name)
    try:
        with AsgiServer(WebApplication({**faces, "static": serve_asset}, site=site)) as server:
            yield Stage(Portal(server, catalogue), folder)
    finally:
        drawer.engine.close()
        catalogue.close()
