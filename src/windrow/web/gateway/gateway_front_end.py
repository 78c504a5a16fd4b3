"""The lists of one repository: its pages, where there are very many in groups, and the records on each page.

Page 17 is leaf 17 of the store: its records are the same for ever, so it changes only when they do. From the
entry of the gateway it is four steps at most to any record: repository, group, page, record.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from windrow import __version__
from windrow.model.document import Text
from windrow.search.record_addresses import record_path
from windrow.search.record_view import read_titles
from windrow.store import sources
from windrow.store.connection import Connection
from windrow.store.overview import list_overviews
from windrow.store.published import list_pages
from windrow.store.published.list_pages import ListPage, SourcePages
from windrow.store.store import Store
from windrow.web.http.conditional import (
    is_unchanged,
    matches_none_match,
    not_modified,
    validator_headers,
    weak_etag,
)
from windrow.web.http.http_request import HttpRefusal, Request, check_read
from windrow.web.http.http_response import NO_CACHE, Response
from windrow.web.http.thread_pools import ThreadPool
from windrow.web.i18n.translation import Translator
from windrow.web.layout.page_cache import check_lists_ready
from windrow.web.layout.page_layout import VARY_PAGE, PageLayout, PageLayouts, render_page
from windrow.web.layout.page_text import foreign_language, strip_invisible, visible_title

# Where the gateway's lists are.


def repository_path(name: str) -> str:
    """Return the path of a repository's first page."""
    return f"/gateway/{quote(name, safe='')}/"


def list_page_path(name: str, number: int) -> str:
    """Return the path of a numbered page of its records."""
    return f"{repository_path(name)}{number}"


def group_path(name: str, number: int) -> str:
    """Return the path of a numbered list of such pages."""
    return f"{repository_path(name)}pages/{number}"


# The first page of the gateway: every repository, how much there is of it, and how fresh that is.


@dataclass(frozen=True, slots=True)
class RepositoryLine:
    """A repository as the page lists it."""

    name: str
    title: str
    path: str  # empty: there is nothing to go to
    records: int
    fresh: datetime | None


class GatewayHome:
    """Makes `/gateway/`."""

    def __init__(self, frames: PageLayouts, store: Store, configured: Iterable[str]) -> None:
        self._frames = frames
        self._store = store
        self._configured = tuple(configured)

    def __call__(self, request: Request) -> Response:
        """Return the page."""
        frame = self._frames.frame(request)
        lines = self._lines()
        tag = weak_etag("gateway", self._frames.mark, frame.tongue.code, lines)
        if matches_none_match(request, tag):
            return Response(304, b"", [(b"etag", tag), NO_CACHE, VARY_PAGE])
        return render_page(
            frame,
            "gateway/entry.html",
            (b"etag", tag),  # and no date: a repository that is taken away leaves none behind
            title=frame.tongue.say("All records"),
            canonical="/gateway/",
            lines=lines,
            is_empty=not any(line.records for line in lines),
        )

    def _lines(self) -> list[RepositoryLine]:
        with self._store.reading() as connection:
            check_lists_ready(connection)
            sizes = {shelf.name: shelf.live for shelf in list_pages.list_source_pages(connection)}
        known = list_overviews(self._store, self._configured)
        return [
            RepositoryLine(
                each.name,
                each.title,
                repository_path(each.name) if sizes.get(each.name) else "",
                sizes.get(each.name, 0),
                each.last_good,
            )
            for each in known
        ]


PAGES_PER_GROUP = 250  # pages


@dataclass(frozen=True, slots=True)
class RecordLine:
    """A record as a page lists it."""

    path: str
    title: str  # empty: it has none
    language: str
    identifier: str


@dataclass(frozen=True, slots=True)
class ListLink:
    """A link to a list: what it is called, and where it is."""

    words: str
    path: str


