"""The files of the sitemap protocol: which there are, how new each is, and their bytes.

Nothing is stored: a file is made on request, and has the same bytes as long as its list pages do not change.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, islice
from typing import NamedTuple
from urllib.parse import quote

from windrow.protocols.sitemap_xml import (
    LONGEST_ADDRESS,
    MOST_ADDRESSES,
    render_index,
    render_lastmod,
    render_pages,
    render_records,
)
from windrow.search.record_addresses import are_plain_identifiers, build_record_paths, record_path
from windrow.store.connection import Connection
from windrow.store.published import list_pages
from windrow.store.published.list_pages import (
    CHANGED_SIGN,
    SEPARATOR,
    ListPage,
    Stretch,
    has_long_stretches,
    list_stretches,
)
from windrow.store.sequence import ChangeLog
from windrow.vocabularies.vocabulary_directory import ROOT, VocabularyDirectory

# The fast way to make a file, for nearly all files: from whole stretches of records instead of single ones.
# Its bytes are those of `render_records`.

_APART = SEPARATOR.encode()
_END = b"</urlset>\n"


def is_plain_stretch(stretch: Stretch, start: str) -> bool:
    """Return whether identifiers need no escaping in addresses, and no address is too long."""
    count = stretch.number - 1 + stretch.moved
    return (
        stretch.is_clear
        and are_plain_identifiers(stretch.text, marks=SEPARATOR + CHANGED_SIGN, count=count)
        and len(start) + max(map(len, stretch.text.split(SEPARATOR))) <= LONGEST_ADDRESS
    )


def render_plain_stretches(start: str, parts: Iterable[tuple[str, int]]) -> bytes:
    """Return a file of addresses that share a start: plain identifiers joined, with their times.

    Works on bytes and joins once: such a file has millions of bytes, and every copy counts.
    """
    head = render_records(start, [], []).removesuffix(_END)

    @cache
    def around(at: int) -> tuple[bytes, bytes]:
        line = render_records(start, [SEPARATOR], [render_lastmod(at)])
        before, _, behind = line.removeprefix(head).removesuffix(_END).partition(_APART)
        return before, behind

    pieces = [head]
    for text, at in parts:
        before, behind = around(at)
        pieces += (before, text.encode().replace(_APART, behind + before), behind)
    return b"".join((*pieces, _END))


# 20,000 addresses per file: even with the longest addresses allowed it stays below the protocol's 50 MB.
LEAVES_PER_FILE = 100
PAGES_NAME = "-pages"  # not allowed as the name of a source


class SitemapFile(NamedTuple):
    """A file, described before it is made."""

    source: str
    number: int
    run: tuple[ListPage, ...]
    seq: int
    at: int  # Unix seconds

    @property
    def name(self) -> str:
        return f"{self.source}-{self.number}"

    @property
    def mark(self) -> tuple[object, ...]:
        """Return values that change whenever its bytes do."""
        return self.name, self.seq, self.run[-1].last_id


def page_paths(collections: Iterable[str]) -> list[str]:
    """Return the paths of indexable pages that are not records."""
    return ["/", "/about", "/browse/", *(f"/collection/{quote(name)}" for name in collections)]


def vocabulary_paths(directory: VocabularyDirectory) -> Iterator[str]:
    """Yield the paths of vocabularies, and of those of their concepts that are indexable."""
    if directory:
        yield ROOT
    yield from (place.path for place in directory.places)
    for place in directory.places:
        for concept in place.view.walk():
            path = place.concept_path(concept.uri)
            if not concept.is_deprecated and "?" not in path:
                yield path


class IndexedFile(NamedTuple):
    """An entry of the sitemap index: name and `lastmod`."""

    name: str
    moment: str | None


class Sitemaps:
    """Makes the sitemaps of a library. `pages` are paths of other pages than records.

    `more` returns further paths, which may change while the server runs.
    """

    def __init__(
        self, url: str, pages: Sequence[str] = (), *, more: Callable[[], Iterable[str]] = tuple
    ) -> None:
        self.url = url
        self._pages = pages
        self._more = more
        self._moments = ChangeLog()
        self._turn = threading.Lock()

    def listed(self, connection: Connection) -> tuple[list[IndexedFile], int]:
        """Return the files that are not empty, and the time of the newest change in Unix seconds."""
        found = [each for each in list_pages.list_sections(connection, LEAVES_PER_FILE) if each.live]
        times = [list_pages.changed_at(connection, each.seq) for each in found]
        files = [
            IndexedFile(f"{each.name}-{each.number}", render_lastmod(at))
            for each, at in zip(found, times, strict=True)
        ]
        return [IndexedFile(PAGES_NAME, None), *files][:MOST_ADDRESSES], max(times, default=0)

    def index(self, files: Iterable[IndexedFile]) -> bytes:
        return render_index((f"{self.url}/sitemaps/{each.name}.xml.gz", each.moment) for each in files)

    def pages(self) -> bytes:
        paths = islice(chain(self._pages, self._more()), MOST_ADDRESSES)
        return render_pages(self.url + path for path in paths)

    def find(self, connection: Connection, source: str, number: int) -> SitemapFile | None:
        """Return a file of a source; None if it would be empty."""
        shelf = list_pages.find_source_pages(connection, source)
        if shelf is None:
            return None
        first = (number - 1) * LEAVES_PER_FILE + 1
        run = tuple(list_pages.list_pages(connection, shelf.source_id, first, LEAVES_PER_FILE))
        if not any(each.live for each in run):
            return None
        seq = max(each.seq for each in run)
        return SitemapFile(source, number, run, seq, list_pages.changed_at(connection, seq))

    def file(self, connection: Connection, file: SitemapFile) -> bytes:
        with self._turn:
            self._moments.refresh(connection)
        return self._together(connection, file) or self._one_by_one(connection, file)

    def _together(self, connection: Connection, file: SitemapFile) -> bytes | None:
        """Return the bytes made the fast way; None if stretches are short or an identifier is not plain."""
        if not has_long_stretches(connection, file.run):
            return None
        found, start = list_stretches(connection, file.run), self.url + record_path(file.source, "")
        if not all(is_plain_stretch(each, start) for each in found):
            return None
        with self._turn:
            parts = [part for each in found for part in each.parts(self._moments.at)]
        return render_plain_stretches(start, parts)

    def _one_by_one(self, connection: Connection, file: SitemapFile) -> bytes:
        rows = list_pages.list_entries(connection, file.run)
        start, paths = build_record_paths(file.source, [identifier for _, identifier, _ in rows])
        with self._turn:
            moments = list(_visible_times(self._moments, [seq for _, _, seq in rows]))
        return render_records(self.url + start, paths, moments)


def _visible_times(moments: ChangeLog, seqs: Iterable[int]) -> Iterator[str]:
    """Yield when changes became visible; neighbours mostly at the same time, hence looked up once."""
    before = last = 0
    moment = ""
    for seq in seqs:
        if not before < seq <= last:
            before, last, at = moments.stretch(seq)
            moment = render_lastmod(at)
        yield moment
