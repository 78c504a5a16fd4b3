"""`/document/text/SOURCE/IDENTIFIER?page=…&q=…`: the text of a document, page by page.

The text is divided into pages short enough to show: those of the file, or parts of equal length. Only text is
shown, never the markup of the file. Every state has an address and no script is needed.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from windrow.model.counted_fields import text_language
from windrow.model.document import HeldFile
from windrow.model.file_content import has_picture
from windrow.model.query import Everything, Query, Word
from windrow.model.text.folding import folded_words, pattern_pieces
from windrow.model.text.highlighting import Span, conditions_on, highlights, words_marked
from windrow.protocols.query.query_parser import parse_query
from windrow.search.record_addresses import document_path, record_path
from windrow.search.record_view import DeletedRecord, RecordView, find_record
from windrow.store.published.public_records import RecordGlance
from windrow.store.store import Store
from windrow.web.documents.document_files import NO_DOCUMENT, PDF, WITHDRAWN, check_public_record
from windrow.web.http.conditional import is_unchanged, not_modified, validator_headers, weak_etag
from windrow.web.http.http_request import HttpRefusal, Request, parse_query_string
from windrow.web.http.http_response import Response
from windrow.web.i18n.translation import Translator
from windrow.web.layout.page_layout import VARY_PAGE, PageLayout, PageLayouts, render_page
from windrow.web.layout.page_text import foreign_language, headline, strip_invisible, truncate

PAGE_LETTERS = 20_000
_MIN_PAGE_LETTERS = PAGE_LETTERS // 2  # from where on a good place to end a page is searched for
_LINES = re.compile(r"\r\n?|\f")
_GAPS = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


class TextPage(NamedTuple):
    """A piece of the text that is shown on one page."""

    page: int  # of the file; 1 where it has no pages
    part: int  # of that page, counted from 1
    text: str


def split_text_pages(file: HeldFile) -> list[TextPage]:
    """Split the text of a file into pages, in order. A file page without text makes an empty one."""
    return [
        TextPage(number, part, text)
        for number, page in enumerate(file.text, 1)
        for part, text in enumerate(_split_long_text(page), 1)
    ]


def tidy_text(text: str) -> str:
    """Normalise line ends and collapse runs of empty lines."""
    return _GAPS.sub("\n\n", strip_invisible(_LINES.sub("\n", text))).strip("\n")


def _split_long_text(text: str) -> list[str]:
    """Cut a long text at the end of a paragraph, line or word, in this order of preference; else anywhere."""
    found, start = [], 0
    while len(text) - start > PAGE_LETTERS:
        end = _find_break(text, start)
        found.append(text[start:end])
        start = end
    return [*found, text[start:]]


def _find_break(text: str, start: int) -> int:
    low, high = start + _MIN_PAGE_LETTERS, start + PAGE_LETTERS
    for mark in ("\n\n", "\n", " "):
        place = text.rfind(mark, low, high)
        if place >= 0:
            return place + len(mark)
    return high


@dataclass(frozen=True, slots=True)
class PagedText:
    """A document's text in pages, and the search words to mark in it."""

    record: RecordView  # without its text and raw formats
    file: HeldFile  # without its text
    leaves: Sequence[TextPage]
    places: Mapping[tuple[int, int], int]  # of the text pages, by page and part
    words: str = ""
    query: Query = field(default_factory=Everything)

    def asked(self, words: str) -> PagedText:
        return replace(self, words=words, query=parse_query(words).query) if words else self

    @property
    def total(self) -> int:
        """Return the number of pages, or of parts where the file has no pages."""
        return self.leaves[-1].page if self.file.is_paged else len(self.leaves)

    def number(self, place: int) -> int:
        """Return the page number of a text page, or its part number where the file has no pages."""
        return self.leaves[place].page if self.file.is_paged else self.leaves[place].part

    def address(self, place: int, *, words: str | None = None) -> str:
        leaf, record = self.leaves[place], self.record
        page = leaf.page if self.file.is_paged and place else None
        part = leaf.part if leaf.part > 1 else None
        wanted = self.words if words is None else words
        # A search without a page redirects to the first hit, so page 1 has to be named.
        if wanted and not place:
            page, part = (1, None) if self.file.is_paged else (None, 1)
        return document_path("text", record.source, record.identifier, page=page, part=part, q=wanted)

    def name(self, place: int, tongue: Translator) -> str:
        leaf = self.leaves[place]
        if not self.file.is_paged:
            return tongue.say("Part {part}", part=leaf.part)
        if leaf.part > 1:
            return tongue.say("Page {page}, part {part}", page=leaf.page, part=leaf.part)
        return tongue.say("Page {page}", page=leaf.page)

    def standing(self, place: int, tongue: Translator) -> str:
        """Return the position in the whole, such as "Page 3 of 12"; empty where there is only one page."""
        if len(self.leaves) == 1:
            return ""
        return tongue.say("{leaf} of {total}", leaf=self.name(place, tongue), total=self.total)


