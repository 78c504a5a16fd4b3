"""The portal's front ends by the first segment of their paths, and its small views.

Views are plain functions that run in threads. The small ones are the OpenSearch description, search
suggestions and the language switch.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from xml.sax.saxutils import escape, quoteattr

from windrow.errors import UsageError
from windrow.index.protocol import Completion
from windrow.search.request import SearchRequest
from windrow.web.http.content_negotiation import prefers_page
from windrow.web.http.http_request import HttpRefusal, Request, check_read, parse_query_string
from windrow.web.http.http_response import DATA_HEADERS, NO_CACHE, NO_INDEX, PAGE_HEADERS, Header, Response
from windrow.web.http.thread_pools import RequestPool, SearchPools, StreamSlots, ThreadPool
from windrow.web.i18n.translation import PAGE_LANGUAGES
from windrow.web.layout.error_responses import render_missing_page
from windrow.web.layout.page_cache import PageCache, check_index_ready, pinned_index
from windrow.web.layout.page_layout import LANGUAGE_COOKIE, VARY_PAGE
from windrow.web.layout.page_text import strip_invisible, truncate
from windrow.web.layout.site import SiteAddress
from windrow.web.portal.browse_pages import BrowseView
from windrow.web.portal.home_page import AboutView, HomeView
from windrow.web.portal.portal_context import PortalContext, PortalLinks
from windrow.web.portal.portal_downloads import (
    FEED,
    MAX_EXPORTS,
    MAX_EXPORTS_PER_CLIENT,
    MAX_FEEDS,
    MAX_FEEDS_PER_CLIENT,
    MAX_OPEN_EXPORTS,
    SLOW_SECONDS,
    SUFFIXES,
    ResultExport,
)
from windrow.web.portal.record_comparison import ComparisonView
from windrow.web.portal.record_page import RecordFormView, RecordFrontEnd, RecordPageView
from windrow.web.portal.search_page import SearchView
from windrow.web.portal.status_pages import StatusView

View = Callable[[Request, str], Response]


class ViewFrontEnd:
    """A front end made from a view. Pages that depend on the index alone are `kept` for its generation.

    With `needs_index`, requests are refused (503) until the index is complete.
    """

    def __init__(
        self,
        room: PortalContext,
        view: View,
        *,
        crew: RequestPool,
        kept: PageCache | None = None,
        needs_index: bool = False,
    ) -> None:
        self._room = room
        self._view = view
        self._crew = crew
        self._kept = kept
        self._needs_index = needs_index

    async def __call__(self, request: Request, rest: str) -> Response:
        """Return the page, or an error page with a search box."""
        try:
            check_read(request.method)
            return await self._crew.run(
                lambda: self._still(request, rest), client=request.client, is_gone=request.is_gone
            )
        except (HttpRefusal, UsageError) as exc:
            if not prefers_page(request.headers.get(b"accept", b"")):
                raise
            return render_missing_page(self._room.frames, request, exc)

    def _still(self, request: Request, rest: str) -> Response:
        """Answer from one generation of the index, even if it is replaced meanwhile."""
        with pinned_index(self._room.index):
            return self._answer(request, rest)

    def _answer(self, request: Request, rest: str) -> Response:
        if self._needs_index:
            check_index_ready(self._room.index)
        if self._kept is None:
            return self._view(request, rest)
        frame = self._room.frames.frame(request)
        generation = f"{self._room.index.generation} {self._room.frames.mark}"
        key = (frame.tongue.code, request.path, request.query)
        return self._kept.answer(generation, key, lambda: self._view(request, rest))


# OpenSearch description: it lets a browser add the library to its search engines.

_DESCRIPTION_TYPE: Header = (b"content-type", b"application/opensearchdescription+xml; charset=utf-8")
_MAX_SHORT_NAME_LENGTH = 16  # characters, as the specification limits it
_URLS = (
    ("text/html", "/search"),
    ("application/atom+xml", "/search.atom"),
    ("application/x-suggestions+json", "/suggest"),
)


def opensearch_description(room: PortalContext, request: Request) -> Response:
    frame = room.frames.frame(request)
    url, name = frame.site.url, strip_invisible(frame.site.title)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">',
        f"<ShortName>{escape(name[:_MAX_SHORT_NAME_LENGTH].strip() or 'Windrow')}</ShortName>",
        f"<LongName>{escape(name[:48])}</LongName>",
        f"<Description>{escape(frame.tongue.say('Search in {title}', title=name[:900]))}</Description>",
        *(
            f'<Url type="{kind}" template={quoteattr(f"{url}{path}?q={{searchTerms}}")}/>'
            for kind, path in _URLS
        ),
        f'<Image type="image/svg+xml">{escape(url + frame.site.icon.removeprefix(frame.site.path))}</Image>',
        "<InputEncoding>UTF-8</InputEncoding>",
        "</OpenSearchDescription>",
    ]
    return Response(200, "\n".join(lines).encode(), [_DESCRIPTION_TYPE, NO_CACHE, *DATA_HEADERS])


# Search suggestions as OpenSearch defines them: text, values, descriptions, addresses.

MAX_SUGGESTIONS = 8
MAX_PREFIX_LENGTH = 200  # characters examined
MIN_PREFIX_LENGTH = 2
_SUGGESTIONS_TYPE: Header = (b"content-type", b"application/x-suggestions+json; charset=utf-8")


class SuggestionView:
    """The view of `/suggest?q=`."""

    def __init__(self, room: PortalContext) -> None:
        self._room = room

    def __call__(self, request: Request, rest: str) -> Response:  # noqa: ARG002 - a view
        """Return completions; none for a single character."""
        question, frame = self._room.asked(request)
        text = question.text[:MAX_PREFIX_LENGTH]
        inside = SearchRequest(collection=question.collection, collections=self._room.collections)
        found = (
            self._room.index.complete(text, limit=MAX_SUGGESTIONS, query=inside.query)
            if len(text) >= MIN_PREFIX_LENGTH
            else []
        )
        ways = self._room.ways(frame, question)
        answer = [
            text,
            [truncate(each.value) for each in found],
            [f"{frame.label(each.field)} · {frame.tongue.number(each.count)}" for each in found],
            [_suggestion_address(each, ways) for each in found],
        ]
        body = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
        return Response(200, body, [_SUGGESTIONS_TYPE, NO_CACHE, NO_INDEX, VARY_PAGE, *DATA_HEADERS])


def _suggestion_address(found: Completion, ways: PortalLinks) -> str:
    site = ways.frame.site
    if found.field in ("creator", "subject", "keyword"):
        path = ways.find(found.field, found.value)
    else:
        path = ways.search(found.value)
    return site.url + path.removeprefix(site.path)


# The language switch stores the choice in a cookie and redirects to where the reader was.

YEAR_SECONDS = 31_536_000
# A path of this site: one slash, then nothing that a browser could take for another host or a header.
_SITE_PATH = re.compile(r"/(?![/\\])[!-\[\]-~]{0,4000}")


class LanguageSwitch:
    """The view of `/language?to=sv&back=/…`."""

    def __init__(self, site: SiteAddress) -> None:
        self._site = site

    def __call__(self, request: Request, rest: str) -> Response:  # noqa: ARG002 - a view
        """Set the cookie and redirect back; never to another site."""
        pairs = dict(parse_query_string(request.query))
        code = pairs.get("to", "")
        if code not in PAGE_LANGUAGES:
            raise HttpRefusal(404, f"The pages are in {', '.join(PAGE_LANGUAGES.values())}.")
        back = pairs.get("back", "/")
        location = self._site.path + (back if _SITE_PATH.fullmatch(back) else "/")
        secure = "; Secure" if self._site.url.startswith("https://") else ""
        path = self._site.path or "/"
        cookie = (
            f"{LANGUAGE_COOKIE}={code}; Path={path}; Max-Age={YEAR_SECONDS}; SameSite=Lax; HttpOnly{secure}"
        )
        headers = [(b"location", location.encode()), (b"set-cookie", cookie.encode("ascii", "ignore"))]
        return Response(303, b"", [*headers, NO_CACHE, NO_INDEX, *PAGE_HEADERS])


FrontEnd = Callable[[Request, str], Awaitable[Response]]


def portal_front_ends(room: PortalContext, searches: RequestPool | None = None) -> dict[str, FrontEnd]:
    """Return the portal's front ends, which share a page cache; `searches` is the search pool."""
    crew, searches, kept = ThreadPool(), searches or SearchPools(), PageCache()

    def door(view: View, *, is_kept: bool = False) -> FrontEnd:
        return ViewFrontEnd(room, view, crew=crew, kept=kept if is_kept else None)

    def search(view: View, *, is_kept: bool = False) -> FrontEnd:
        return ViewFrontEnd(room, view, crew=searches, kept=kept if is_kept else None, needs_index=True)

    home, record = HomeView(room), RecordPageView(room)
    front_ends: dict[str, FrontEnd] = {
        "": door(home.library, is_kept=True),
        "collection": door(home.collection, is_kept=True),
        "search": search(SearchView(room), is_kept=True),
        "record": RecordFrontEnd(record, door(record)),
        "form": door(RecordFormView(record, ComparisonView(room))),
        "browse": search(BrowseView(room), is_kept=True),
        "status": door(StatusView(room)),
        "about": door(AboutView(room), is_kept=True),
        "suggest": ViewFrontEnd(room, SuggestionView(room), crew=ThreadPool(at_once=2, name="suggest")),
        "opensearch.xml": door(lambda request, rest: opensearch_description(room, request)),  # noqa: ARG005
        "language": door(LanguageSwitch(room.frames.site)),
        "look": room.frames.looks,
    }
    turns = StreamSlots(
        MAX_EXPORTS, most_of_one=MAX_EXPORTS_PER_CLIENT, most_open=MAX_OPEN_EXPORTS, slow_seconds=SLOW_SECONDS
    )
    feeds = StreamSlots(MAX_FEEDS, most_of_one=MAX_FEEDS_PER_CLIENT)
    exports = ThreadPool(at_once=MAX_EXPORTS, name="export")
    for suffix in SUFFIXES:
        waiting = feeds if suffix == FEED else turns  # a page of a feed is short
        front_ends[f"search.{suffix}"] = search(ResultExport(room, suffix, waiting, exports))
    return front_ends
