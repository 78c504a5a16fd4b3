"""The portal of a small library on a real port: records in a store, all of them in an index."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from urllib.parse import quote

from lxml import html

from tests.servers.asgi import AsgiServer, Got
from tests.unit.search.catalogue import Catalogue
from windrow.config.loader import load
from windrow.config.schema import Config
from windrow.index.protocol import Index
from windrow.search.filters import TopicLabels
from windrow.store.store import unchanged_since
from windrow.vocabularies.vocabulary_expansion import make_expander
from windrow.web.app import FrontEnd, WebApplication
from windrow.web.layout.page_layout import PageLayouts
from windrow.web.layout.site import SiteAddress, serve_asset
from windrow.web.layout.theme import Themes
from windrow.web.portal.portal_context import LandingChart, PortalContext
from windrow.web.portal.portal_front_end import portal_front_ends

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
SETTINGS = """\
[library]
name = "The barn"
contact = "barn@library.example"

[sources.hay]
url = "https://hay.example/oai"

[sources.oats]
url = "https://oats.example/oai"
"""


@dataclass
class Page:
    """A page as it came, and as a browser would read it."""

    got: Got
    root: html.HtmlElement = field(init=False)

    def __post_init__(self) -> None:
        self.root = html.fromstring(self.got.body)

    @property
    def status(self) -> int:
        return self.got.status

    @property
    def words(self) -> str:
        """All text, with single spaces."""
        for element in self.root.xpath("//script"):
            element.drop_tree()
        return " ".join(self.root.text_content().split())

    @property
    def heading(self) -> str:
        return " ".join(self.root.xpath("string(//h1)").split())

    def links(self, words: str) -> list[str]:
        """The addresses of all links with these words somewhere in them."""
        found = self.root.xpath("//a[contains(normalize-space(string()), $words)]/@href", words=words)
        return [str(each) for each in found]

    def link(self, words: str) -> str:
        (found,) = dict.fromkeys(self.links(words))
        return found

    def texts(self, path: str) -> list[str]:
        return [" ".join(each.text_content().split()) for each in self.root.xpath(path)]


@dataclass
class Portal:
    """A portal that can be asked."""

    server: AsgiServer
    catalogue: Catalogue
    path: str = ""

    def ask(self, path: str, *, language: str = "en", headers: Mapping[str, str] | None = None) -> Got:
        """Make a request as a browser does. What is not ASCII is written as browsers write it."""
        sent = {**BROWSER, "Accept-Language": language, **(headers or {})}
        return self.server.ask(quote(path, safe="/?&=%:+#*"), headers=sent)

    def page(self, path: str, *, language: str = "en") -> Page:
        return Page(self.ask(path, language=language))


def frames_of(
    config: Config, site: SiteAddress, catalogue: Catalogue, index: Index | None = None
) -> PageLayouts:
    """What surrounds the pages of a library that remembers since when it has looked as it does."""
    noted = partial(unchanged_since, catalogue.store, "look")
    topics = None if index is None else TopicLabels(index)
    return PageLayouts(
        site,
        Themes(config),
        language=config.portal.language,
        began=noted,
        topics=topics,
        expander=make_expander(config, catalogue.store),
    )


@contextmanager
def staged(
    folder: Path,
    catalogue: Catalogue,
    *,
    settings: str = SETTINGS,
    path: str = "",
    index: Index | None = None,
    landing: LandingChart | None = None,
    looked_at: Callable[[int, str], None] | None = None,
) -> Iterator[Portal]:
    """Serve the portal; `path` is where it is for the world."""
    (folder / "windrow.toml").write_text(settings, encoding="utf-8")
    config = load(folder, environ={})
    site = SiteAddress(f"https://library.example{path}", config.library.name)
    index = index or catalogue.index()
    frames = frames_of(config, site, catalogue, index)
    room = PortalContext(config, frames, index, catalogue.store)
    if landing is not None:
        room = replace(room, landing=landing)
    if looked_at is not None:
        room = replace(room, looked_at=looked_at)
    faces: dict[str, FrontEnd] = {**portal_front_ends(room), "static": serve_asset}
    with AsgiServer(WebApplication(faces, site=site)) as server:
        yield Portal(server, catalogue, path)


def stock(catalogue: Catalogue) -> None:
    """Five records of two sources, much as repositories have them."""
    catalogue.add(
        "oai:hay.example:1",
        title="Hay in the meadow",
        creator=("Mower, Ann", "Rake, Bo"),
        date="2012",
        type="Master's thesis",
        language="en",
        subject=("hay", "meadows"),
        publisher="Field University",
        description="How hay is made in the meadow, and what the meadow has to say about it.",
        identifier=("https://hay.example/1", "https://hay.example/1.pdf"),
        sets=("theses",),
    )
    catalogue.add(
        "oai:hay.example:2",
        title="Heinä ja niitty",
        creator="Niitty, Åsa",
        date="2014",
        type="Master's thesis",
        language="fi",
        subject="heinä",
        description="Heinää niityltä.",
    )
    catalogue.add("oai:hay.example:3", title="Straw", creator="Mower, Ann", date="2014", language="en")
    catalogue.add("oai:oats.example:x/4", source="oats", title="Oats & barley", date="2009", type="Article")
    catalogue.add("oai:hay.example:5", title="Chaff")
    catalogue.withdraw("oai:hay.example:5")