def open_paged_text(store: Store, source: str, identifier: str) -> PagedText:
    """Read the text of a document; raise HttpRefusal where there is none that is public."""
    found = find_record(store, source, identifier) if source and identifier else None
    if isinstance(found, DeletedRecord):
        raise HttpRefusal(410, WITHDRAWN)
    if found is None:
        raise HttpRefusal(404, NO_DOCUMENT)
    file = found.document.file
    if file is None or not any(file.text):
        raise HttpRefusal(404, "There is no text in this document.")
    leaves = split_text_pages(file)
    places = {(leaf.page, leaf.part): place for place, leaf in enumerate(leaves)}
    bare = replace(found.document, file=file._replace(text=()))
    return PagedText(replace(found, document=bare, raws=()), file._replace(text=()), leaves, places)


# Search within a text, bounded in time.

TEXT_FIELD = "text"
MAX_PHRASE_LETTERS = 400_000  # searched for phrases in one request: about half a second
MAX_CACHED_HITS = 200


class TextHits(NamedTuple):
    """Indexes of text pages with hits, ascending."""

    places: tuple[int, ...]
    is_all: bool  # whether the whole text was searched

    def before(self, place: int) -> int | None:
        return next((each for each in reversed(self.places) if each < place), None)

    def behind(self, place: int) -> int | None:
        return next((each for each in self.places if each > place), None)


def find_hits(
    leaves: Sequence[TextPage], query: Query, language: str | None, *, most: int = MAX_PHRASE_LETTERS
) -> TextHits:
    """Return the text pages that match the query; at most `most` letters are searched for phrases."""
    likely = _candidate_pages(leaves, query, language)
    if all(
        isinstance(each, Word) and len(pattern_pieces(each.text)) == 1
        for each in conditions_on(query, TEXT_FIELD)
    ):
        return TextHits(tuple(likely), is_all=True)
    found: list[int] = []
    left = most
    for place in likely:
        text = leaves[place].text
        left -= len(text)
        if left < 0:
            return TextHits(tuple(found), is_all=False)
        if highlights(tidy_text(text), query, field=TEXT_FIELD, language=language):
            found.append(place)
    return TextHits(tuple(found), is_all=True)


def _candidate_pages(leaves: Sequence[TextPage], query: Query, language: str | None) -> list[int]:
    """Return the pages with at least one of the words: the others need no closer look."""
    bags = [frozenset(folded_words(leaf.text)) for leaf in leaves]
    wanted = words_marked(frozenset().union(*bags), query, field=TEXT_FIELD, language=language)
    words = frozenset().union(*wanted)
    return [place for place, bag in enumerate(bags) if not bag.isdisjoint(words)]


class HitCache:
    """Remembers hits, because paging through a text repeats the same search on every page. Thread-safe."""

    def __init__(self, most: int = MAX_CACHED_HITS) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[int, int, str], TextHits] = OrderedDict()
        self._turn = threading.Lock()

    def get(self, key: tuple[int, int, str]) -> TextHits | None:
        with self._turn:
            return self._kept.get(key)

    def put(self, key: tuple[int, int, str], hits: TextHits) -> None:
        with self._turn:
            self._kept[key] = hits
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)


class MarkedPiece(NamedTuple):
    """A piece of text, marked or not. Links to a hit lead to the first marked piece."""

    words: str
    is_marked: bool = False
    is_first: bool = False


def mark_spans(text: str, spans: Iterable[Span]) -> Iterator[MarkedPiece]:
    """Split a text into marked and unmarked pieces; the spans ascend and do not overlap."""
    last, is_first = 0, True
    for start, end in spans:
        if start > last:
            yield MarkedPiece(text[last:start])
        yield MarkedPiece(text[start:end], is_marked=True, is_first=is_first)
        last, is_first = end, False
    if last < len(text):
        yield MarkedPiece(text[last:])


