"""The results of a search: hits with highlights and passages, facets, suggestions and page links.

Used by all front ends. `search` runs a request and `look_up` prepares one page of results; for exports,
`walk_results` walks through all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from windrow.exports.entries import Entry, map_record
from windrow.index.protocol import MAX_OFFSET, FoundDocuments, Hit, HitSummary, Index, Order
from windrow.model.counted_fields import text_language
from windrow.model.document import Event, HeldFile
from windrow.model.document_view import EventView
from windrow.model.matching import DocumentTest, compile_query
from windrow.model.query import FIELDS, And, AtLeast, Or, Phrase, Query, Range, SameEvent, Value, Word
from windrow.model.text.folding import fold, folded_words
from windrow.model.text.highlighting import Span, conditions_on, cut_snippet, highlights, words_marked
from windrow.model.thesaurus import QueryAddition
from windrow.search.facets import Facet, count_facets
from windrow.search.filters import COLLECTION
from windrow.search.request import Notice, SearchRequest
from windrow.search.spelling import Suggestion, offer_words, suggest
from windrow.search.widening import Match, WidenedSearch, widen
from windrow.store.records.record_reader import RecordReader
from windrow.store.store import Store

# Highlighting: text in pieces, each highlighted or not. The front ends do the markup.

MAX_SNIPPET_LENGTH = 300  # characters
MAX_KEYWORDS = 5
MAX_CREATORS = 3

Marked = tuple[tuple[str, bool], ...]


def marked_title(card: HitSummary, query: Query) -> Marked:
    return tuple(split_pieces(card.title, highlights(card.title, query, field="title")))


def marked_snippet(card: HitSummary, query: Query) -> Marked:
    """Return the part of the description with the most matches, in pieces."""
    text, language = card.description, card.description_language or None
    spans = highlights(text, query, field="description", language=language)
    return tuple(split_pieces(*cut_snippet(text, spans, length=MAX_SNIPPET_LENGTH)))


def marked_keywords(card: HitSummary, query: Query) -> tuple[Marked, ...]:
    """Return the subjects and keywords with matches, each in pieces."""
    words = dict.fromkeys((*card.subjects, *card.keywords))
    spans = ((word, highlights(word, query, field="keyword")) for word in words)
    return tuple(tuple(split_pieces(word, found)) for word, found in spans if found)[:MAX_KEYWORDS]


def marked_creators(card: HitSummary, query: Query) -> tuple[Marked, ...]:
    """Return the creators to show, each in pieces: the first ones, including one with a match."""
    names = [tuple(split_pieces(name, highlights(name, query, field="creator"))) for name in card.creators]
    first = names[:MAX_CREATORS]
    if not any(map(is_marked, first)):
        later = next(filter(is_marked, names[MAX_CREATORS:]), None)
        first = first if later is None else [*first[:-1], later]
    return tuple(first)


def is_marked(pieces: Marked) -> bool:
    return any(marked for _, marked in pieces)


def split_pieces(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[str, bool]]:
    """Yield the text in pieces, those within the spans highlighted; the spans are sorted and disjoint."""
    last = 0
    for start, end in spans:
        if start > last:
            yield text[last:start], False
        yield text[start:end], True
        last = end
    if last < len(text):
        yield text[last:], False


# One result as shown.


@dataclass(frozen=True, slots=True)
class Passage:
    """A highlighted piece of a text, with its page."""

    page: int | None  # None if the text has no pages
    text: Marked


@dataclass(frozen=True, slots=True)
class MatchedEvents:
    """Events of a record that match the search."""

    shown: tuple[Event, ...]
    matching: int  # all matching events, shown or not
    total: int  # all events of the record


@dataclass(frozen=True, slots=True)
class ShownHit:
    """One result: its summary, with matches highlighted in title, snippet and creators.

    Keywords are included where title and snippet have no match, to show why the record was found.
    """

    card: HitSummary
    score: float
    title: Marked
    snippet: Marked
    keywords: tuple[Marked, ...] = ()
    creators: tuple[Marked, ...] = ()  # the creators that are shown
    missing: tuple[str, ...] = ()  # search words that the record lacks
    occasions: MatchedEvents | None = None  # if the search has conditions on events
    passage: Passage | None = None  # from the text of a file, if title and snippet do not show all matches


# All matching records in batches: their numbers from the index, the records from the store.

BATCH = 1000  # per query to the index


def walk_results(index: Index, question: SearchRequest, *, most: int) -> Iterator[list[int]]:
    """Yield the numbers of up to `most` matching records in order, each once.

    The index ranks only the first results by relevance. The others follow in order of arrival.
    """
    total, given = 0, set[int]()
    for order in dict.fromkeys((question.order, Order.NUMBER)):
        after: str | None = None
        while len(given) < most:
            found = index.search(question.query, limit=BATCH, order=order, after=after)
            total, after = found.total, found.next
            numbers = dict.fromkeys(hit.card.number for hit in found.hits if hit.card.number not in given)
            batch = list(numbers)[: most - len(given)]
            given.update(batch)
            if batch:
                yield batch
            if after is None:
                break
        if len(given) >= min(total, most):
            return


class RecordFetcher:
    """Fetches whole records by number. Not thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._reader = RecordReader()

    def fetch(self, numbers: list[int]) -> Iterator[Entry]:
        """Yield the records that still exist and are public, in this order, with their documents."""
        # One short transaction per batch: a slow reader must not block the store's cleanup.
        with self._store.reading() as connection:
            records = self._reader.get(connection, numbers, public_only=True)
        for number in numbers:
            record = records.get(number)
            if record is not None:
                yield map_record(record, record.payload())


