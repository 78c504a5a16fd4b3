"""`/document/text/SOURCE/IDENTIFIER?page=…&q=…`: the text of a document, leaf by leaf, with marks in it.

The text is shown, never the markup it came in. Every state is an address; nothing needs a script.
"""

from __future__ import annotations

from dataclasses import replace

from windrow.faces.documents.book import Book
from windrow.faces.documents.hits import FIELD, Hits, KeptHits, find_hits
from windrow.faces.documents.leafing import tell_hits, ways_on
from windrow.faces.documents.leaves import tidied
from windrow.faces.documents.marking import marked
from windrow.faces.documents.named import check_there
from windrow.faces.documents.open_books import OpenBooks
from windrow.faces.documents.serving_terms import PDF
from windrow.faces.shared.conditional import is_unchanged, not_modified, validators, weak_tag
from windrow.faces.shared.frame import VARY, Frame, Frames, show
from windrow.faces.shared.headline import foreign, headline
from windrow.faces.shared.pairs import query_pairs
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response
from windrow.faces.shared.wording import cut
from windrow.finding.addresses import document_path, record_path
from windrow.model.file_facts import text_language
from windrow.model.highlighting import highlights
from windrow.model.media import has_picture
from windrow.store.store import Store

LONGEST_WORDS = 1000  # of what is looked for
_DESCRIPTION_LETTERS = 300
_PICTURES = (320, 1600)  # pixels: for a small window, and for a large one


class Texts:
    """Makes the pages of texts."""

    def __init__(self, frames: Frames, store: Store) -> None:
        self._frames = frames
        self._store = store
        self._books = OpenBooks(store)
        self._kept = KeptHits()

    def __call__(self, request: Request, source: str, identifier: str) -> Response:
        """Give a leaf of a document's text."""
        state, pairs = check_there(self._store, source, identifier), dict(query_pairs(request.query))
        words = pairs.get("q", "")[:LONGEST_WORDS].strip()
        frame = self._frames.frame(request, words=words)
        tag = weak_tag(state.number, state.seq, frame.tongue.code, self._frames.mark, request.query)
        modified = max(state.at, self._frames.since)
        if b"if-none-match" in request.headers and is_unchanged(request, tag, modified):
            return not_modified(tag, modified, VARY)  # the tag was given with a page that is there
        book = self._books.take(state, source, identifier).asked(words)
        hits = self._hits(book) if words else Hits((), is_all=True)
        place = _place(book, hits, pairs.get("page", ""), pairs.get("part", ""))
        response = _page(replace(frame, here=book.address(place)), book, hits, place)
        response.headers += validators(tag, modified)
        return response

    def _hits(self, book: Book) -> Hits:
        key = (book.record.number, book.record.seq, book.words)
        found = self._kept.get(key)
        if found is None:
            found = find_hits(book.leaves, book.query, text_language(book.record.document))
            self._kept.put(key, found)
        return found


def _page(frame: Frame, book: Book, hits: Hits, place: int) -> Response:
    record, document, leaf = book.record, book.record.document, book.leaves[place]
    called, language = headline(document, frame.tongue), text_language(document)
    text, name = tidied(leaf.text), book.name(place, frame.tongue)
    spans = highlights(text, book.query, field=FIELD, language=language) if book.words else []
    return show(
        frame,
        "documents/text.html",
        title=f"{name} · {called.short}" if len(book.leaves) > 1 else called.short,
        description=cut(" ".join(text[: 2 * _DESCRIPTION_LETTERS].split()), _DESCRIPTION_LETTERS),
        canonical=book.address(place, words=""),
        is_indexed=not book.words,
        called=called,
        record=frame.link(record_path(record.source, record.identifier)),
        standing=book.standing(place, frame.tongue),
        pieces=list(marked(text, spans)),
        language=foreign(language, frame.tongue),
        words=book.words,
        ways=ways_on(book, frame, hits, place),
        found=tell_hits(book, frame, hits),
        plain=book.address(place, words=""),
        book=book,
        here=book.number(place),
        action=frame.link(document_path("text", record.source, record.identifier)),
        pictures=_pictures(book, frame, leaf.page),
        original=_original(book, frame, leaf.page),
    )


def _place(book: Book, hits: Hits, page: str, part: str) -> int:
    """Which leaf is asked for. Whoever names none, or only a page of several parts, is led to a hit there."""
    if not page and not part:
        return hits.places[0] if hits.places else 0
    number = _number(page or "1")
    found = book.places.get((number, _number(part or "1")))
    if found is None:
        raise Refused(404, "There is no such page.")
    inside = (each for each in hits.places if book.leaves[each].page == number and not part)
    return next(inside, found)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 8 else 0


def _pictures(book: Book, frame: Frame, page: int) -> list[tuple[int, str]]:
    """Pictures of a page, small and large, where pages have pictures."""
    if book.file.media_type != PDF or not has_picture(book.file):
        return []
    name = (book.record.source, book.record.identifier)
    return [(size, frame.link(document_path("picture", *name, size=size, page=page))) for size in _PICTURES]


def _original(book: Book, frame: Frame, page: int) -> str:
    """The file itself, at this page where its viewer can go there."""
    path = frame.link(document_path("original", book.record.source, book.record.identifier))
    return f"{path}#page={page}" if book.file.media_type == PDF else path