MAX_CACHED_LETTERS = 20_000_000  # of all texts together


class PagedTextCache:
    """Reads texts and keeps the most recently used: paging reads a long one only once. Thread-safe."""

    def __init__(self, store: Store, *, most_letters: int = MAX_CACHED_LETTERS) -> None:
        self._store = store
        self._most = most_letters
        self._letters = 0
        self._books: OrderedDict[tuple[int, int], tuple[PagedText, int]] = OrderedDict()
        self._turn = threading.Lock()

    def take(self, state: RecordGlance, source: str, identifier: str) -> PagedText:
        """Return the text of a record in this state; raise HttpRefusal where it has none."""
        key = (state.number, state.seq)
        with self._turn:
            if key in self._books:
                self._books.move_to_end(key)
                return self._books[key][0]
        book = open_paged_text(self._store, source, identifier)
        self._keep((book.record.number, book.record.seq), book)
        return book

    def _keep(self, key: tuple[int, int], book: PagedText) -> None:
        letters = sum(len(leaf.text) for leaf in book.leaves)
        with self._turn:
            if key in self._books:
                return
            self._books[key] = (book, letters)
            self._letters += letters
            while self._letters > self._most:
                _, (_, freed) = self._books.popitem(last=False)
                self._letters -= freed


# Links from a text page to its neighbours, to other hits and to chapters.

MAX_HEADINGS = 500
MAX_HEADING_LEVEL = 6
LISTED_HITS = 12  # text pages listed in one line
_MAX_HEADING_LENGTH = 200
_HIT_ANCHOR = "#hit"  # the first mark on a page


@dataclass(frozen=True, slots=True)
class TextLink:
    """A link to another text page; plain text if it has no address."""

    words: str
    address: str
    level: int = 1  # of a heading
    is_here: bool = False


@dataclass(frozen=True, slots=True)
class TextNavigation:
    """The links of one text page."""

    before: TextLink | None
    behind: TextLink | None
    hit_before: TextLink | None
    hit_behind: TextLink | None
    hits: tuple[TextLink, ...]  # the nearest
    is_more: bool  # there are more hits than those listed
    contents: tuple[TextLink, ...]


def text_navigation(book: PagedText, frame: PageLayout, hits: TextHits, place: int) -> TextNavigation:
    def step(to: int | None, end: str = "") -> TextLink | None:
        is_leaf = to is not None and 0 <= to < len(book.leaves)
        return _hit_link(book, frame, to, end, is_here=to == place) if is_leaf and to is not None else None

    near = sorted(sorted(hits.places, key=lambda each: abs(each - place))[:LISTED_HITS])
    listed = [found for each in near if (found := step(each, _HIT_ANCHOR))]
    return TextNavigation(
        step(place - 1),
        step(place + 1),
        step(hits.before(place), _HIT_ANCHOR),
        step(hits.behind(place), _HIT_ANCHOR),
        tuple(listed) if len(listed) > 1 else (),
        len(hits.places) > len(listed),
        tuple(_table_of_contents(book, frame, place)),
    )


def describe_hits(book: PagedText, frame: PageLayout, hits: TextHits) -> str:
    """Return a sentence on how many pages have hits; empty without a search."""
    tongue, total = frame.tongue, book.total
    count = len({book.number(each) for each in hits.places})
    if not book.words or (count and total == 1):
        return ""
    if not hits.is_all:
        return tongue.say("At least {count} of {total} pages have it.", count=count, total=total)
    if not count and total == 1:
        return tongue.say("It is not in this text.")
    if not count:
        return tongue.say("It is on none of the {total} pages.", total=total)
    return tongue.several(
        "{count} of {total} pages has it.", "{count} of {total} pages have it.", count, total=total
    )


def _hit_link(book: PagedText, frame: PageLayout, place: int, end: str, *, is_here: bool) -> TextLink:
    address = frame.link(book.address(place)) + end
    return TextLink(book.name(place, frame.tongue), address, is_here=is_here)


def _table_of_contents(book: PagedText, frame: PageLayout, here: int) -> Iterator[TextLink]:
    """Yield the file's own table of contents. Entries without a page are listed without a link."""
    for heading in book.file.headings[:MAX_HEADINGS]:
        to = book.places.get((heading.page, 1)) if heading.page and book.file.is_paged else None
        address = frame.link(book.address(to)) if to is not None else ""
        level = min(max(heading.level, 1), MAX_HEADING_LEVEL)
        yield TextLink(truncate(heading.title, _MAX_HEADING_LENGTH), address, level, to == here)


