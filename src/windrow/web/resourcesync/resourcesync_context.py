"""What every document is made from: the library's store, its times, the public addresses."""

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

# Where the documents of a source are, and the resources that they list.

CAPABILITIES, RESOURCES, CHANGES, DUMP = "capabilitylist", "resourcelist", "changelist", "resourcedump"
_DOCUMENT = re.compile(r"/([^/]+)/([a-z]+)(?:-([1-9][0-9]{0,8}))?\.(xml|zip)")


class RequestedDocument(NamedTuple):
    """A document that is asked for; `part` is 0 where none is named."""

    source: str
    stem: str
    part: int
    suffix: str


def parse_document_path(rest: str) -> RequestedDocument | None:
    """Read what is asked for out of the rest of a path; None where nothing could be there."""
    found = _DOCUMENT.fullmatch(rest)
    if found is None:
        return None
    source, stem, part, suffix = found.groups()
    return RequestedDocument(source, stem, int(part or 0), suffix)


@dataclass(frozen=True, slots=True)
class ResourceSyncLinks:
    """The addresses at one site; `url` is without a slash at its end."""

    url: str

    @property
    def description(self) -> str:
        """Of the document that names all sources."""
        return f"{self.url}/.well-known/resourcesync"

    @property
    def about(self) -> str:
        """Of the page that says what the library is."""
        return f"{self.url}/about"

    def document(self, source: str, stem: str, part: int = 0, suffix: str = "xml") -> str:
        """Of a document of a source, or of a part of it."""
        number = f"-{part}" if part else ""
        return f"{self.url}/resourcesync/{quote(source, safe='')}/{stem}{number}.{suffix}"

    def up(self, source: str) -> Link:
        """From a document of a source to the list of all of them."""
        return Link("up", self.document(source, CAPABILITIES))

    def resource(self, source: str, identifier: str, prefix: str) -> str:
        """Of what a record has in a format, as it came."""
        page = record_path(source, identifier)
        return f"{self.url}{page}?format={quote(prefix, safe='', errors='replace')}"

    def relations(self, source: str, identifier: str) -> tuple[Link, ...]:
        """From a resource to the page of its record, and to the list of all records of its source."""
        page = Link("describes", f"{self.url}{record_path(source, identifier)}")
        return page, Link("collection", f"{self.url}/gateway/{quote(source, safe='')}/")


LEAVES_PER_PART = 25  # of a resource list, and of a package: 5,000 records
XML, ZIP = "text/xml; charset=utf-8", "application/zip"


class ChangeTimes:
    """When changes became visible, for several threads at once."""

    def __init__(self) -> None:
        self._moments = ChangeLog()
        self._lock = threading.Lock()

    def refresh(self, connection: Connection) -> int:
        """Read what came since; give the newest number."""
        with self._lock:
            self._moments.refresh(connection)
            return self._moments.last

    def at(self, seq: int) -> int:
        """Return when a change became visible, in Unix seconds."""
        with self._lock:
            return self._moments.at(seq)

    def told(self, seq: int) -> str:
        """Return the same as documents say it."""
        return render_time(self.at(seq))


@dataclass(frozen=True, slots=True)
class ResourceSyncContext:
    """One library, for those who keep copies of it."""

    store: Store
    addresses: ResourceSyncLinks
    leaves_a_part: int = LEAVES_PER_PART
    times: ChangeTimes = field(default_factory=ChangeTimes)
    cuts: PartBoundaries = field(default_factory=PartBoundaries)

    def shelf(self, connection: Connection, name: str) -> SourcePages:
        """Return the leaves of a source together; there are no documents about what has none."""
        if sources.find(connection, name) is None:
            raise not_found()
        check_lists_ready(
            connection
        )  # of half a list, somebody who keeps a copy would take the rest for gone
        found = find_source_pages(connection, name)
        if found is None:
            raise not_found()
        return found


@dataclass(frozen=True, slots=True)
class PendingDocument:
    """A document that is not made yet: what it depends on, when that last changed, how to make it."""

    depends: tuple[object, ...]
    modified: int  # Unix seconds
    pieces: Callable[[], Iterator[bytes]]
    is_long: bool = False  # so it is sent while it is made
    kind: str = XML


def not_found() -> HttpRefusal:
    """Return the refusal of an address where there is nothing."""
    return HttpRefusal(404, "There is nothing at this address.")


# A source in parts of so many leaves each, which never change places: for resource lists and dumps.

_RESOURCES_PER_BATCH = 50  # records; some have megabytes of metadata


@dataclass(frozen=True, slots=True)
class SourcePart:
    """Some leaves of a source."""

    source: str
    number: int
    leaves: Sequence[ListPage]
    ways: HistoryRules

    @property
    def live(self) -> int:
        """How many records everybody may see."""
        return sum(leaf.live for leaf in self.leaves)

    @property
    def seq(self) -> int:
        """The newest change to any of them."""
        return max(leaf.seq for leaf in self.leaves)

    @property
    def marks(self) -> tuple[object, ...]:
        """What differs when anything on its leaves does."""
        ends = self.leaves[0].first_id, self.leaves[-1].last_id
        return self.source, self.number, *ends, self.live, self.seq, *self.ways


def source_parts(desk: ResourceSyncContext, connection: Connection, source: str) -> list[SourcePart]:
    """Return all parts of a source in order."""
    shelf = desk.shelf(connection, source)
    size = desk.leaves_a_part
    found = list_pages.list_pages(connection, shelf.source_id)
    ways = read_history_rules(connection, shelf.source_id)
    starts = range(0, len(found), size)
    return [
        SourcePart(source, place, found[start : start + size], ways) for place, start in enumerate(starts, 1)
    ]


def source_part(desk: ResourceSyncContext, connection: Connection, source: str, number: int) -> SourcePart:
    """Return one part of a source."""
    shelf = desk.shelf(connection, source)
    first = (number - 1) * desk.leaves_a_part + 1
    found = list_pages.list_pages(connection, shelf.source_id, first, desk.leaves_a_part)
    if not found:
        raise not_found()
    return SourcePart(source, number, found, read_history_rules(connection, shelf.source_id))


def part_resources(desk: ResourceSyncContext, part: SourcePart) -> Iterator[list[Resource]]:
    """Yield the resources of a part, some at a time, each time as the library has them then."""
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
