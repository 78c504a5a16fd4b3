"""Which leaves of a text have what was looked for: the way from one hit to the next. Bounded."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

from windrow.faces.documents.leaves import Leaf, tidied
from windrow.model.folding import pieces_of, words_of
from windrow.model.highlighting import conditions_on, highlights, words_marked
from windrow.model.query import Query, Word

FIELD = "text"
MOST_LETTERS = 400_000  # that are looked through in their order for one answer: some half a second
MOST_KEPT = 200


class Hits(NamedTuple):
    """Places in the list of leaves, ascending."""

    places: tuple[int, ...]
    is_all: bool  # whether the whole text was looked through

    def before(self, place: int) -> int | None:
        """The nearest leaf before this one."""
        return next((each for each in reversed(self.places) if each < place), None)

    def behind(self, place: int) -> int | None:
        """The nearest leaf behind this one."""
        return next((each for each in self.places if each > place), None)


def find_hits(
    leaves: Sequence[Leaf], query: Query, language: str | None, *, most: int = MOST_LETTERS
) -> Hits:
    """Give the leaves in which something is that the query asks for; `most` letters are read for phrases."""
    likely = _likely(leaves, query, language)
    if all(isinstance(each, Word) and len(pieces_of(each.text)) == 1 for each in conditions_on(query, FIELD)):
        return Hits(tuple(likely), is_all=True)
    found: list[int] = []
    left = most
    for place in likely:
        text = leaves[place].text
        left -= len(text)
        if left < 0:
            return Hits(tuple(found), is_all=False)
        if highlights(tidied(text), query, field=FIELD, language=language):
            found.append(place)
    return Hits(tuple(found), is_all=True)


def _likely(leaves: Sequence[Leaf], query: Query, language: str | None) -> list[int]:
    """Leaves with one of the words at least, wherever it stands: all others need no second look."""
    bags = [frozenset(words_of(leaf.text)) for leaf in leaves]
    wanted = words_marked(frozenset().union(*bags), query, field=FIELD, language=language)
    words = frozenset().union(*wanted)
    return [place for place, bag in enumerate(bags) if not bag.isdisjoint(words)]


class KeptHits:
    """Remembers what was found: whoever leafs through a text asks the same on every page. Thread-safe."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[int, int, str], Hits] = OrderedDict()
        self._turn = threading.Lock()

    def get(self, key: tuple[int, int, str]) -> Hits | None:
        """What was found for a record in this state and these words."""
        with self._turn:
            return self._kept.get(key)

    def put(self, key: tuple[int, int, str], hits: Hits) -> None:
        """Keep it; what came first is let go."""
        with self._turn:
            self._kept[key] = hits
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
