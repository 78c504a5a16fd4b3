"""`/gallery`: the pictures of the library or of a search, newest first."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby
from urllib.parse import urlencode

from windrow.config.schema import Config
from windrow.errors import WindrowError
from windrow.index.protocol import HitSummary, Index, Order
from windrow.model.query import all_of
from windrow.search.record_addresses import document_path, record_path
from windrow.search.request import SearchRequest, read_request
from windrow.search.value_lists import PICTURES
from windrow.web.http.http_request import HttpRefusal, Request, parse_query_string
from windrow.web.http.http_response import Response
from windrow.web.http.parameters import check_address_length
from windrow.web.i18n.query_notices import explain_filter_notes, explain_mistakes
from windrow.web.i18n.translation import Translator, message
from windrow.web.layout.page_cache import check_index_ready, pinned_index
from windrow.web.layout.page_layout import PageLayout, PageLayouts, render_page
from windrow.web.layout.page_text import truncate, visible_title

PER_PAGE = 60
SIZE = 320  # pixels of the pictures
_MAX_TITLE_LENGTH = 120
ORDERS = {
    Order.ADDED: message("Added last"),
    Order.NEWEST: message("Newest first"),
    Order.OLDEST: message("Oldest first"),
    Order.TITLE: message("Title"),
}
_UNDATED = message("Without a date")


@dataclass(frozen=True, slots=True)
class GalleryTile:
    """One picture and its link."""

    title: str
    picture: str
    address: str


@dataclass(frozen=True, slots=True)
class GalleryGroup:
    """Pictures of one day or one year; without a title where they are not in order of date."""

    title: str
    tiles: tuple[GalleryTile, ...]


class GalleryView:
    """The view of the gallery."""

    def __init__(self, config: Config, frames: PageLayouts, index: Index) -> None:
        self._config = config
        self._frames = frames
        self._index = index

    def __call__(self, request: Request) -> Response:
        with pinned_index(self._index):
            check_index_ready(self._index)
            question = self._question(request)
            check_address_length(question)
            frame = self._frames.frame(request, collection=question.collection, words=question.text)
            return self._page(question, frame)

    def _question(self, request: Request) -> SearchRequest:
        pairs = [pair for pair in parse_query_string(request.query) if pair[0] != "per_page"]
        collections = self._config.collection_sources
        types = self._frames.looks.of(dict(pairs).get("collection")).types
        asked = read_request(
            [*pairs, ("per_page", str(PER_PAGE))],
            collections=collections,
            types=types,
            expander=self._frames.expander,
        )
        is_ordered = any(name == "sort" for name, _ in pairs) and asked.order in ORDERS
        return asked if is_ordered else replace(asked, order=Order.ADDED)

    def _page(self, question: SearchRequest, frame: PageLayout) -> Response:
        wanted = all_of([question.query, PICTURES])
        found = self._index.search(
            wanted,
            limit=PER_PAGE,
            offset=question.offset,
            order=question.order,
            language=frame.tongue.code,
        )
        if not found.hits and question.page > 1:
            raise HttpRefusal(404, "There is no such page.")
        is_last = question.page >= min(-(-found.total // PER_PAGE), question.deepest_page)
        say = frame.tongue.say
        return render_page(
            frame,
            "documents/gallery.html",
            title=say("Pictures"),
            canonical=_gallery_address(question),
            is_indexed=not question.text and not question.filters,
            shelves=list(_group_tiles([hit.card for hit in found.hits], question.order, frame)),
            question=question,
            notes=explain_filter_notes(question.notes, frame.tongue),
            mistakes=explain_mistakes(question.mistakes, frame.tongue),
            total=found.total,
            orders=[
                (say(words), frame.link(_gallery_address(question.ordered(each))), each is question.order)
                for each, words in ORDERS.items()
            ],
            previous=frame.link(_gallery_address(question.turning(question.page - 1)))
            if question.page > 1
            else "",
            following="" if is_last else frame.link(_gallery_address(question.turning(question.page + 1))),
            results=frame.link(replace(question, order=Order.NEWEST, page=1, per_page=20).address()),
        )


def _group_tiles(cards: Sequence[HitSummary], order: Order, frame: PageLayout) -> Iterator[GalleryGroup]:
    for title, group in groupby(cards, key=lambda card: _group_title(card, order, frame.tongue)):
        yield GalleryGroup(title, tuple(_make_tile(card, frame) for card in group))


def _group_title(card: HitSummary, order: Order, tongue: Translator) -> str:
    """Return the heading of a picture's group: the day it was added, or its year, depending on the order."""
    if order is Order.ADDED:
        return _day_label(card.stamp, tongue)
    if order is Order.TITLE:
        return ""
    return str(card.year) if card.year is not None else tongue.say(_UNDATED)


def _day_label(stamp: str, tongue: Translator) -> str:
    try:
        return tongue.day(date.fromisoformat(stamp[:10]))
    except ValueError:
        return ""


def _make_tile(card: HitSummary, frame: PageLayout) -> GalleryTile:
    title = truncate(visible_title(card.title), _MAX_TITLE_LENGTH) or frame.tongue.say("Without a title")
    name = (card.source, card.identifier)
    picture = frame.link(document_path("picture", *name, size=SIZE))
    return GalleryTile(title, picture, frame.link(record_path(*name)))


def _gallery_address(question: SearchRequest) -> str:
    """Return the path of a gallery page, without parameters that have their default."""
    usual = ("sort", "per_page")
    pairs = [pair for pair in question.pairs() if pair[0] not in usual]
    if question.order is not Order.ADDED:
        pairs.append(("sort", question.order.value))
    return f"/gallery?{urlencode(pairs, errors='replace')}" if pairs else "/gallery"


class PictureAvailability:
    """Reports whether there are pictures, so that pages link to the gallery; cached per index generation."""

    def __init__(self, index: Index, collections: Mapping[str, Sequence[str]]) -> None:
        """`collections` are all collections, with the names of their sources."""
        self._index = index
        self._collections = collections
        self._known: dict[str, tuple[str, bool]] = {}  # by collection, and "" for the library

    def __call__(self, collection: str = "") -> bool:
        """Return whether the library or a collection has pictures."""
        # On the event loop nothing may wait for the index, so the last known value is used.
        if collection not in self._known or not _is_on_loop():
            self._known[collection] = self._look(collection)
        return self._known[collection][1]

    def _look(self, collection: str) -> tuple[str, bool]:
        known = self._known.get(collection)
        try:
            generation = self._index.generation
            if known is not None and generation == known[0]:
                return known
            inside = SearchRequest(collection=collection or None, collections=self._collections)
            return generation, self._index.count(all_of((inside.query, PICTURES))) > 0
        except WindrowError:  # the gallery page itself reports the error
            return "", False


def _is_on_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
