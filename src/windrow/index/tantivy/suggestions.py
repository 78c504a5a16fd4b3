"""How a beginning goes on: names, subjects and titles of one state of an index that begin as a text does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import tantivy

from windrow.index import asking
from windrow.index.kept import Kept
from windrow.index.layout import CARD, NUMBER, TITLE_KEY, fact_field
from windrow.index.packing import unpack
from windrow.index.part import Part
from windrow.index.protocol import Completion
from windrow.index.tokens import APART, fact_value
from windrow.model.folding import fold
from windrow.model.initials import title_key
from windrow.model.query import Query

KEPT_COMPLETIONS = 512
SHORTEST_BEGINNING = 2  # letters, before anything is completed
COMPLETED = ("creator", "subject")


class Completer:
    """Completes what is begun, and keeps what it found."""

    def __init__(self, searcher: tantivy.Searcher, count: Callable[[tantivy.Query], int]) -> None:
        """`count` says how many documents a question finds."""
        self._searcher = searcher
        self._count = count
        self._kept: Kept[tuple[Query, str, int], list[Completion]] = Kept(KEPT_COMPLETIONS)

    def complete(self, part: Part, text: str, limit: int) -> list[Completion]:
        """Values that begin so, the most used first."""
        start = fold(" ".join(text.split()))
        if len(start) < SHORTEST_BEGINNING:
            return []
        return list(self._kept.get((part.query, start, limit), lambda: self._complete(part, start, limit)))

    def _complete(self, part: Part, start: str, limit: int) -> list[Completion]:
        found = [
            Completion(fact_value(token), field, count)
            for field in COMPLETED
            for token, count in self._tokens(part, fact_field(field), start, limit)
        ]
        found += self._titles(part, start, limit)
        return _spelled_once(sorted(found, key=lambda one: (-one.count, one.value, one.field)))[:limit]

    def _tokens(self, part: Part, field: str, start: str, limit: int) -> list[tuple[str, int]]:
        """Terms that begin so, the most used first, each with how many documents have it."""
        if not part.is_whole:
            return self._searcher.terms_with_prefix(field, start, part.found, limit)
        # A fifth of the time; but what the dictionary counts may be of deleted documents.
        found = self._searcher.terms_with_prefix(field, start, limit=limit * 2)
        counted = ((token, self._count(asking.term(field, token))) for token, _ in found)
        return [each for each in counted if each[1]]

    def _titles(self, part: Part, start: str, limit: int) -> list[Completion]:
        """Titles that begin so, of a few records; the same one of several counts as often."""
        start = title_key(start)
        among = None if part.is_whole else part.found
        tokens = self._searcher.terms_with_prefix(TITLE_KEY, start, among, limit * 4)
        counts: Counter[str] = Counter()
        for number in sorted({int(token.rpartition(APART)[2]) for token, _ in tokens}):
            for _, address in self._searcher.search(asking.term(NUMBER, number), 1).hits:
                title = unpack(self._searcher.doc(address).get_first(CARD) or b"").title
                counts[title] += title_key(title).startswith(start)
        return [Completion(title, "title", count) for title, count in counts.items() if count]


def _spelled_once(found: Iterable[Completion]) -> list[Completion]:
    """The first of those that differ in nothing but capitals; its count stays that of its own spelling."""
    kept: dict[tuple[str, str], Completion] = {}
    for one in found:
        kept.setdefault((one.field, one.value.casefold()), one)
    return list(kept.values())