# Passages: the page of a file, and the piece of it, that shows the matches best. Only hits whose title and
# description do not show why they were found, or that have no description, are read, and only as much text as
# can be read within a request.

LETTERS_OF_HIT = 2_000_000  # searched for one hit
LETTERS_OF_PAGE = 6_000_000  # for all hits of a page of results
PIECE_LETTERS = 20_000  # piece size of a text without pages
MAX_PAGES_TRIED = 8  # pages searched word by word
FIELD = "text"


def add_passages(hits: Sequence[ShownHit], query: Query, store: Store) -> tuple[ShownHit, ...]:
    """Return the hits, with passages for those that would not show why they were found."""
    if not any(map(_has_text, hits)) or not conditions_on(query, FIELD):
        return tuple(hits)
    fetcher, left, found = RecordFetcher(store), LETTERS_OF_PAGE, []
    for hit in hits:
        passage = None
        if left > 0 and _has_text(hit) and not _is_explained(hit, query):
            for entry in fetcher.fetch([hit.card.number]):
                file = entry.document.file
                if file is not None:
                    most = min(left, LETTERS_OF_HIT)
                    left -= min(sum(map(len, file.text)), most)
                    passage = find_passage(file, query, text_language(entry.document), most=most)
        found.append(hit if passage is None else replace(hit, passage=passage))
    return tuple(found)


def find_passage(
    file: HeldFile, query: Query, language: str | None = None, *, most: int = LETTERS_OF_HIT
) -> Passage | None:
    """Return the passage with the most matches; the first of several."""
    pieces = list(_pieces(file, most))
    best, chosen = 0, None
    for place in _likely([text for _, text in pieces], query, language):
        page, raw = pieces[place]
        text = " ".join(raw.split())
        shown, spans = _shown(text, highlights(text, query, field=FIELD, language=language))
        score = len({fold(shown[low:high]) for low, high in spans})
        if score > best:
            best, chosen = score, Passage(page, tuple(split_pieces(shown, spans)))
    return chosen


def _likely(texts: Sequence[str], query: Query, language: str | None) -> list[int]:
    """Return the positions of texts with words of most conditions: a quick check of single words."""
    bags = [frozenset(folded_words(text)) for text in texts]
    wanted = words_marked(frozenset().union(*bags), query, field=FIELD, language=language)
    scores = [sum(not bag.isdisjoint(words) for words in wanted) for bag in bags]
    ordered = sorted(range(len(texts)), key=lambda place: (-scores[place], place))
    return [place for place in ordered[:MAX_PAGES_TRIED] if scores[place]]


def _shown(text: str, spans: list[Span]) -> tuple[str, list[Span]]:
    return cut_snippet(text, spans, length=MAX_SNIPPET_LENGTH) if spans else ("", [])


def _pieces(file: HeldFile, most: int) -> Iterator[tuple[int | None, str]]:
    """Yield the text by page, long pages in pieces that overlap so that no phrase is split."""
    left = most
    for number, page in enumerate(file.text, 1):
        for start in range(0, min(len(page), left), PIECE_LETTERS):
            yield number if file.is_paged else None, page[start : start + PIECE_LETTERS + MAX_SNIPPET_LENGTH]
        left -= len(page)
        if left <= 0:
            return


def _has_text(hit: ShownHit) -> bool:
    return hit.card.file is not None and hit.card.file.has_text


