"""What ResourceSync documents share: context, addresses, change times and parts."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import quote

from windrow.protocols.resourcesync import Link, render_time
from windrow.search.record_addresses import record_path
from windrow.store import sources
from windrow.store.connection import Connection
from windrow.store.published import list_pages
from windrow.store.published.list_pages import ListPage, SourcePages, find_source_pages
from windrow.store.published.resources import (
    HistoryRules,
    PartBoundaries,
    Resource,
    ResourceReader,
    read_history_rules,
)
from windrow.store.sequence import ChangeLog
from windrow.store.store import Store
from windrow.web.http.http_request import HttpRefusal
from windrow.web.layout.page_cache import check_lists_ready

CAPABILITIES, RESOURCES, CHANGES, DUMP = "capabilitylist", "resourcelist", "changelist", "resourcedump"
_DOCUMENT = re.compile(r"/([^/]+)/([a-z]+)(?:-([1-9][0-9]{0,8}))?\.(xml|zip)")


class RequestedDocument(NamedTuple):
    """A requested document; `part` is 0 if none is named."""

    source: str
    stem: str
    part: int
    suffix: str


def parse_document_path(rest: str) -> RequestedDocument | None:
    """Parse the rest of a path; None if it cannot name a document."""
    found = _DOCUMENT.fullmatch(rest)
    if found is None:
        return None
    source, stem, part, suffix = found.groups()
    return RequestedDocument(source, stem, int(part or 0), suffix)


@dataclass(frozen=True, slots=True)
class ResourceSyncLinks:
    """The addresses of documents and resources; `url` has no trailing slash."""

    url: str

    @property
    def description(self) -> str:
        """Return the address of the Source Description."""
        return f"{self.url}/.well-known/resourcesync"

    @property
    def about(self) -> str:
        """Return the address of the page about the library."""
        return f"{self.url}/about"

    def document(self, source: str, stem: str, part: int = 0, suffix: str = "xml") -> str:
        number = f"-{part}" if part else ""
        return f"{self.url}/resourcesync/{quote(source, safe='')}/{stem}{number}.{suffix}"

    def up(self, source: str) -> Link:
        """Return the link from a document to its source's Capability List."""
        return Link("up", self.document(source, CAPABILITIES))

    def resource(self, source: str, identifier: str, prefix: str) -> str:
        """Return the address of a record's stored payload in a format."""
        page = record_path(source, identifier)
        return f"{self.url}{page}?format={quote(prefix, safe='', errors='replace')}"

    def relations(self, source: str, identifier: str) -> tuple[Link, ...]:
        """Return the links from a resource to its record's page and to its source's list of records."""
        page = Link("describes", f"{self.url}{record_path(source, identifier)}")
        return page, Link("collection", f"{self.url}/gateway/{quote(source, safe='')}/")


LEAVES_PER_PART = 25  # of a resource list, and of a package: 5,000 records
XML, ZIP = "text/xml; charset=utf-8", "application/zip"


class ChangeTimes:
    """The times at which changes became visible. Thread-safe."""

    def __init__(self) -> None:
        self._moments = ChangeLog()
        self._lock = threading.Lock()

    def refresh(self, connection: Connection) -> int:
        """Read new changes and return the newest number."""
        with self._lock:
            self._moments.refresh(connection)
            return self._moments.last

    def at(self, seq: int) -> int:
        """Return when a change became visible, in Unix seconds."""
        with self._lock:
            return self._moments.at(seq)

    def told(self, seq: int) -> str:
        """Return the same in the documents' format."""
        return render_time(self.at(seq))


@dataclass(frozen=True, slots=True)
class ResourceSyncContext:
    """One library, as it is offered for synchronisation."""

    store: Store
    addresses: ResourceSyncLinks
    leaves_a_part: int = LEAVES_PER_PART
    times: ChangeTimes = field(default_factory=ChangeTimes)
    cuts: PartBoundaries = field(default_factory=PartBoundaries)

    def shelf(self, connection: Connection, name: str) -> SourcePages:
        """Return a source's list pages; raise HttpRefusal if there are none, or they are incomplete."""
        if sources.find(connection, name) is None:
            raise not_found()
        check_lists_ready(connection)  # from half a list, a client would take all other records for deleted
        found = find_source_pages(connection, name)
        if found is None:
            raise not_found()
        return found


@dataclass(frozen=True, slots=True)
class PendingDocument:
    """A document that is not rendered yet: what it depends on, its last change, and its renderer."""

    depends: tuple[object, ...]
    modified: int  # Unix seconds
    pieces: Callable[[], Iterator[bytes]]
    is_long: bool = False  # sent while it is made
    kind: str = XML


def not_found() -> HttpRefusal:
    return HttpRefusal(404, "There is nothing at this address.")


# Resource lists and dumps divide a source into parts of a fixed number of list pages, whose order is stable.

_RESOURCES_PER_BATCH = 50  # records; some have megabytes of metadata


@dataclass(frozen=True, slots=True)
class SourcePart:
    """Consecutive list pages of a source."""

    source: str
    number: int
    leaves: Sequence[ListPage]
    ways: HistoryRules

    @property
    def live(self) -> int:
        return sum(leaf.live for leaf in self.leaves)

    @property
    def seq(self) -> int:
        """Return the newest change to any of them."""
        return max(leaf.seq for leaf in self.leaves)

    @property
    def marks(self) -> tuple[object, ...]:
        """Return values that change whenever anything on its pages does."""
        ends = self.leaves[0].first_id, self.leaves[-1].last_id
        return self.source, self.number, *ends, self.live, self.seq, *self.ways


def source_parts(desk: ResourceSyncContext, connection: Connection, source: str) -> list[SourcePart]:
    shelf = desk.shelf(connection, source)
    size = desk.leaves_a_part
    found = list_pages.list_pages(connection, shelf.source_id)
    ways = read_history_rules(connection, shelf.source_id)
    starts = range(0, len(found), size)
    return [
        SourcePart(source, place, found[start : start + size], ways) for place, start in enumerate(starts, 1)
    ]


def source_part(desk: ResourceSyncContext, connection: Connection, source: str, number: int) -> SourcePart:
    """Return one part of a source; raise HttpRefusal if there is none."""
    shelf = desk.shelf(connection, source)
    first = (number - 1) * desk.leaves_a_part + 1
    found = list_pages.list_pages(connection, shelf.source_id, first, desk.leaves_a_part)
    if not found:
        raise not_found()
    return SourcePart(source, number, found, read_history_rules(connection, shelf.source_id))


def part_resources(desk: ResourceSyncContext, part: SourcePart) -> Iterator[list[Resource]]:
    """Yield the resources of a part in batches, each read when it is needed."""
    reader = ResourceReader(part.ways)
    for leaf in part.leaves:
        with desk.store.reading() as connection:
            rows = list_pages.list_entries(connection, [leaf])
        for start in range(0, len(rows), _RESOURCES_PER_BATCH):
            names = {number: name for number, name, _ in rows[start : start + _RESOURCES_PER_BATCH]}
            with desk.store.reading() as connection:
                desk.times.refresh(connection)
                found = reader.read(connection, names)
            yield found
