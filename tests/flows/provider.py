"""A library served on a loopback port in this process, whose clock and whose changes a test decides on.

Also: what any client makes of a harvest, so that it can be compared with what the library holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.servers.asgi import AsgiServer
from tests.unit.web.oai.holdings import Holdings, dublin_core, gone, live
from windrow.model.record import Record
from windrow.store.records.record_reader import RecordReader
from windrow.web.front_ends import make_application

HOUR = 3600
PAGED = "[oai]\nrecords_per_page = 10\nidentifiers_per_page = 15\n"
HAY = '[sources.hay]\nurl = "https://hay.example/oai"\n'


@dataclass(frozen=True)
class Copy:
    """What a client has of one record."""

    stamp: str
    sets: frozenset[str]
    title: str | None  # None: deleted


Mirror = dict[str, Copy]


@dataclass
class Provider:
    """The library with the source `hay`, and where it answers for it."""

    holdings: Holdings
    server: AsgiServer
    between: Callable[[int], None] | None = None  # called with 1, 2 … before each further page of a list
    asked: list[str] = field(default_factory=list)  # the query of every request

    @property
    def url(self) -> str:
        return f"{self.server.url}/oai/hay"

    def write(self, *records: Record, **how: Any) -> None:
        self.holdings.write(*records, **how)

    def truth(self) -> Mirror:
        """What a harvest that is complete must have brought."""
        reader = RecordReader()
        with self.holdings.store.reading() as connection:
            batches = reader.batches(connection, sources=["hay"], include_deleted=True)
            return {record.identifier: _copy(record) for batch in batches for record in batch}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Stand in front of the application: note requests, and let time pass between pages."""
        query = scope["query_string"].decode()
        self.asked.append(query)
        if "resumptionToken=" in query and self.between is not None:
            self.between(sum("resumptionToken=" in each for each in self.asked))
        await self._application(scope, receive, send)

    def serve(self) -> None:
        """Take over the settings of the library, and answer."""
        self.holdings.site = self.server.url
        self.holdings.restart()
        repository = self.holdings.repository
        self._application = make_application(self.holdings.config, repository, url=self.server.url, look=dict)
        self.server.application = self


@contextmanager
def provider(folder: Path, settings: str = PAGED) -> Iterator[Provider]:
    """A provider with nothing in it."""
    folder.mkdir()
    holdings = Holdings(folder, settings + HAY)
    with AsgiServer() as server:
        made = Provider(holdings, server)
        made.serve()
        yield made
    holdings.close()


def stock(found: Provider, count: int = 60) -> None:
    """Fill it: every seventh is a tombstone, sets and titles differ."""
    names = [f"oai:x:{number}" for number in range(count)]
    found.write(*(live(name, dublin_core(f"first {name}"), sets=sets_of(n)) for n, name in enumerate(names)))
    found.write(*(gone(name) for name in names[::7]))


def sets_of(number: int) -> tuple[str, ...]:
    return ("all", "even:two" if number % 2 else "odd")


def unrest(found: Provider) -> Callable[[int], None]:
    """Changes for every pause between two pages: before and after where the list is, of every kind."""

    def change(turn: int) -> None:
        found.holdings.now += 1
        names = [f"oai:x:{(turn * step) % 60}" for step in (1, 7, 11, 13, 17)]
        found.write(
            live(names[0], dublin_core(f"changed {turn}"), sets=("all",)),
            gone(names[1]),
            live(names[2], dublin_core(f"moved {turn}"), sets=("all", f"new{turn}")),
            live(names[3], dublin_core(f"back {turn}"), sets=("all", "odd")),
            live(f"oai:new:{turn}", dublin_core("new"), sets=("all",)),
        )

    return change


def update(mirror: Mirror, found: Mapping[str, Copy]) -> Mirror:
    """A mirror after an incremental harvest."""
    return {**mirror, **found}


def title_of(payload: bytes | None) -> str | None:
    return None if payload is None else payload.partition(b"title>")[2].partition(b"<")[0].decode()


def _copy(record: Any) -> Copy:
    stamp = record.changed_at.strftime("%Y-%m-%dT%H:%M:%SZ")
    held = record.payload("oai_dc")
    return Copy(stamp, frozenset(record.sets), None if record.is_deleted else title_of(held.data))
