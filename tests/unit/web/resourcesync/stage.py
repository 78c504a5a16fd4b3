"""ResourceSync over a library that a test fills, on a real port, and its documents read back."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from lxml import etree

from tests.servers.asgi import AsgiServer, Got
from tests.unit.search.catalogue import Catalogue
from windrow.store.published import list_pages
from windrow.store.published.resources import PART_CHANGES, PartBoundaries
from windrow.web.app import WebApplication
from windrow.web.layout.site import SiteAddress
from windrow.web.resourcesync.resourcesync_context import (
    LEAVES_PER_PART,
    ResourceSyncContext,
    ResourceSyncLinks,
)
from windrow.web.resourcesync.resourcesync_front_end import ResourceSyncFrontEnd, TakeSlot

SITE = "https://library.example"
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
RS = "{http://www.openarchives.org/rs/terms/}"


@dataclass(frozen=True, slots=True)
class Listed:
    """An item as a client sees it."""

    address: str
    modified: str | None
    facts: Mapping[str, str]
    links: Mapping[str, str]


class Document:
    """A document as a client sees it."""

    def __init__(self, body: bytes) -> None:
        root = etree.fromstring(body)
        self.root = etree.QName(root).localname
        self.facts = _facts(root)
        self.links = {each.get("rel"): each.get("href") for each in root.iterchildren(f"{RS}ln")}
        self.items = [_listed(each) for each in root if etree.QName(each).localname in ("url", "sitemap")]

    @property
    def addresses(self) -> list[str]:
        return [each.address for each in self.items]

    def changes(self) -> list[tuple[str, str]]:
        """What happened to what, without the site."""
        return [(each.facts["change"], each.address.removeprefix(f"{SITE}/record")) for each in self.items]


def _listed(element: etree._Element) -> Listed:
    return Listed(
        str(element.findtext(f"{SITEMAP}loc")),
        element.findtext(f"{SITEMAP}lastmod"),
        _facts(element),
        {str(each.get("rel")): str(each.get("href")) for each in element.iterchildren(f"{RS}ln")},
    )


def _facts(element: etree._Element) -> dict[str, str]:
    return {
        str(name): str(value)
        for each in element.iterchildren(f"{RS}md")
        for name, value in each.attrib.items()
    }


@dataclass
class Stage:
    """A server over a catalogue."""

    server: AsgiServer
    catalogue: Catalogue

    def ask(self, path: str, **headers: str) -> Got:
        """Ask, with the leaves as they are when a keeper has looked."""
        list_pages.update_list_pages(self.catalogue.store)
        return self.server.ask(
            path, headers={name.replace("_", "-"): value for name, value in headers.items()}
        )

    def read(self, path: str) -> Document:
        """Read a document."""
        got = self.ask(path)
        assert got.status == 200, got.text
        return Document(got.body)

    def package(self, path: str) -> zipfile.ZipFile:
        """Read a package."""
        return zipfile.ZipFile(io.BytesIO(self.ask(path).body))


@contextmanager
def staged(
    catalogue: Catalogue,
    *,
    leaves_a_part: int = LEAVES_PER_PART,
    changes_a_part: int = PART_CHANGES,
    take: TakeSlot = lambda pieces, _client: (piece for piece in pieces),
    take_list: TakeSlot = lambda pieces, _client: (piece for piece in pieces),
) -> Iterator[Stage]:
    """Serve it, in parts as small as a test likes."""
    desk = ResourceSyncContext(
        catalogue.store, ResourceSyncLinks(SITE), leaves_a_part, cuts=PartBoundaries(changes_a_part)
    )
    face = ResourceSyncFrontEnd(desk, take, take_list)
    with AsgiServer(
        WebApplication(
            {"resourcesync": face, ".well-known": face.well_known}, site=SiteAddress(SITE, "The barn")
        )
    ) as server:
        yield Stage(server, catalogue)
