"""Where in a file stands what was looked for: the page, and the piece of it that shows it best.

Between `results`, which has cards, and the store, which has the texts: only those hits of a page are read
whose title and description do not show why they were found, or that have no description at all, and not more
of them than can be read at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from windrow.finding.showing import LONGEST_SNIPPET, pieces_of
from windrow.finding.shown_hit import Passage, ShownHit
from windrow.finding.walking import Fetcher
from windrow.model.file_facts import text_language
from windrow.model.folding import fold, words_of
from windrow.model.held_file import HeldFile
from windrow.model.highlighting import Span, conditions_on, highlights, snippet, words_marked
from windrow.model.query import Query
from windrow.store.store import Store

LETTERS_OF_HIT = 2_000_000  # that are looked through for one hit
LETTERS_OF_PAGE = 6_000_000  # for all hits of a page of results
PIECE_LETTERS = 20_000  # of a text without pages that are looked at together
MOST_TRIED = 8  # pages that are looked at word by word
FIELD = "text"


def with_passages(hits: Sequence[ShownHit], query: Query, store: Store) -> tuple[ShownHit, ...]:
    """Give the hits, those with a passage that otherwise would not show enough of why they were found."""
    if not any(map(_has_text, hits)) or not conditions_on(query, FIELD):
        return tuple(hits)
    fetcher, left, found = Fetcher(store), LETTERS_OF_PAGE, []
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
    """Give the passage of a text that has most of what was looked for; the first of several."""
    pieces = list(_pieces(file, most))
    best, chosen = 0, None
    for place in _likely([text for _, text in pieces], query, language):
        page, raw = pieces[place]
        text = " ".join(raw.split())
        shown, spans = _shown(text, highlights(text, query, field=FIELD, language=language))
        score = len({fold(shown[low:high]) for low, high in spans})
        if score > best:
            best, chosen = score, Passage(page, tuple(pieces_of(shown, spans)))
    return chosen


def _likely(texts: Sequence[str], query: Query, language: str | None) -> list[int]:
    """Places of the texts with words of most conditions: their words alone are looked at, which is quick."""
    bags = [frozenset(words_of(text)) for text in texts]
    wanted = words_marked(frozenset().union(*bags), query, field=FIELD, language=language)
    scores = [sum(not bag.isdisjoint(words) for words in wanted) for bag in bags]
    ordered = sorted(range(len(texts)), key=lambda place: (-scores[place], place))
    return [place for place in ordered[:MOST_TRIED] if scores[place]]


def _shown(text: str, spans: list[Span]) -> tuple[str, list[Span]]:
    return snippet(text, spans, length=LONGEST_SNIPPET) if spans else ("", [])


def _pieces(file: HeldFile, most: int) -> Iterator[tuple[int | None, str]]:
    """The text page by page, long ones in pieces that overlap a little, so that no phrase is cut apart."""
    left = most
    for number, page in enumerate(file.text, 1):
        for start in range(0, min(len(page), left), PIECE_LETTERS):
            yield number if file.is_paged else None, page[start : start + PIECE_LETTERS + LONGEST_SNIPPET]
        left -= len(page)
        if left <= 0:
            return


def _has_text(hit: ShownHit) -> bool:
    return hit.card.file is not None and hit.card.file.has_text


def _is_explained(hit: ShownHit, query: Query) -> bool:
    """Whether everything that was looked for stands in title or description as they are shown.

    A title alone is not enough: people tell from a piece of the text what they have before them.
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