MAX_WORDS_LENGTH = 1000  # of the search words
_DESCRIPTION_LETTERS = 300
_PICTURES = (320, 1600)  # pixels: for a small window, and for a large one


class TextView:
    """The view of text pages."""

    def __init__(self, frames: PageLayouts, store: Store) -> None:
        self._frames = frames
        self._store = store
        self._books = PagedTextCache(store)
        self._kept = HitCache()

    def __call__(self, request: Request, source: str, identifier: str) -> Response:
        state, pairs = (
            check_public_record(self._store, source, identifier),
            dict(parse_query_string(request.query)),
        )
        words = pairs.get("q", "")[:MAX_WORDS_LENGTH].strip()
        frame = self._frames.frame(request, words=words)
        tag = weak_etag(state.number, state.seq, frame.tongue.code, self._frames.mark, request.query)
        modified = max(state.at, self._frames.since)
        if b"if-none-match" in request.headers and is_unchanged(request, tag, modified):
            return not_modified(tag, modified, VARY_PAGE)  # the tag was sent with a page that exists
        book = self._books.take(state, source, identifier).asked(words)
        hits = self._hits(book) if words else TextHits((), is_all=True)
        place = _find_place(book, hits, pairs.get("page", ""), pairs.get("part", ""))
        response = _text_page(replace(frame, here=book.address(place)), book, hits, place)
        response.headers += validator_headers(tag, modified)
        return response

    def _hits(self, book: PagedText) -> TextHits:
        key = (book.record.number, book.record.seq, book.words)
        found = self._kept.get(key)
        if found is None:
            found = find_hits(book.leaves, book.query, text_language(book.record.document))
            self._kept.put(key, found)
        return found


def _text_page(frame: PageLayout, book: PagedText, hits: TextHits, place: int) -> Response:
    record, document, leaf = book.record, book.record.document, book.leaves[place]
    called, language = headline(document, frame.tongue), text_language(document)
    text, name = tidy_text(leaf.text), book.name(place, frame.tongue)
    spans = highlights(text, book.query, field=TEXT_FIELD, language=language) if book.words else []
    return render_page(
        frame,
        "documents/text.html",
        title=f"{name} · {called.short}" if len(book.leaves) > 1 else called.short,
        description=truncate(" ".join(text[: 2 * _DESCRIPTION_LETTERS].split()), _DESCRIPTION_LETTERS),
        canonical=book.address(place, words=""),
        is_indexed=not book.words,
        called=called,
        record=frame.link(record_path(record.source, record.identifier)),
        standing=book.standing(place, frame.tongue),
        pieces=list(mark_spans(text, spans)),
        language=foreign_language(language, frame.tongue),
        words=book.words,
        ways=text_navigation(book, frame, hits, place),
        found=describe_hits(book, frame, hits),
        plain=book.address(place, words=""),
        book=book,
        here=book.number(place),
        action=frame.link(document_path("text", record.source, record.identifier)),
        pictures=_page_pictures(book, frame, leaf.page),
        original=_original_link(book, frame, leaf.page),
    )


def _find_place(book: PagedText, hits: TextHits, page: str, part: str) -> int:
    """Return the index of the requested page. Without a page or part, the first hit there."""
    if not page and not part:
        return hits.places[0] if hits.places else 0
    number = _parse_number(page or "1")
    found = book.places.get((number, _parse_number(part or "1")))
    if found is None:
        raise HttpRefusal(404, "There is no such page.")
    inside = (each for each in hits.places if book.leaves[each].page == number and not part)
    return next(inside, found)


def _parse_number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 8 else 0


def _page_pictures(book: PagedText, frame: PageLayout, page: int) -> list[tuple[int, str]]:
    if book.file.media_type != PDF or not has_picture(book.file):
        return []
    name = (book.record.source, book.record.identifier)
    return [(size, frame.link(document_path("picture", *name, size=size, page=page))) for size in _PICTURES]


def _original_link(book: PagedText, frame: PageLayout, page: int) -> str:
    """Return the path of the original file, at this page where the viewer supports it."""
    path = frame.link(document_path("original", book.record.source, book.record.identifier))
    return f"{path}#page={page}" if book.file.media_type == PDF else path
