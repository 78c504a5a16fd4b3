"""`/gallery`: all pictures of the library, or those that a search finds, the newest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby
from urllib.parse import urlencode

from windrow.config.schema import Config
from windrow.faces.shared.catalogues import message
from windrow.faces.shared.frame import Frame, Frames, show
from windrow.faces.shared.headline import seen_title
from windrow.faces.shared.link_size import check_length
from windrow.faces.shared.noted import tell_filters
from windrow.faces.shared.pairs import query_pairs
from windrow.faces.shared.query_mistakes import explain_all
from windrow.faces.shared.readiness import check_ready, keeping_still
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response
from windrow.faces.shared.tongue import Tongue
from windrow.faces.shared.wording import cut
from windrow.finding.addresses import document_path, record_path
from windrow.finding.pictures import PICTURES
from windrow.finding.question import Question, read_question
from windrow.index.card import Card
from windrow.index.protocol import Index, Order
from windrow.model.query import all_of

PER_PAGE = 60
SIZE = 320  # pixels of the pictures
_LONGEST_TITLE = 120
ORDERS = {
    Order.ADDED: message("Added last"),
    Order.NEWEST: message("Newest first"),
    Order.OLDEST: message("Oldest first"),
    Order.TITLE: message("Title"),
}
_UNDATED = message("Without a date")


@dataclass(frozen=True, slots=True)
class Tile:
    """One picture."""

    title: str
    picture: str
    address: str


@dataclass(frozen=True, slots=True)
class Shelf:
    """Pictures of one day, or of one year; without a title where the order has nothing to do with dates."""

    title: str
    tiles: tuple[Tile, ...]


class Gallery:
    """Makes the pages of pictures."""

    def __init__(self, config: Config, frames: Frames, index: Index) -> None:
        self._config = config
        self._frames = frames
        self._index = index

    def __call__(self, request: Request) -> Response:
        """Give a page of pictures."""
        with keeping_still(self._index):
            check_ready(self._index)
            question = self._question(request)
            check_length(question)
            frame = self._frames.frame(request, collection=question.collection, words=question.text)
            return self._page(question, frame)

    def _question(self, request: Request) -> Question:
        pairs = [pair for pair in query_pairs(request.query) if pair[0] != "per_page"]
        collections = self._config.collection_sources
        types = self._frames.looks.of(dict(pairs).get("collection")).types
        asked = read_question(
            [*pairs, ("per_page", str(PER_PAGE))],
            collections=collections,
            types=types,
            expander=self._frames.expander,
        )
        is_ordered = any(name == "sort" for name, _ in pairs) and asked.order in ORDERS
        return asked if is_ordered else replace(asked, order=Order.ADDED)

    def _page(self, question: Question, frame: Frame) -> Response:
        wanted = all_of([question.query, PICTURES])
        found = self._index.search(
            wanted,
            limit=PER_PAGE,
            offset=question.offset,
            order=question.order,
            language=frame.tongue.code,
        )
        if not found.hits and question.page > 1:
            raise Refused(404, "There is no such page.")
        is_last = question.page >= min(-(-found.total // PER_PAGE), question.deepest_page)
        say = frame.tongue.say
        return show(
            frame,
            "documents/gallery.html",
            title=say("Pictures"),
            canonical=_address(question),
            is_indexed=not question.text and not question.filters,
            shelves=list(_shelves([hit.card for hit in found.hits], question.order, frame)),
            question=question,
            notes=tell_filters(question.notes, frame.tongue),
            mistakes=explain_all(question.mistakes, frame.tongue),
            total=found.total,
            orders=[
                (say(words), frame.link(_address(question.ordered(each))), each is question.order)
                for each, words in ORDERS.items()
            ],
            previous=frame.link(_address(question.turning(question.page - 1))) if question.page > 1 else "",
            following="" if is_last else frame.link(_address(question.turning(question.page + 1))),
            results=frame.link(replace(question, order=Order.NEWEST, page=1, per_page=20).address()),
        )


def _shelves(cards: Sequence[Card], order: Order, frame: Frame) -> Iterator[Shelf]:
    for title, group in groupby(cards, key=lambda card: _shelf_title(card, order, frame.tongue)):
        yield Shelf(title, tuple(_tile(card, frame) for card in group))


def _shelf_title(card: Card, order: Order, tongue: Tongue) -> str:
    """The day on which it came, or the year that it is from, as the pictures are in that order."""
    if order is Order.ADDED:
        return _day(card.stamp, tongue)
    if order is Order.TITLE:
        return ""
    return str(card.year) if card.year is not None else tongue.say(_UNDATED)


def _day(stamp: str, tongue: Tongue) -> str:
    try:
        return tongue.day(date.fromisoformat(stamp[:10]))
    except ValueError:
        return ""


def _tile(card: Card, frame: Frame) -> Tile:
    title = cut(seen_title(card.title), _LONGEST_TITLE) or frame.tongue.say("Without a title")
    name = (card.source, card.identifier)
    picture = frame.link(document_path("picture", *name, size=SIZE))
    return Tile(title, picture, frame.link(record_path(*name)))


def _address(question: Question) -> str:
    """The path of a page of pictures; what goes without saying is left out."""
    usual = ("sort", "per_page")
    pairs = [pair for pair in question.pairs() if pair[0] not in usual]
    if question.order is not Order.ADDED:
        pairs.append(("sort", question.order.value))
    return f"/gallery?{urlencode(pairs, errors='replace')}" if pairs else "/gallery"
