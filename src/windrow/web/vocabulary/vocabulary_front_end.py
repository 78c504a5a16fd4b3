"""The front end for `/vocabulary/`: chooses the page or file for a path and the request's Accept header.

The address of a vocabulary or concept redirects programs to the format that they accept (303 See Other). Each
format also has an address of its own, with its file suffix.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from windrow.model.thesaurus import Concept
from windrow.search.filters import COLLECTION
from windrow.search.request import SearchRequest
from windrow.vocabularies.vocabulary_directory import SUFFIXES, VocabularyDirectory
from windrow.web.http.content_negotiation import best_media_type, prefers_page
from windrow.web.http.http_request import HttpRefusal, Request, parse_query_string
from windrow.web.http.http_response import NO_CACHE, PAGE_HEADERS, Response
from windrow.web.http.thread_pools import ThreadPool
from windrow.web.layout.page_cache import PageCache, check_index_ready
from windrow.web.layout.page_layout import PageLayout
from windrow.web.portal.portal_context import PortalContext
from windrow.web.portal.portal_front_end import ViewFrontEnd
from windrow.web.vocabulary.vocabulary_context import RecordCounts, VocabularyContext
from windrow.web.vocabulary.vocabulary_downloads import VocabularyDownloads, download_formats
from windrow.web.vocabulary.vocabulary_pages import (
    show_concept,
    show_found,
    show_letters,
    show_list,
    show_missing_concept,
    show_missing_vocabulary,
    show_vocabulary,
)

VOCABULARY_THREADS = 2  # a page counts the records of up to 200 concepts: searches have threads of their own
_HTML = "text/html"
_VARY = (b"vary", b"accept")


def vocabulary_front_end(room: PortalContext, directory: VocabularyDirectory) -> ViewFrontEnd:
    return ViewFrontEnd(
        room,
        VocabularyFrontEnd(room, directory),
        crew=ThreadPool(at_once=VOCABULARY_THREADS, name="vocabulary"),
    )


class VocabularyFrontEnd:
    """The view of vocabularies, their concepts and downloads."""

    def __init__(self, room: PortalContext, directory: VocabularyDirectory) -> None:
        self._room = room
        self._directory = directory
        self._downloads = VocabularyDownloads(room.store)
        self._kept = PageCache()
        self._counted = RecordCounts()

    def __call__(self, request: Request, rest: str) -> Response:
        pairs = dict(parse_query_string(request.query))
        name, _, inner = rest.removeprefix("/").partition("/")
        frame, question = self._frame(request, pairs)
        if not name:
            address = f"?{urlencode({COLLECTION: question.collection})}" if question.collection else ""
            return show_list(frame, self._directory, address)
        place = self._directory.find(name)
        if place is None:
            self._check_page(request, "There is no vocabulary of this name.")
            return show_missing_vocabulary(frame, self._directory)
        state = f"{self._room.index.generation} {self._directory.mark} {self._room.frames.mark}"
        context = VocabularyContext(self._room, frame, question, place, state, self._counted)
        part, _, identifier = inner.partition("/")
        part, suffix = _split_suffix(part)
        match part, suffix, identifier:
            case "", "", "":
                return self._vocabulary(request, context, pairs)
            case "letters", "", "":
                return self._page(request, context, lambda: show_letters(context, pairs))
            case "search", "", "":
                return show_found(context, pairs)
            case "all", _, "" if suffix:
                return self._downloads.whole(request, place, suffix)
            case "concept", _, "" if pairs.get("uri"):
                return self._concept(request, context, pairs["uri"], suffix, pairs)
            case "concept", "", _ if identifier:
                return self._named(request, context, identifier, pairs)
        raise HttpRefusal(404, "There is nothing at this address.")

    def _frame(self, request: Request, pairs: Mapping[str, str]) -> tuple[PageLayout, SearchRequest]:
        # Only the collection: `q` is searched in the vocabulary here, not in the library.
        named = [(COLLECTION, pairs[COLLECTION])] if pairs.get(COLLECTION) else []
        question = self._room.question(named)
        return self._room.frames.frame(request, collection=question.collection), question

    def _vocabulary(self, request: Request, context: VocabularyContext, pairs: Mapping[str, str]) -> Response:
        suffix = _preferred_suffix(request, is_whole=True)
        if suffix:
            return _see_other(context, f"{context.place.path}all{suffix}")
        return self._page(request, context, lambda: show_vocabulary(context, pairs))

    def _named(
        self, request: Request, context: VocabularyContext, identifier: str, pairs: Mapping[str, str]
    ) -> Response:
        """Answer for a concept by its identifier; redirect from its other names to its own address."""
        place = context.place
        concept = place.find(identifier)
        if concept is not None:
            return self._concept(request, context, concept.uri, "", pairs, concept)
        bare, suffix = _split_suffix(identifier)
        concept = place.find(bare) if suffix else None
        if concept is not None:
            return self._concept(request, context, concept.uri, suffix, pairs, concept)
        concept = place.view.find(identifier)
        if concept is not None:
            return _see_other(context, place.concept_path(concept.uri))
        return self._missing(request, context, bare)

    def _concept(
        self,
        request: Request,
        context: VocabularyContext,
        uri: str,
        suffix: str,
        pairs: Mapping[str, str],
        concept: Concept | None = None,
    ) -> Response:
        place = context.place
        concept = concept or place.view.concept(uri)
        if concept is None:
            return self._missing(request, context, uri)
        if suffix:
            return self._downloads.one(place, concept, suffix)
        wanted = _preferred_suffix(request, is_whole=False)
        if wanted:
            return _see_other(context, place.concept_path(concept.uri, wanted))
        return self._page(request, context, lambda: show_concept(context, self._directory, concept, pairs))

    def _page(self, request: Request, context: VocabularyContext, make: Callable[[], Response]) -> Response:
        """Return a page from the cache, which is valid until the index or a vocabulary changes."""
        check_index_ready(self._room.index)
        made = self._kept.answer(context.state, (context.tongue.code, request.path, request.query), make)
        if _VARY not in made.headers:
            made.headers.append(_VARY)
        return made

    def _missing(self, request: Request, context: VocabularyContext, named: str) -> Response:
        self._check_page(request, "There is no such concept in this vocabulary.")
        return show_missing_concept(context, named)

    def _check_page(self, request: Request, words: str) -> None:
        """Refuse in plain text if the client does not want a page."""
        if not prefers_page(request.headers.get(b"accept", b"")):
            raise HttpRefusal(404, words)


def _split_suffix(text: str) -> tuple[str, str]:
    found = next((each for each in SUFFIXES if text.endswith(each) and text != each), "")
    return text.removesuffix(found), found


def _preferred_suffix(request: Request, *, is_whole: bool) -> str:
    """Return the suffix of the format that a client prefers to the page; empty for the page."""
    forms = {each.media_type: each.suffix for each in download_formats(is_whole=is_whole)}
    best = best_media_type(request.headers.get(b"accept", b""), (_HTML, *forms))
    return forms.get(best, "")


def _see_other(context: VocabularyContext, path: str) -> Response:
    location = context.frame.link(path).encode("ascii", "replace")
    return Response(303, b"", [(b"location", location), _VARY, NO_CACHE, *PAGE_HEADERS])
