"""What a fault can do: one hook for each step between a request and the bytes of its answer.

`oai.OaiServer` calls the hooks in the order in which they stand here; each leaves things as they are unless
a fault says otherwise. The faults themselves are in `faults`, one small class each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING

from tests.servers.http import Reply, Request
from tests.servers.items import Item

if TYPE_CHECKING:
    from tests.servers.oai import OaiServer

LISTS = ("ListRecords", "ListIdentifiers")


class Refused(Exception):
    """An OAI error instead of an answer."""

    def __init__(self, code: str, text: str = "no") -> None:
        super().__init__(text)
        self.code = code


class Instead(Exception):
    """A reply of its own instead of an answer."""

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self.reply = reply


@dataclass(frozen=True, slots=True)
class Asked:
    """What the server takes a request for."""

    verb: str
    arguments: dict[str, str]
    prefix: str = ""
    spec: str | None = None
    start: datetime | None = None
    end: datetime | None = None
    offset: int = 0
    token: str | None = None  # the token as it came


@dataclass(frozen=True, slots=True)
class Identity:
    """What Identify says; an `earliest` of None leaves the element out."""

    granularity: str
    deleted: str
    earliest: str | None


@dataclass(frozen=True, slots=True)
class Page:
    """A piece of a list. A token of None leaves the element out, an empty one ends the list."""

    asked: Asked
    items: tuple[Item, ...]
    index: int
    token: str | None
    cursor: str | None
    size: str | None
    may_be_empty: bool = False


@dataclass
class Fault:
    """Does nothing wrong. Faults derive from this and override a hook or two."""

    server: OaiServer = field(init=False, repr=False)

    def intercept(self, request: Request) -> Reply | None:
        """A reply in place of any answer."""
        return None

    def read_token(self, text: str, request: Request) -> str:
        """The server's own token out of the one that came."""
        return text

    def reinterpret(self, asked: Asked) -> Asked:
        """Another understanding of the request."""
        return asked

    def identity(self, identity: Identity) -> Identity:
        """Another self-portrait."""
        return identity

    def sets(self, sets: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
        """Another list of (setSpec, setName)."""
        return sets

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        """Another list of records for a window and set."""
        return items

    def page(self, page: Page) -> Page:
        """Another piece of the list."""
        return page

    def write_token(self, text: str) -> str:
        """The token as it goes out."""
        return text

    def stamp(self, text: str) -> str:
        """The datestamp as it goes out."""
        return text

    def item(self, item: Item) -> Item:
        """Another record in this one's place."""
        return item

    def record(self, xml: str, item: Item, verb: str) -> str:
        """Other XML for one record."""
        return xml

    def markup(self, xml: str) -> str:
        """Another document."""
        return xml

    def encode(self, body: bytes) -> bytes:
        """Other bytes for the document."""
        return body

    def deliver(self, reply: Reply, request: Request) -> Reply:
        """Another way of sending it."""
        return reply


@dataclass
class Occasional(Fault):
    """Strikes requests with one of `verbs` only: the first `skip` are spared, then `times` are struck."""

    times: int | None = field(default=None, kw_only=True)
    skip: int = field(default=0, kw_only=True)
    verbs: tuple[str, ...] = field(default=LISTS, kw_only=True)
    _seen: int = field(default=0, init=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    def strikes(self, request: Request) -> bool:
        """Count this request and tell whether it is one to strike. Ask once a request."""
        if request.arguments.get("verb") not in self.verbs:
            return False
        with self._lock:
            self._seen += 1
            place = self._seen - self.skip
        return place > 0 and (self.times is None or place <= self.times)


@dataclass
class OnOne(Fault):
    """A fault of one record: `identifier`, or the one in the middle of the repository."""

    identifier: str | None = None

    def is_struck(self, item: Item) -> bool:
        """Whether this is the one."""
        if self.identifier is not None:
            return item.identifier == self.identifier
        return item.identifier == self.server.items[len(self.server.items) // 2].identifier
