"""A question looked up: its hits, what they have in common, the ways on from here. For all faces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from windrow.finding.facets import Facet, count_facets
from windrow.finding.filters import COLLECTION
from windrow.finding.notes import Note
from windrow.finding.occasions import with_occasions
from windrow.finding.passages import with_passages
from windrow.finding.plain_words import offer_words
from windrow.finding.question import Question
from windrow.finding.showing import is_marked, marked_creators, marked_keywords, marked_snippet, marked_title
from windrow.finding.shown_hit import ShownHit
from windrow.finding.spelling import Suggestion, suggest
from windrow.finding.widening import Match, Widened, widen
from windrow.index.protocol import DEEPEST_OFFSET, Found, Hit, Index
from windrow.model.expansion import Addition
from windrow.store.store import Store

_AROUND = 2  # pages shown on either side of the present one


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter that is set, and the address without it."""

    field: str
    value: str
    address: str


@dataclass(frozen=True, slots=True)
class PageLink:
    """A page of the results; number 0 is a gap."""

    number: int
    address: str = ""
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class Results:
    """What a question came to. Its question may be at another page than was asked for: the last there is."""

    question: Question
    total: int
    hits: tuple[ShownHit, ...]
    facets: tuple[Facet, ...]
    chips: tuple[Chip, ...]
    pages: tuple[PageLink, ...]  # none where all is on one
    previous: str | None
    following: str | None
    notes: tuple[Note, ...]
    did_you_mean: Suggestion | None = None
    as_words: Suggestion | None = None  # where nothing was found, the same text without its signs
    next: str | None = None  # the index's own mark for what follows
    widened: Widened | None = None  # what was searched instead, where no record has everything

    @property
    def additions(self) -> tuple[Addition, ...]:
        """What vocabularies added to the query."""
        return self.question.additions

    @property
    def dropped(self) -> tuple[str, ...]:
        """Words of a partial match that none of the hits on this page has."""
        if self.widened is None:
            return ()
        return dropped_words(self.widened, self.hits)

    @property
    def first(self) -> int:
        """The number of the first hit of this page, from 1; 0 where there is none."""
        return self.question.offset + 1 if self.hits else 0

    @property
    def last(self) -> int:
        """The number of the last hit of this page."""
        return self.question.offset + len(self.hits) if self.hits else 0


def look_up(
    index: Index,
    question: Question,
    *,
    facets: Sequence[str] = (),
    store: Store | None = None,
) -> Results:
    """Give a page of results; with a `store`, those in whose texts something was found say where."""
    question, widened, found = search(index, question)
    last = _last_page(question, found.total)
    turn = question.turning
    hits = with_missing(index, widened, [show(hit, question) for hit in found.hits])
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
        as_words=plain_words(index, question, widened, found.total),
        next=found.next,
        widened=widened,
    )


def _explained(hits: Sequence[ShownHit], question: Question, store: Store) -> tuple[ShownHit, ...]:
    """Return the hits with the passages and events for which they were found."""
    return with_occasions(with_passages(hits, question.marked, store), question.query, store)


def search(index: Index, question: Question) -> tuple[Question, Widened | None, Found]:
    """Return a page of what a question finds; where that is nothing, of what is searched instead.

    Beyond the end, that page is the last one.
    """
    asked, found = _search(index, question)
    widened = widen(index, asked, found.total, found.hits)
    if widened is None:
        return asked, None, found
    instead, found = _search(index, replace(question, searched=widened.text))
    return instead, widened, found


def search_after(
    index: Index, question: Question, cursor: str | None
) -> tuple[Question, Widened | None, Found]:
    """Return what follows a cursor, for whoever walks through results; widened as in `search`."""

    def look(asked: Question) -> Found:
        return index.search(asked.query, limit=asked.per_page, order=asked.order, after=cursor)

    found = look(question)
    widened = widen(index, question, found.total, found.hits)
    if widened is None:
        return question, None, found
    instead = replace(question, searched=widened.text)
    return instead, widened, look(instead)


def with_missing(index: Index, widened: Widened | None, hits: Sequence[ShownHit]) -> tuple[ShownHit, ...]:
    """Return the hits of a partial match, each with the words that it lacks."""
    if widened is None or not widened.words:
        return tuple(hits)
    having = index.which(widened.words, [hit.card.number for hit in hits])
    pairs = list(zip(widened.words, having, strict=True))
    return tuple(
        replace(hit, missing=tuple(word.text for word, found in pairs if hit.card.number not in found))
        for hit in hits
    )


def dropped_words(widened: Widened, hits: Sequence[ShownHit]) -> tuple[str, ...]:
    """Return the words that no record has, and those that none of these hits has."""
    never = [word.text for word in widened.words if hits and all(word.text in hit.missing for hit in hits)]
    return (*widened.unknown, *never)


def plain_words(index: Index, question: Question, widened: Widened | None, total: int) -> Suggestion | None:
    """Return the text without its signs, where these may be why no record has everything."""
    if widened is None:
        return offer_words(index, question, total)
    if widened.match in (Match.TITLE, Match.WORDS):
        return None
    return offer_words(index, replace(question, searched=""), 0)


def show(hit: Hit, question: Question) -> ShownHit:
    """Give a hit with what was looked for marked."""
    card, words = hit.card, question.marked
    title, snippet = marked_title(card, words), marked_snippet(card, words)
    keywords = () if is_marked(title) or is_marked(snippet) else marked_keywords(card, words)
    return ShownHit(card, hit.score, title, snippet, keywords, marked_creators(card, words))


def _search(index: Index, question: Question) -> tuple[Question, Found]:
    """Look up; beyond the end, the last page instead."""
    found = _page(index, question)
    if found.hits or not found.total or question.page == 1:
        return question, found
    noted = (*question.notes, Note("beyond_end", (str(question.page),)))
    nearest = replace(question, page=_last_page(question, found.total), notes=noted)
    return nearest, _page(index, nearest)


def _page(index: Index, question: Question) -> Found:
    return index.search(
        question.query,
        limit=question.per_page,
        offset=question.offset,
        order=question.order,
        language=question.language,
    )


def _last_page(question: Question, total: int) -> int:
    return max(min(-(-total // question.per_page), question.deepest_page), 1)


def _deepest(question: Question, total: int, last: int) -> Iterator[Note]:
    if total > DEEPEST_OFFSET and question.page == last:
        yield Note("deepest", (str(last * question.per_page), str(total)))


def _chips(question: Question) -> Iterator[Chip]:
    if question.collection is not None:
        without = question.removing(COLLECTION, question.collection)
        yield Chip(COLLECTION, question.collection, without.address())
    for name, values in question.filters.items():
        for value in values:
            yield Chip(name, value, question.removing(name, value).address())


def _pages(question: Question, last: int) -> Iterator[PageLink]:
    """The first and the last page, those around the present one, and gaps between them."""
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