def _is_explained(hit: ShownHit, query: Query) -> bool:
    """Return whether all matches are visible in the title or description.

    A title alone is not enough: readers judge a result by a piece of its text.
    """
    if not hit.snippet:
        return False
    title = hit.card.title
    described = "".join(text for text, _ in hit.snippet)
    return all(
        highlights(title, each, field="title")
        or highlights(described, each, field="description", language=hit.card.description_language or None)
        for each in (replace(condition, field=None) for condition in conditions_on(query, FIELD))
    )


# Matching events: of the many occasions of a course, those that the search asked for.

SHOWN_OCCASIONS = 3  # of one hit
MAX_EVENTS_TRIED = 1000  # of one record


def add_matched_events(hits: Sequence[ShownHit], query: Query, store: Store) -> tuple[ShownHit, ...]:
    """Return the hits, each with its events that match the query."""
    judges = [compile_query(condition) for condition in event_conditions(query)]
    if not judges:
        return tuple(hits)
    occasions = {
        entry.record.id: _occasions(entry.document.events[:MAX_EVENTS_TRIED], judges)
        for entry in RecordFetcher(store).fetch([hit.card.number for hit in hits])
    }
    return tuple(replace(hit, occasions=occasions.get(hit.card.number)) for hit in hits)


def event_conditions(query: Query) -> Iterator[Query]:
    """Yield the conditions of a query on events; excluded ones are skipped."""
    match query:
        case And(parts) | Or(parts) | AtLeast(_, parts):
            for part in parts:
                yield from event_conditions(part)
        case SameEvent(part):
            yield part
        case Word(field=str(name)) | Phrase(field=str(name)) | Value(field=name) | Range(field=name):
            if FIELDS[name].is_of_event:
                yield query


def _occasions(events: Sequence[Event], judges: Sequence[DocumentTest]) -> MatchedEvents:
    matching = [event for event in events if any(judge(EventView(event)) for judge in judges)]
    return MatchedEvents(tuple(matching[:SHOWN_OCCASIONS]), len(matching), len(events))


_AROUND = 2  # pages shown on either side of the current one


