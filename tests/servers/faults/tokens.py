"""Faults of resumption tokens: those that expire, repeat, cycle, never end, or are hard to write."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from tests.servers.fault import Asked, Fault, Page, Refused
from tests.servers.http import Request
from tests.servers.items import Item


@dataclass
class Expiring(Fault):
    """A chain of more than `after_pages` pages breaks: its token has expired. `times` None: always."""

    after_pages: int = 2
    times: int | None = None

    def page(self, page: Page) -> Page:
        if page.index < self.after_pages or self.times == 0:
            return page
        if self.times is not None:
            self.times -= 1
        raise Refused("badResumptionToken", "The resumption token has expired")


@dataclass
class SingleUse(Fault):
    """A token works once; asked again with it, even after a lost answer, the server knows it no more."""

    serial: int = field(default=0, init=False)
    used: set[str] = field(default_factory=set, init=False)

    def write_token(self, text: str) -> str:
        self.serial += 1
        return f"{text}#{self.serial}"

    def read_token(self, text: str, request: Request) -> str:
        if text in self.used:
            raise Refused("badResumptionToken", "The resumption token was used before")
        self.used.add(text)
        return text.rpartition("#")[0]


@dataclass
class RepeatingForever(Fault):
    """From the second page on: the same page with the same token, for ever."""

    def page(self, page: Page) -> Page:
        own = self.server.token_for(page.asked, page.asked.offset)
        return replace(page, token=own) if page.asked.token else page


@dataclass
class SameTokenAdvancing(Fault):
    """The token always reads the same, yet the pages advance: the place is kept on the server."""

    place: str = field(default="", init=False)

    def write_token(self, text: str) -> str:
        self.place = text
        return "session-1"

    def read_token(self, text: str, request: Request) -> str:
        return self.place


@dataclass
class Cycling(Fault):
    """Page `length` points back to page 1; tokens differ from page to page, but the list has no end."""

    length: int = 2

    def page(self, page: Page) -> Page:
        if page.index < self.length:
            return page
        return replace(page, token=self.server.token_for(page.asked, self.server.page_size))


@dataclass
class TokenOnLastPage(Fault):
    """The last page has a token too; using it brings an error (its code), or an empty list ("")."""

    then: str = "noRecordsMatch"

    def page(self, page: Page) -> Page:
        if page.items:
            following = self.server.token_for(page.asked, page.asked.offset + self.server.page_size)
            return replace(page, token=page.token or following)
        if self.then and page.asked.token:
            raise Refused(self.then, "nothing more")
        return replace(page, token=None, may_be_empty=bool(page.asked.token))


@dataclass
class EmptyMiddlePage(Fault):
    """Page `at` is empty but has a token; the list goes on behind it."""

    at: int = 1

    def page(self, page: Page) -> Page:
        if page.index != self.at or (page.asked.token or "").endswith(".again"):
            return page
        return replace(page, items=(), token=self.server.token_for(page.asked, page.asked.offset) + ".again")

    def read_token(self, text: str, request: Request) -> str:
        return text.removesuffix(".again")


@dataclass
class EndlessEmptyPages(Fault):
    """From page `after` on every page is empty and has a new token."""

    after: int = 1
    serial: int = field(default=0, init=False)

    def page(self, page: Page) -> Page:
        if page.index < self.after:
            return page
        self.serial += 1
        own = self.server.token_for(page.asked, page.asked.offset)
        return replace(page, items=(), token=f"{own}.{self.serial}")

    def read_token(self, text: str, request: Request) -> str:
        return text.partition(".")[0]


@dataclass
class OddTokens(Fault):
    """Tokens with characters that must be escaped, exactly once, to come back as they were."""

    tail: str = "+/=!|%2B &;ü€𝄞#"

    def write_token(self, text: str) -> str:
        return text + self.tail

    def read_token(self, text: str, request: Request) -> str:
        if not text.endswith(self.tail):
            raise Refused("badResumptionToken", "not my token")
        return text.removesuffix(self.tail)


@dataclass
class UnescapedTokens(Fault):
    """The server compares the token before it decodes the query, so an escaped one is never right."""

    tail: str = "!:/|"

    def write_token(self, text: str) -> str:
        return text + self.tail

    def read_token(self, text: str, request: Request) -> str:
        raw = re.search(r"(?:^|&)resumptionToken=([^&]*)", request.query)
        if raw is None or not raw[1].endswith(self.tail):
            raise Refused("badResumptionToken", "not my token")
        return text.removesuffix(self.tail)


@dataclass
class NoTokens(Fault):
    """The list just ends after its first page, though there is more."""

    def page(self, page: Page) -> Page:
        return replace(page, token=None)


@dataclass
class ShrinkingList(Fault):
    """A record of a page already given vanishes between two pages, so that the next page skips one."""

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        return items[1:] if asked.token else items
