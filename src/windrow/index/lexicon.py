"""The dictionaries of one state of an index: its terms, its values from A to Z, how a beginning goes on."""

from __future__ import annotations

from collections import Counter

import tantivy

from windrow.errors import UsageError
from windrow.index import asking
from windrow.index.kept import Kept
from windrow.index.layout import NUMBER, NUMBERS, TITLE_KEY, fact_field
from windrow.index.packing import unpack
from windrow.index.protocol import TALLIED, Completion, Counted
from windrow.index.tokens import APART, fact_value
from windrow.model.folding import fold

MOST_KEPT = 50_000  # terms of a field that are kept in their order; of more, one letter's at a time
MOST_COUNTED = 5_000  # terms of which each is looked at whether any document still has it
KEPT_LISTS = 12
SHORTEST_BEGINNING = 2  # letters, before anything is completed
COMPLETED = ("creator", "subject")
_LATIN = "abcdefghijklmnopqrstuvwxyz"
_OTHER = "#"  # stands for all that is no letter


class Lexicon:
    """Looks into the dictionaries of one searcher. What takes long is kept, as long as it is there."""

    def __init__(self, searcher: tantivy.Searcher) -> None:
        self._searcher = searcher
        self._lists: Kept[tuple[str, str], tuple[str, ...]] = Kept(KEPT_LISTS)

    def terms(self, field: str, start: str, limit: int) -> list[str]:
        """Terms of a field that begin so; of too many, the most used. Some may be of deleted documents."""
        if field in NUMBERS:
            answer = self._searcher.aggregate(
                asking.everything(), {"all": {"terms": {"field": field, "size": limit}}}
            )
            return [str(int(bucket["key"])) for bucket in answer["all"]["buckets"]]
        return [term for term, _ in self._searcher.terms_with_prefix(field, start, limit=limit)]

    def values(self, field: str, *, prefix: str, after: str, limit: int) -> list[Counted]:
        """Values of a field in the order of their folded letters, with live counts."""
        _check(field)
        start, place = fold(prefix), _key(after) if after else None
        found: list[Counted] = []
        for letter in self._letters(field, start):
            for token in self._sorted(field, letter):
                if not token.startswith(start) or (place is not None and _key_of(token) <= place):
                    continue
                if len(found) == limit:
                    return found
                count = self.count(asking.term(fact_field(field), _termed(field, token)))
                if count:
                    found.append(Counted(fact_value(token), count))
        return found

    def initials(self, field: str) -> list[Counted]:
        """First letters of a field's values, with how many values begin so."""
        _check(field)
        letters: Counter[str] = Counter()
        for letter in self._letters(field, ""):
            letters.update(_initial(token) for token in self._sorted(field, letter))
        return [
            Counted(*item) for item in sorted(letters.items(), key=lambda item: (item[0] == _OTHER, item[0]))
        ]

    def complete(self, text: str, limit: int) -> list[Completion]:
        """Values that begin so, the most used first."""
        start = fold(" ".join(text.split()))
        if len(start) < SHORTEST_BEGINNING:
            return []
        found = [
            Completion(fact_value(token), field, count)
            for field in COMPLETED
            for token, _ in self._searcher.terms_with_prefix(fact_field(field), start, limit=limit * 2)
            if (count := self.count(asking.term(fact_field(field), token)))
        ]
        found += self._titles(start, limit)
        return sorted(found, key=lambda one: (-one.count, one.value, one.field))[:limit]

    def count(self, question: tantivy.Query) -> int:
        """How many documents a question finds."""
        return int(self._searcher.search(question, 1, count=True).count)  # type: ignore[attr-defined]

    def _titles(self, start: str, limit: int) -> list[Completion]:
        tokens = self._searcher.terms_with_prefix(TITLE_KEY, start, limit=limit * 4)
        counts: Counter[str] = Counter()
        for token, _ in sorted(tokens)[: limit * 2]:
            number = int(token.rpartition(APART)[2])
            for _, address in self._searcher.search(asking.term(NUMBER, number), 1).hits:
                title = unpack(self._searcher.doc(address)["card"][0]).title
                counts[title] += fold(title).startswith(start)
        return [Completion(title, "title", count) for title, count in counts.items() if count]

    def _letters(self, field: str, start: str) -> list[str]:
        """Beginnings that together are all there is, in their order, each with not too many terms."""
        if start or len(self._sorted(field, "")) < MOST_KEPT:
            return [start[:1] if len(self._sorted(field, "")) >= MOST_KEPT else ""]
        others = {token[:1] for token in self._others(field)} - set(_LATIN)
        return sorted({*_LATIN, *others})

    def _others(self, field: str) -> list[str]:
        """Terms that begin with none of the letters from a to z."""
        terms = {"field": fact_field(field), "size": MOST_KEPT, "include": "[^a-z](?s:.)*"}
        answer = self._searcher.aggregate(asking.everything(), {"all": {"terms": terms}})
        return [bucket["key"] for bucket in answer["all"]["buckets"]]

    def _sorted(self, field: str, start: str) -> tuple[str, ...]:
        return self._lists.get((field, start), lambda: self._sort(field, start))

    def _sort(self, field: str, start: str) -> tuple[str, ...]:
        place = fact_field(field)
        found = self.terms(place, start, MOST_KEPT)
        if len(found) <= MOST_COUNTED and field not in NUMBERS:  # without those of deleted documents
            live = self._searcher.terms_with_prefix(place, start, asking.everything())
            found = [term for term, count in live if count]
        return tuple(sorted(found, key=_key_of))


def _check(field: str) -> None:
    if field not in TALLIED:
        raise UsageError(f"{field} cannot be counted; what can: {', '.join(TALLIED)}")


def _termed(field: str, token: str) -> str | int:
    return int(token) if field in NUMBERS else token


def _key(value: str) -> tuple[str, str]:
    return fold(value), value


def _key_of(token: str) -> tuple[str, str]:
    return token.partition(APART)[0], fact_value(token)


def _initial(token: str) -> str:
    letter = token[:1].upper()[:1]
    return letter if letter.isalpha() else _OTHER