@dataclass(frozen=True, slots=True)
class ListedRepository:
    """What all lists of a repository say."""

    shelf: SourcePages
    title: str

    @property
    def called(self) -> str:
        """What it calls itself, or what it is called here."""
        return self.title or self.shelf.name

    @property
    def path(self) -> str:
        """Where its first page is."""
        return repository_path(self.shelf.name)


class RepositoryLists:
    """Makes `/gateway/NAME/`, `/gateway/NAME/pages/3` and `/gateway/NAME/17`."""

    def __init__(self, frames: PageLayouts, store: Store) -> None:
        self._frames = frames
        self._store = store

    def repository(self, request: Request, name: str) -> Response:
        """Return the list of a repository's pages, or of groups of them."""
        frame = self._frames.frame(request)
        with self._store.reading() as connection:
            found = _find_repository(connection, name)
            changed = self._changed(connection, found.shelf.seq)
            tag = _list_etag(frame, found, found.shelf)
            if is_unchanged(request, tag, changed):
                return not_modified(tag, changed, VARY_PAGE)
            if found.shelf.leaves > PAGES_PER_GROUP:
                steps = [
                    ListLink(_span_words(frame, first, found.shelf.leaves), group_path(name, place))
                    for place, first in enumerate(range(1, found.shelf.leaves + 1, PAGES_PER_GROUP), 1)
                ]
            else:
                steps = _list_links(frame, name, list_pages.list_pages(connection, found.shelf.source_id))
        return render_page(
            frame,
            "gateway/pages.html",
            *validator_headers(tag, changed),
            title=found.called,
            canonical=repository_path(name),
            repository=found,
            steps=steps,
            group=None,
        )

    def group(self, request: Request, name: str, number: int) -> Response:
        """Return the list of some of a repository's pages."""
        frame = self._frames.frame(request)
        first = (number - 1) * PAGES_PER_GROUP + 1
        with self._store.reading() as connection:
            found = _find_repository(connection, name)
            run = list_pages.list_pages(connection, found.shelf.source_id, first, PAGES_PER_GROUP)
            if not run:
                raise HttpRefusal(404, "There is no such page.")
            seq = max(each.seq for each in run)
            changed = self._changed(connection, seq)
        tag = _list_etag(frame, found, number, seq, run[-1].last_id)
        if is_unchanged(request, tag, changed):
            return not_modified(tag, changed, VARY_PAGE)
        return render_page(
            frame,
            "gateway/pages.html",
            *validator_headers(tag, changed),
            title=f"{found.called} · {_span_words(frame, first, run[-1].number)}",
            canonical=group_path(name, number),
            repository=found,
            steps=_list_links(frame, name, run),
            group=_span_words(frame, first, run[-1].number),
        )

    def leaf(self, request: Request, name: str, number: int) -> Response:
        """Return a page of records."""
        frame = self._frames.frame(request)
        with self._store.reading() as connection:
            found = _find_repository(connection, name)
            leaf = list_pages.get_page(connection, found.shelf.source_id, number)
            if leaf is None:
                raise HttpRefusal(404, "There is no such page.")
            around = list_pages.find_neighbours(connection, leaf.source_id, number)
            changed = self._changed(connection, leaf.seq)
            tag = _list_etag(frame, found, leaf, around)
            if is_unchanged(request, tag, changed):
                return not_modified(tag, changed, VARY_PAGE)
            lines = _record_lines(connection, name, leaf, frame.tongue)
        before, after = (list_page_path(name, each) if each else "" for each in around)
        return render_page(
            frame,
            "gateway/leaf.html",
            *validator_headers(tag, changed),
            title=f"{found.called} · {frame.tongue.say('Page {number}', number=number)}",
            canonical=list_page_path(name, number),
            repository=found,
            place=number,
            lines=lines,
            before=before,
            after=after,
        )

    def _changed(self, connection: Connection, seq: int) -> int:
        """When a list last changed, or the look of all pages."""
        return max(list_pages.changed_at(connection, seq), self._frames.since)


