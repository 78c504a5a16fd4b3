"""The dictionaries of one state of an index: its terms, its values from A to Z, how a beginning goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import tantivy

from windrow.errors import UsageError
from windrow.index import asking, patterns
from windrow.index.kept import Kept
from windrow.index.layout import (
    CARD,
    INITIALED,
    MEASURED,
    NUMBER,
    NUMBERS,
    SIZE,
    TITLE_KEY,
    fact_field,
    initial_field,
)
from windrow.index.packing import unpack
from windrow.index.protocol import MOST_VALUES, TALLIED, Completion, Counted
from windrow.index.tokens import APART, fact_token, fact_value
from windrow.model.folding import fold
from windrow.model.initials import OTHER, initial_of, title_key

KEPT_COMPLETIONS = 512
MOST_LETTERS = 1000
SHORTEST_BEGINNING = 2  # letters, before anything is completed
COMPLETED = ("creator", "subject")
_NARROWED = (8, 4, 2)  # letters more than were asked for, in which the values behind a place are looked for
_COMPARED = 12  # letters by which Tantivy finds where a page starts; further on, values are told apart here


class Lexicon:
    """Looks into the dictionaries of one searcher."""

    def __init__(self, searcher: tantivy.Searcher) -> None:
        self._searcher = searcher
        self._completions: Kept[tuple[str, int], list[Completion]] = Kept(KEPT_COMPLETIONS)
        self._initials: Kept[str, list[Counted]] = Kept(len(TALLIED))
        self._has_texts: bool | None = None

    def count(self, question: tantivy.Query) -> int:
        """How many documents a question finds."""
        # Nothing is scored only where Tantivy is told that nothing is better than anything else.
        counted = self._searcher.search(asking.unscored(question), 1, count=True)
        return int(counted.count)  # type: ignore[attr-defined]

    def has_texts(self) -> bool:
        """Whether there may be texts of files. Most libraries have none, and need not be asked for any."""
        if self._has_texts is None:
            self._has_texts = self.count(asking.having(fact_field(SIZE))) > 0  # every file has a size
        return self._has_texts

    def terms(self, field: str, start: str, limit: int) -> list[str]:
        """Terms of a field that begin so; of too many, the most used. Some may be of deleted documents."""
        if field in (*NUMBERS, *MEASURED):
            return [str(int(key)) for key, _ in self._tallied(field, {"size": limit})]
        return [term for term, _ in self._searcher.terms_with_prefix(field, start, limit=limit)]

    def values(self, field: str, *, prefix: str, after: str, limit: int) -> list[Counted]:
        """Values of a field in the order of their folded letters, with how many documents have each."""
        _check(field)
        if field in NUMBERS:
            return self._numbers(field, prefix=prefix, after=after, limit=limit)
        start, place = fold(prefix), fact_token(after) if after else ""
        wanted = max(1, min(limit, MOST_VALUES))
        near = self._near(field, start, place, wanted) if place.startswith(start) else []
        if near:
            return near
        size = wanted
        while True:
            found = self._from(field, start[:_COMPARED], place, size)
            page = [(key, count) for key, count in found if key > place and key.startswith(start)]
            if len(page) >= wanted or len(found) < size or size >= MOST_VALUES:
                return [Counted(fact_value(key), count) for key, count in page[:wanted]]
            size = min(size * 4, MOST_VALUES)  # many values begin alike

    def initials(self, field: str) -> list[Counted]:
        """First letters of a field's values, with how many documents have such a value."""
        _check(field)
        return list(self._initials.get(field, lambda: self._letters(field)))

    def complete(self, text: str, limit: int) -> list[Completion]:
        """Values that begin so, the most used first."""
        start = fold(" ".join(text.split()))
        if len(start) < SHORTEST_BEGINNING:
            return []
        return list(self._completions.get((start, limit), lambda: self._complete(start, limit)))

    def _letters(self, field: str) -> list[Counted]:
        if field in INITIALED:
            found = self._tallied(initial_field(field), {"size": MOST_LETTERS})
            letters = {chr(int(key)): count for key, count in found}
        else:
            letters = self._count_letters(field)
        ordered = sorted(letters.items(), key=lambda item: (item[0] == OTHER, item[0]))
        return [Counted(letter, count) for letter, count in ordered if count]

    def _complete(self, start: str, limit: int) -> list[Completion]:
        found = [
            Completion(fact_value(token), field, count)
            for field in COMPLETED
            for token, _ in self._searcher.terms_with_prefix(fact_field(field), start, limit=limit * 2)
            if (count := self.count(asking.term(fact_field(field), token)))
        ]
        found += self._titles(start, limit)
        return _spelled_once(sorted(found, key=lambda one: (-one.count, one.value, one.field)))[:limit]

    def _titles(self, start: str, limit: int) -> list[Completion]:
        """Titles that begin so, of a few records; the same one of several counts as often."""
        start = title_key(start)
        tokens = self._searcher.terms_with_prefix(TITLE_KEY, start, limit=limit * 4)
        counts: Counter[str] = Counter()
        for token, _ in sorted(tokens):
            number = int(token.rpartition(APART)[2])
            for _, address in self._searcher.search(asking.term(NUMBER, number), 1).hits:
                title = unpack(self._searcher.doc(address).get_first(CARD) or b"").title
                counts[title] += title_key(title).startswith(start)
        return [Completion(title, "title", count) for title, count in counts.items() if count]

    def _near(self, field: str, start: str, place: str, wanted: int) -> list[Counted]:
        """The values behind a place, if so many as are wanted begin as it does; else nothing.

        A hundredth of what it takes to go through the values of all documents.
        """
        for more in _NARROWED:
            beginning = place[: len(start) + more]
            found = self._searcher.terms_with_prefix(fact_field(field), beginning, asking.everything())
            page = sorted((term, count) for term, count in found if count and term > place)
            if len(page) >= wanted:
                return [Counted(fact_value(term), count) for term, count in page[:wanted]]
        return []

    def _from(self, field: str, prefix: str, place: str, size: int) -> list[tuple[str, int]]:
        """Values that begin so and do not come before this place, as far as its first letters tell."""
        if place > prefix and not place.startswith(prefix):
            return []  # all of them come before
        start = place[:_COMPARED] if place > prefix else prefix
        asked: dict[str, object] = {"size": size, "order": {"_key": "asc"}}
        if start:
            asked["include"] = "|".join(patterns.not_before(start, within=prefix))
        return self._tallied(fact_field(field), asked)

    def _numbers(self, field: str, *, prefix: str, after: str, limit: int) -> list[Counted]:
        found = sorted((str(int(key)), count) for key, count in self._tallied(field, {"size": MOST_VALUES}))
        page = [Counted(*each) for each in found if each[0].startswith(prefix) and each[0] > after]
        return page[:limit]

    def _count_letters(self, field: str) -> dict[str, int]:
        """The same for a field whose values are few."""
        firsts: dict[str, list[str]] = {}
        for term in self.terms(fact_field(field), "", MOST_VALUES):
            firsts.setdefault(initial_of(term), []).append(term)
        if field in NUMBERS:
            return {OTHER: self.count(asking.having(field))}
        return {
            letter: self.count(asking.terms(fact_field(field), terms)) for letter, terms in firsts.items()
        }

    def _tallied(self, field: str, asked: dict[str, object]) -> list[tuple[str, int]]:
        answer = self._searcher.aggregate(asking.everything(), {"all": {"terms": {"field": field, **asked}}})
        return [(bucket["key"], int(bucket["doc_count"])) for bucket in answer["all"]["buckets"]]


def _spelled_once(found: Iterable[Completion]) -> list[Completion]:
    """The first of those that differ in nothing but capitals; its count stays that of its own spelling."""
    kept: dict[tuple[str, str], Completion] = {}
    for one in found:
        kept.setdefault((one.field, one.value.casefold()), one)
    return list(kept.values())


def _check(field: str) -> None:
    if field not in TALLIED:
        raise UsageError(f"{field} cannot be counted; what can: {', '.join(TALLIED)}")
