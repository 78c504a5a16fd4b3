"""Whether a library, or a collection of it, has pictures: then its pages lead to the gallery."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from windrow.errors import WindrowError
from windrow.finding.pictures import PICTURES
from windrow.finding.question import Question
from windrow.index.protocol import Index
from windrow.model.query import all_of


class Pictured:
    """Says whether there are pictures: asked for every page, looked up once for a state of the index."""

    def __init__(self, index: Index, collections: Mapping[str, Sequence[str]]) -> None:
        """`collections` are all there are, with the names of their sources."""
        self._index = index
        self._collections = collections
        self._known: dict[str, tuple[str, bool]] = {}  # of each collection, and of the library as ""

    def __call__(self, collection: str = "") -> bool:
        """Whether there is anything to see under `/gallery`, or in a collection there."""
        # What is made on the event loop waits for no index: it says what was last known.
        if collection not in self._known or not _is_on_loop():
            self._known[collection] = self._look(collection)
        return self._known[collection][1]

    def _look(self, collection: str) -> tuple[str, bool]:
        known = self._known.get(collection)
        try:
            generation = self._index.generation
            if known is not None and generation == known[0]:
                return known
            inside = Question(collection=collection or None, collections=self._collections)
            return generation, self._index.count(all_of((inside.query, PICTURES))) > 0
        except WindrowError:  # whoever wants the page itself is told
            return "", False


def _is_on_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
