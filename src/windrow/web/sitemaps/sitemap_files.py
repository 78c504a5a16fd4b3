"""From leaves to sitemaps: which files there are and how new each is, and then the bytes of one.

Between the store and `face`, which answers with them. Nothing is kept: a file is made when it is asked for,
and one whose leaves say the same has the same bytes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple
from urllib.parse import quote

from windrow.faces.sitemaps.together import is_plain, render_together
from windrow.finding.addresses import record_path
from windrow.finding.record_paths import record_paths
from windrow.store import leaves
from windrow.store.connection import Connection
from windrow.store.leaves import Leaf
from windrow.store.moments import Moments
from windrow.store.stretches import are_together, stretches
from windrow.vocabularies.directory import ROOT, Directory
from windrow.wire.sitemap import MOST_ADDRESSES, render_index, render_pages, render_records, written_moment

# 20,000 addresses a file: with the longest that the protocol allows they stay below its 50 MB, whatever
# identifiers a source has.
FILE_LEAVES = 100
PAGES = "-pages"  # no source can be called so


class File(NamedTuple):
    """One file, as it can be told before it is made."""

    source: str
    number: int
    run: tuple[Leaf, ...]
    seq: int
    at: int  # Unix seconds

    @property
    def name(self) -> str:
        """What it is called, without an ending."""
        return f"{self.source}-{self.number}"

    @property
    def mark(self) -> tuple[object, ...]:
        """What differs where the bytes do."""
        return self.name, self.seq, self.run[-1].last_id


def page_paths(collections: Iterable[str]) -> list[str]:
    """Give the paths of the pages that are no records and that engines may keep."""
    return ["/", "/about", "/browse/", *(f"/collection/{quote(name)}" for name in collections)]


def vocabulary_paths(directory: Directory) -> Iterator[str]:
    """Yield the paths of the pages of vocabularies, and of those of their concepts that engines may keep."""
    if directory:
        yield ROOT
    yield from (place.path for place in directory.places)
    for place in directory.places:
        for concept in place.view.walk():
            path = place.concept_path(concept.uri)
            if not concept.is_deprecated and "?" not in path:
                yield path


class Listed(NamedTuple):
    """A file in the index: what it is called and when it last changed, as `lastmod` has it."""

    name: str
    moment: str | None


class Sitemaps:
    """Makes the sitemaps of a library at a public address. `pages` are paths of what is not a record.

    `more` returns those that may change while the server runs.
    """

    def __init__(
        self, url: str, pages: Sequence[str] = (), *, more: Callable[[], Iterable[str]] = tuple
    ) -> None:
        self.url = url
        self._pages = pages
        self._more = more
        self._moments = Moments()
        self._turn = threading.Lock()

    def listed(self, connection: Connection) -> tuple[list[Listed], int]:
        """Give the files that have something in them, and the moment of the newest change, Unix seconds."""
        found = [each for each in leaves.sections(connection, FILE_LEAVES) if each.live]
        times = [leaves.changed_at(connection, each.seq) for each in found]
        files = [
            Listed(f"{each.name}-{each.number}", written_moment(at))
            for each, at in zip(found, times, strict=True)
        ]
        return [Listed(PAGES, None), *files][:MOST_ADDRESSES], max(times, default=0)

    def index(self, files: Iterable[Listed]) -> bytes:
        """Give the index of these files."""
        return render_index((f"{self.url}/sitemaps/{each.name}.xml.gz", each.moment) for each in files)

    def pages(self) -> bytes:
        """Give the file of what is not a record."""
        paths = islice(chain(self._pages, self._more()), MOST_ADDRESSES)
        return render_pages(self.url + path for path in paths)

    def find(self, connection: Connection, source: str, number: int) -> File | None:
        """Give a file of a source; None where there is nothing in it."""
        shelf = leaves.shelf(connection, source)
        if shelf is None:
            return None
        first = (number - 1) * FILE_LEAVES + 1
        run = tuple(leaves.leaves(connection, shelf.source_id, first, FILE_LEAVES))
        if not any(each.live for each in run):
            return None
        seq = max(each.seq for each in run)
        return File(source, number, run, seq, leaves.changed_at(connection, seq))

    def file(self, connection: Connection, file: File) -> bytes:
        """Give the bytes of a file."""
        with self._turn:
            self._moments.refresh(connection)
        return self._together(connection, file) or self._one_by_one(connection, file)

    def _together(self, connection: Connection, file: File) -> bytes | None:
        """The bytes, from stretches of records; None where those are short, or an identifier is not plain."""
        if not are_together(connection, file.run):
            return None
        found, start = stretches(connection, file.run), self.url + record_path(file.source, "")
        if not all(is_plain(each, start) for each in found):
            return None
        with self._turn:
            parts = [part for each in found for part in each.parts(self._moments.at)]
        return render_together(start, parts)

    def _one_by_one(self, connection: Connection, file: File) -> bytes:
        rows = leaves.entries(connection, file.run)
        start, paths = record_paths(file.source, [identifier for _, identifier, _ in rows])
        with self._turn:
            moments = list(_written(self._moments, [seq for _, _, seq in rows]))
        return render_records(self.url + start, paths, moments)


def _written(moments: Moments, seqs: Iterable[int]) -> Iterator[str]:
    """When these changes became visible. Neighbours mostly came together, and so are looked up together."""
    before = last = 0
    moment = ""
    for seq in seqs:
        if not before < seq <= last:
            before, last, at = moments.stretch(seq)
            moment = written_moment(at)
        yield moment
