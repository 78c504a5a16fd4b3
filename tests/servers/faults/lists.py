"""Faults of lists: their sizes, their windows, what they repeat and where they break."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.servers.fault import Asked, Fault, Instead, OnOne, Page, Refused
from tests.servers.http import Reply
from tests.servers.items import Item, dublin_core


@dataclass
class NoSizes(Fault):
    """Neither completeListSize nor cursor."""

    def page(self, page: Page) -> Page:
        return replace(page, cursor=None, size=None)


@dataclass
class WrongSize(Fault):
    """A completeListSize that is not the size of the list."""

    size: str = "7"

    def page(self, page: Page) -> Page:
        return replace(page, size=self.size)


@dataclass
class PageNumbers(Fault):
    """The cursor counts pages, not records."""

    def page(self, page: Page) -> Page:
        return replace(page, cursor=str(page.index + 1))


@dataclass
class TooMany(Fault):
    """A window of more than `limit` records is refused: 413, or badArgument with status 200."""

    limit: int = 10
    status: int = 200

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        if len(items) <= self.limit:
            return items
        text = f"Too many records: at most {self.limit} a request, narrow it with from and until"
        if self.status != 200:
            raise Instead(Reply(self.status, text.encode(), content_type="text/plain"))
        raise Refused("badArgument", text)


@dataclass
class DatesIgnored(Fault):
    """from and until are taken and not heeded."""

    def reinterpret(self, asked: Asked) -> Asked:
        return replace(asked, start=None, end=None)


@dataclass
class Duplicates(Fault):
    """Every third identifier comes twice in the list, the second time with another payload."""

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        again = [replace(each, payload=dublin_core("Another title")) for each in items[::3] if each.payload]
        return sorted([*items, *again], key=lambda each: (each.stamp, each.identifier))


@dataclass
class EmptyList(Fault):
    """An empty window is an empty list, not noRecordsMatch."""

    def page(self, page: Page) -> Page:
        return page if page.items or page.asked.token else replace(page, may_be_empty=True)


@dataclass
class BreaksOn(OnOne):
    """ListRecords fails for pages with one record; ListIdentifiers and GetRecord work.

    `status` 500 is the server's own crash; 200 is XML that breaks off in that record.
    """

    status: int = 500

    def page(self, page: Page) -> Page:
        if self.status != 200 and page.asked.verb == "ListRecords" and any(map(self.is_struck, page.items)):
            raise Instead(Reply(self.status, b"Internal error", content_type="text/plain"))
        return page

    def record(self, xml: str, item: Item, verb: str) -> str:
        if self.status == 200 and verb == "ListRecords" and self.is_struck(item):
            return xml.replace("</dc:title>", "</dc:titel")
        return xml
