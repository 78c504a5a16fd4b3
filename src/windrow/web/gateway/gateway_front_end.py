"""The front end for `/gateway`: its entry page and the lists of each repository's records.

List page 17 is list page 17 of the store: it always holds the same records, so it changes only when they do.
From the entry page every record is at most four steps away: repository, group, page, record.
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


def repository_path(name: str) -> str:
    return f"/gateway/{quote(name, safe='')}/"


def list_page_path(name: str, number: int) -> str:
    return f"{repository_path(name)}{number}"


def group_path(name: str, number: int) -> str:
    return f"{repository_path(name)}pages/{number}"


@dataclass(frozen=True, slots=True)
class RepositoryLine:
    """A repository as the entry page lists it."""

    name: str
    title: str
    path: str  # empty: there is no page to link to
    records: int
    fresh: datetime | None


class GatewayHome:
    """The view of `/gateway/`: every repository, its size and how fresh it is."""

    def __init__(self, frames: PageLayouts, store: Store, configured: Iterable[str]) -> None:
        self._frames = frames
        self._store = store
        self._configured = tuple(configured)

    def __call__(self, request: Request) -> Response:
        frame = self._frames.frame(request)
        lines = self._lines()
        tag = weak_etag("gateway", self._frames.mark, frame.tongue.code, lines)
        if matches_none_match(request, tag):
            return Response(304, b"", [(b"etag", tag), NO_CACHE, VARY_PAGE])
        return render_page(
            frame,
            "gateway/entry.html",
            (b"etag", tag),  # no Last-Modified: a removed repository leaves no date behind
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


PAGES_PER_GROUP = 250  # list pages


@dataclass(frozen=True, slots=True)
class RecordLine:
    """A record as a list page shows it."""

    path: str
    title: str  # empty: it has none
    language: str
    identifier: str


@dataclass(frozen=True, slots=True)
class ListLink:
    """A link to a list."""

    words: str
    path: str


@dataclass(frozen=True, slots=True)
class ListedRepository:
    """What all lists of a repository share."""

    shelf: SourcePages
    title: str

    @property
    def called(self) -> str:
        return self.title or self.shelf.name

    @property
    def path(self) -> str:
        return repository_path(self.shelf.name)


class RepositoryLists:
    """The views of `/gateway/NAME/`, `/gateway/NAME/pages/3` and `/gateway/NAME/17`."""

    def __init__(self, frames: PageLayouts, store: Store) -> None:
        self._frames = frames
        self._store = store

    def repository(self, request: Request, name: str) -> Response:
        """List a repository's pages, or groups of them."""
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
        """Return when a list last changed, or the layout of all pages."""
        return max(list_pages.changed_at(connection, seq), self._frames.since)


def _find_repository(connection: Connection, name: str) -> ListedRepository:
    state = sources.find(connection, name)
    if state is not None:  # a repository that was never here will not appear in a few seconds either
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
    """Return a title and its language where it differs from the page's; empty if the title is not visible."""
    words = visible_title(title.value) if title else ""
    return words, foreign_language(title.language, tongue) if title and words else ""


GatewayView = Callable[[Request, str], Response]
FrontEnd = Callable[[Request, str], Awaitable[Response]]

GATEWAY_THREADS = 4
_GETRECORD = "/getrecord"
_NUMBER = "[1-9][0-9]{0,8}"
_LIST = re.compile(rf"/(?P<name>[^/]+)(?:/?|/(?P<leaf>{_NUMBER})|/pages/(?P<group>{_NUMBER}))")


def gateway_front_ends(
    frames: PageLayouts, store: Store, configured: Iterable[str], get_record: GatewayView
) -> dict[str, FrontEnd]:
    """Return the front end for `/gateway`; `get_record` is the view of `/gateway/getrecord`."""
    return {
        "gateway": GatewayFrontEnd(
            GatewayHome(frames, store, configured), RepositoryLists(frames, store), get_record
        )
    }


class GatewayFrontEnd:
    """Dispatches to the entry page, the lists of a repository, or `get_record`."""

    def __init__(self, entry: GatewayHome, lists: RepositoryLists, get_record: GatewayView) -> None:
        self._entry = entry
        self._lists = lists
        self._get_record = get_record
        self._crew = ThreadPool(at_once=GATEWAY_THREADS)

    async def __call__(self, request: Request, rest: str) -> Response:
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