def _find_repository(connection: Connection, name: str) -> ListedRepository:
    state = sources.find(connection, name)
    if state is not None:  # what was never here will not be there in a few seconds either
        check_lists_ready(connection)
    shelf = list_pages.find_source_pages(connection, name)
    if shelf is None or state is None:
        raise HttpRefusal(404, "There is no such repository, or nothing of it was harvested yet.")
    return ListedRepository(shelf, strip_invisible(str(state.identity.get("name") or "")).strip())


def _list_etag(frame: PageLayout, found: ListedRepository, *parts: object) -> bytes:
    return weak_etag("gateway", __version__, frame.tongue.code, frame.site, frame.look, found.title, *parts)


def _span_words(frame: PageLayout, first: int, last: int) -> str:
    return frame.tongue.say(
        "Pages {first} to {last}", first=first, last=min(first + PAGES_PER_GROUP - 1, last)
    )


def _list_links(frame: PageLayout, name: str, run: list[ListPage]) -> list[ListLink]:
    """The pages on which there is something to see."""
    number = frame.tongue.number
    return [ListLink(number(each.number), list_page_path(name, each.number)) for each in run if each.live]


def _record_lines(connection: Connection, name: str, leaf: ListPage, tongue: Translator) -> list[RecordLine]:
    rows = list_pages.list_entries(connection, [leaf])
    called = read_titles(connection, [number for number, _, _ in rows])
    return [
        RecordLine(record_path(name, identifier), *_shown_title(called.get(number), tongue), identifier)
        for number, identifier, _ in rows
    ]


def _shown_title(title: Text | None, tongue: Translator) -> tuple[str, str]:
    """A title and its language, where it is another than that of the page; nothing for one not to be seen."""
    words = visible_title(title.value) if title else ""
    return words, foreign_language(title.language, tongue) if title and words else ""


# Answers under `/gateway`: the way from one page to every record, and records in their own formats.

GatewayView = Callable[[Request, str], Response]
FrontEnd = Callable[[Request, str], Awaitable[Response]]

GATEWAY_THREADS = 4
_GETRECORD = "/getrecord"
_NUMBER = "[1-9][0-9]{0,8}"
_LIST = re.compile(rf"/(?P<name>[^/]+)(?:/?|/(?P<leaf>{_NUMBER})|/pages/(?P<group>{_NUMBER}))")


def gateway_front_ends(
    frames: PageLayouts, store: Store, configured: Iterable[str], get_record: GatewayView
) -> dict[str, FrontEnd]:
    """Return the face for `/gateway`; `get_record` is given what stands behind `/gateway/getrecord`."""
    return {
        "gateway": GatewayFrontEnd(
            GatewayHome(frames, store, configured), RepositoryLists(frames, store), get_record
        )
    }


class GatewayFrontEnd:
    """Finds the view for a path: the entry, the lists of a repository, or one record by `get_record`."""

    def __init__(self, entry: GatewayHome, lists: RepositoryLists, get_record: GatewayView) -> None:
        self._entry = entry
        self._lists = lists
        self._get_record = get_record
        self._crew = ThreadPool(at_once=GATEWAY_THREADS)

    async def __call__(self, request: Request, rest: str) -> Response:
        """Return the page."""
        check_read(request.method)
        return await self._crew.run(
            lambda: self._answer(request, rest), client=request.client, is_gone=request.is_gone
        )

    def _answer(self, request: Request, rest: str) -> Response:
        if not rest.strip("/"):
            return self._entry(request)
        listed = _LIST.fullmatch(rest)
        if listed is None and rest.startswith(f"{_GETRECORD}/"):
            return self._get_record(request, rest.removeprefix(_GETRECORD))
        if listed is None:
            raise HttpRefusal(404, "There is nothing at this address.")
        if listed["leaf"]:
            return self._lists.leaf(request, listed["name"], int(listed["leaf"]))
        if listed["group"]:
            return self._lists.group(request, listed["name"], int(listed["group"]))
        return self._lists.repository(request, listed["name"])
