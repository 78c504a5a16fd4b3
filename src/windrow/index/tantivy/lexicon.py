"""The dictionaries of one state of an index: its terms, and its values from A to Z."""

from __future__ import annotations

from collections.abc import Collection

import tantivy

from windrow.errors import UsageError
from windrow.index import asking, patterns
from windrow.index.kept import Kept
from windrow.index.layout import INITIALED, MEASURED, NUMBERS, SIZE, fact_field, initial_field
from windrow.index.part import WHOLE, Part
from windrow.index.protocol import MOST_VALUES, TALLIED, Counted
from windrow.index.tokens import APART, fact_token, fact_value
from windrow.model.collation import Collation
from windrow.model.folding import fold
from windrow.model.initials import OTHER, initial_of
from windrow.model.query import Query

KEPT_LETTERS = 256
MOST_LETTERS = 1000
_NARROWED = (8, 4, 2)  # letters more than were asked for, in which the values behind a place are looked for
_COMPARED = 12  # letters by which Tantivy finds where a page starts; further on, values are told apart here


class Lexicon:
    """Looks into the dictionaries of one searcher."""

    def __init__(self, searcher: tantivy.Searcher) -> None:
        self._searcher = searcher
        self._initials: Kept[tuple[Query, str, str], list[Counted]] = Kept(KEPT_LETTERS)
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
            return [str(int(key)) for key, _ in self._tallied(WHOLE, field, {"size": limit})]
        return [term for term, _ in self._searcher.terms_with_prefix(field, start, limit=limit)]

    def values(self, part: Part, field: str, *, prefix: str, after: str, limit: int) -> list[Counted]:
        """Values of a field in the order of their folded letters, with how many documents have each."""
        _check(field)
        if field in NUMBERS:
            return self._numbers(part, field, prefix=prefix, after=after, limit=limit)
        start, place = fold(prefix), fact_token(after) if after else ""
        wanted = max(1, min(limit, MOST_VALUES))
        near = self._near(part, field, start, place, wanted) if place and place.startswith(start) else []
        if near:
            return near
        size = wanted
        while True:
            found = self._from(part, field, start[:_COMPARED], place, size)
            page = [(key, count) for key, count in found if key > place and key.startswith(start)]
            if len(page) >= wanted or len(found) < size or size >= MOST_VALUES:
                return [Counted(fact_value(key), count) for key, count in page[:wanted]]
            size = min(size * 4, MOST_VALUES)  # many values begin alike

    def initials(self, part: Part, field: str, order: Collation) -> list[Counted]:
        """First letters of a field's values, with how many documents have such a value."""
        _check(field)
        key = (part.query, field, "".join(order.signs.values()))
        return list(self._initials.get(key, lambda: self._letters(part, field, order)))

    def _letters(self, part: Part, field: str, order: Collation) -> list[Counted]:
        if field in INITIALED:
            found = self._tallied(part, initial_field(field), {"size": MOST_LETTERS})
            letters = {chr(int(key)): count for key, count in found}
        else:
            letters = self._count_letters(part, field)
        if field not in NUMBERS:
            letters |= self._apart(part, field, letters, order)
        ordered = sorted(letters.items(), key=lambda item: order.place(item[0]))
        return [Counted(letter, count) for letter, count in ordered if count]

    def _apart(self, part: Part, field: str, letters: Collection[str], order: Collation) -> dict[str, int]:
        """The letters that are listed after z, and those that they are folded to, counted each by itself."""
        own = [letter.upper() for letter in order.signs.values()]
        bases = dict.fromkeys(fold(letter).upper() for letter in own)
        wanted = [letter for letter in (*own, *bases) if fold(letter).upper() in letters]
        return {letter: self._count_written(part, field, letter, order) for letter in wanted}

    def _count_written(self, part: Part, field: str, letter: str, order: Collation) -> int:
        """How many documents have a value that is written with such a letter first."""
        here, elsewhere = order.spellings(letter)
        start = f"{fold(letter)}[^{APART}]*"
        if here:
            expressions = [f"{start}{APART}[{here}]{patterns.ANY}*"]
        else:
            expressions = [start, f"{start}{APART}[^{elsewhere}]{patterns.ANY}*"]
        return self.count(part.narrowed(asking.regexes(fact_field(field), expressions)))

    def _near(self, part: Part, field: str, start: str, place: str, wanted: int) -> list[Counted]:
        """The values behind a place, if so many as are wanted begin as it does; else nothing.

        A hundredth of what it takes to go through the values of all documents.
        """
        for more in _NARROWED:
            beginning = place[: len(start) + more]
            found = self._searcher.terms_with_prefix(fact_field(field), beginning, part.found)
            page = sorted((term, count) for term, count in found if count and term > place)
            if len(page) >= wanted:
                return [Counted(fact_value(term), count) for term, count in page[:wanted]]
        return []

    def _from(self, part: Part, field: str, prefix: str, place: str, size: int) -> list[tuple[str, int]]:
        """Values that begin so and do not come before this place, as far as its first letters tell."""
        if place > prefix and not place.startswith(prefix):
            return []  # all of them come before
        start = place[:_COMPARED] if place > prefix else prefix
        asked: dict[str, object] = {"size": size, "order": {"_key": "asc"}}
        if start:
            asked["include"] = "|".join(patterns.not_before(start, within=prefix))
        return self._tallied(part, fact_field(field), asked)

    def _numbers(self, part: Part, field: str, *, prefix: str, after: str, limit: int) -> list[Counted]:
        tallied = self._tallied(part, field, {"size": MOST_VALUES})
        found = sorted((str(int(key)), count) for key, count in tallied)
        page = [Counted(*each) for each in found if each[0].startswith(prefix) and each[0] > after]
        return page[:limit]

    def _count_letters(self, part: Part, field: str) -> dict[str, int]:
        """The same for a field whose values are few."""
        firsts: dict[str, list[str]] = {}
        for term in self.terms(fact_field(field), "", MOST_VALUES):
            firsts.setdefault(initial_of(term), []).append(term)
        if field in NUMBERS:
            return {OTHER: self.count(part.narrowed(asking.having(field)))}
        return {
            letter: self.count(part.narrowed(asking.terms(fact_field(field), terms)))
            for letter, terms in firsts.items()
        }

    def _tallied(self, part: Part, field: str, asked: dict[str, object]) -> list[tuple[str, int]]:
        answer = self._searcher.aggregate(part.found, {"all": {"terms": {"field": field, **asked}}})
        return [(bucket["key"], int(bucket["doc_count"])) for bucket in answer["all"]["buckets"]]


def _check(field: str) -> None:
    if field not in TALLIED:
        raise UsageError(f"{field} cannot be counted; what can: {', '.join(TALLIED)}")