@dataclass(frozen=True, slots=True)
class ActiveFilter:
    """An active filter, with the address without it."""

    field: str
    value: str
    address: str


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link to a page of results; number 0 is a gap."""

    number: int
    address: str = ""
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class Results:
    """The results of a request. Its page is the last one if a later one was requested."""

    question: SearchRequest
    total: int
    hits: tuple[ShownHit, ...]
    facets: tuple[Facet, ...]
    chips: tuple[ActiveFilter, ...]
    pages: tuple[PageLink, ...]  # empty if everything fits on one page
    previous: str | None
    following: str | None
    notes: tuple[Notice, ...]
    did_you_mean: Suggestion | None = None
    as_words: Suggestion | None = None  # if nothing was found, the same text without punctuation
    next: str | None = None  # the index's cursor for the next page
    widened: WidenedSearch | None = None  # what was searched instead, if no record matches everything

    @property
    def additions(self) -> tuple[QueryAddition, ...]:
        return self.question.additions

    @property
    def dropped(self) -> tuple[str, ...]:
        """Words of a partial match that no hit on this page has."""
        if self.widened is None:
            return ()
        return find_dropped_words(self.widened, self.hits)

    @property
    def first(self) -> int:
        """The number of the first hit of this page, from 1; 0 if there is none."""
        return self.question.offset + 1 if self.hits else 0

    @property
    def last(self) -> int:
        """The number of the last hit of this page."""
        return self.question.offset + len(self.hits) if self.hits else 0


def look_up(
    index: Index,
    question: SearchRequest,
    *,
    facets: Sequence[str] = (),
    store: Store | None = None,
) -> Results:
    """Return a page of results; with a `store`, including passages and matching events."""
    question, widened, found = search(index, question)
    last = _last_page(question, found.total)
    turn = question.turning
    hits = add_missing_words(index, widened, [show_hit(hit, question) for hit in found.hits])
    return Results(
        question=question,
        total=found.total,
        hits=hits if store is None else _explained(hits, question, store),
        facets=count_facets(index, question, facets) if facets else (),
        chips=tuple(_chips(question)),
        pages=tuple(_pages(question, last)),
        previous=turn(question.page - 1).address() if question.page > 1 else None,
        following=turn(question.page + 1).address() if question.page < last else None,
        notes=(*question.notes, *_deepest(question, found.total, last)),
        did_you_mean=None if widened else suggest(index, question, found.total),
        as_words=find_plain_words(index, question, widened, found.total),
        next=found.next,
        widened=widened,
    )


def _explained(hits: Sequence[ShownHit], question: SearchRequest, store: Store) -> tuple[ShownHit, ...]:
    return add_matched_events(add_passages(hits, question.marked, store), question.query, store)


def search(
    index: Index, question: SearchRequest
) -> tuple[SearchRequest, WidenedSearch | None, FoundDocuments]:
    """Return a page of results; if there are none, those of the widened search.

    Beyond the end, it is the last page.
    """
    asked, found = _search(index, question)
    widened = widen(index, asked, found.total, found.hits)
    if widened is None:
        return asked, None, found
    instead, found = _search(index, replace(question, searched=widened.text))
    return instead, widened, found


def search_after(
    index: Index, question: SearchRequest, cursor: str | None
) -> tuple[SearchRequest, WidenedSearch | None, FoundDocuments]:
    """Return the results after a cursor, for walking through them; widened as in `search`."""

    def look(asked: SearchRequest) -> FoundDocuments:
        return index.search(asked.query, limit=asked.per_page, order=asked.order, after=cursor)

    found = look(question)
    widened = widen(index, question, found.total, found.hits)
    if widened is None:
        return question, None, found
    instead = replace(question, searched=widened.text)
    return instead, widened, look(instead)


def add_missing_words(
    index: Index, widened: WidenedSearch | None, hits: Sequence[ShownHit]
) -> tuple[ShownHit, ...]:
    """Return the hits of a partial match, each with the words that it lacks."""
    if widened is None or not widened.words:
        return tuple(hits)
    having = index.which(widened.words, [hit.card.number for hit in hits])
    pairs = list(zip(widened.words, having, strict=True))
    return tuple(
        replace(hit, missing=tuple(word.text for word, found in pairs if hit.card.number not in found))
        for hit in hits
    )


def find_dropped_words(widened: WidenedSearch, hits: Sequence[ShownHit]) -> tuple[str, ...]:
    """Return the words that no record has, and those that none of these hits has."""
    never = [word.text for word in widened.words if hits and all(word.text in hit.missing for hit in hits)]
    return (*widened.unknown, *never)


def find_plain_words(
    index: Index, question: SearchRequest, widened: WidenedSearch | None, total: int
) -> Suggestion | None:
    """Return the text without punctuation, where that may be why no record matches."""
    if widened is None:
        return offer_words(index, question, total)
    if widened.match in (Match.TITLE, Match.WORDS):
        return None
    return offer_words(index, replace(question, searched=""), 0)


def show_hit(hit: Hit, question: SearchRequest) -> ShownHit:
    card, words = hit.card, question.marked
    title, snippet = marked_title(card, words), marked_snippet(card, words)
    keywords = () if is_marked(title) or is_marked(snippet) else marked_keywords(card, words)
    return ShownHit(card, hit.score, title, snippet, keywords, marked_creators(card, words))


def _search(index: Index, question: SearchRequest) -> tuple[SearchRequest, FoundDocuments]:
    """Search; beyond the end, return the last page instead."""
    found = _page(index, question)
    if found.hits or not found.total or question.page == 1:
        return question, found
    noted = (*question.notes, Notice("beyond_end", (str(question.page),)))
    nearest = replace(question, page=_last_page(question, found.total), notes=noted)
    return nearest, _page(index, nearest)


def _page(index: Index, question: SearchRequest) -> FoundDocuments:
    return index.search(
        question.query,
        limit=question.per_page,
        offset=question.offset,
        order=question.order,
        language=question.language,
    )


def _last_page(question: SearchRequest, total: int) -> int:
    return max(min(-(-total // question.per_page), question.deepest_page), 1)


def _deepest(question: SearchRequest, total: int, last: int) -> Iterator[Notice]:
    if total > MAX_OFFSET and question.page == last:
        yield Notice("deepest", (str(last * question.per_page), str(total)))


def _chips(question: SearchRequest) -> Iterator[ActiveFilter]:
    if question.collection is not None:
        without = question.removing(COLLECTION, question.collection)
        yield ActiveFilter(COLLECTION, question.collection, without.address())
    for name, values in question.filters.items():
        for value in values:
            yield ActiveFilter(name, value, question.removing(name, value).address())


def _pages(question: SearchRequest, last: int) -> Iterator[PageLink]:
    """Yield links to the first and last page and those around the current one, with gaps between."""
    if last == 1:
        return
    here = question.page
    numbers = sorted({1, last, *range(max(here - _AROUND, 1), min(here + _AROUND, last) + 1)})
    before = 0
    for number in numbers:
        if number > before + 1:
            yield PageLink(0)
        yield PageLink(number, question.turning(number).address(), number == here)
        before = number
