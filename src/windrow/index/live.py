"""The index as whoever serves it sees it: always the newest state that is there, whoever writes it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import tantivy

from windrow.index.card import Card
from windrow.index.generations import Generations, State
from windrow.index.layout import register, schema, shape
from windrow.index.protocol import Completion, Counted, Counts, Found, Hit, Order, Tally
from windrow.index.searching import TantivyIndex
from windrow.model.query import Query

LOOK_SECONDS = 0.5  # between two looks whether there is something new
NONE = "none"  # the generation of an index that is not there
_LOG = logging.getLogger("windrow.index")


class LiveIndex:
    """An index that follows its folder; empty as long as there is nothing in it.

    Thread-safe. While one thread loads a new state, the others go on with the one before.
    """

    def __init__(self, folder: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._generations = Generations(folder)
        self._clock = clock
        self._lock = threading.Lock()
        self._looked_at = float("-inf")
        self._signature: tuple[object, ...] = ()
        self._told = ""
        self._opened: tuple[str, tantivy.Index] | None = None
        self._state: State | None = None
        self._index: TantivyIndex | None = None

    @property
    def generation(self) -> str:
        """Another one whenever an answer may have changed."""
        return self.newest().generation

    @property
    def is_ready(self) -> bool:
        """Whether it has been up to date once; before that, what it finds is not all."""
        self.newest()
        return self._state is not None and self._state.is_whole

    def newest(self) -> TantivyIndex:
        """The newest state, for whoever has several questions about one."""
        if self._index is None or self._clock() - self._looked_at >= LOOK_SECONDS:
            is_first = self._index is None
            if self._lock.acquire(blocking=is_first):
                try:
                    self._look()
                finally:
                    self._lock.release()
        assert self._index is not None
        return self._index

    def count(self, query: Query) -> int:
        """How many documents the query finds."""
        return self.newest().count(query)

    def search(
        self,
        query: Query,
        *,
        limit: int = 10,
        offset: int = 0,
        order: Order = Order.RELEVANCE,
        after: str | None = None,
    ) -> Found:
        """Documents that the query finds, a page of them."""
        return self.newest().search(query, limit=limit, offset=offset, order=order, after=after)

    def tally(self, query: Query, tallies: Sequence[Tally]) -> tuple[Counts, ...]:
        """Count the documents that the query finds, once for each tally."""
        return self.newest().tally(query, tallies)

    def values(self, field: str, *, prefix: str = "", after: str = "", limit: int = 100) -> list[Counted]:
        """Values of a field in the order of their folded letters."""
        return self.newest().values(field, prefix=prefix, after=after, limit=limit)

    def initials(self, field: str) -> list[Counted]:
        """First letters of a field's values."""
        return self.newest().initials(field)

    def complete(self, text: str, *, limit: int = 8) -> list[Completion]:
        """Values that begin as the text does."""
        return self.newest().complete(text, limit=limit)

    def correct(self, word: str) -> str | None:
        """What a word may be misspelt from."""
        return self.newest().correct(word)

    def similar(self, number: int, *, limit: int = 5) -> tuple[Hit, ...]:
        """Documents with the same rare words."""
        return self.newest().similar(number, limit=limit)

    def card(self, number: int) -> Card | None:
        """What is kept of one record; None if it is not here."""
        return self.newest().card(number)

    def _look(self) -> None:
        """Take over what is new; what cannot be read is told, and the state before it goes on."""
        signature = self._generations.signature()
        if self._index is None or signature != self._signature:
            try:
                self._load()
                self._signature, self._told = signature, ""
            except (ValueError, OSError) as exc:  # it may be on its way out: the next look tries again
                if str(exc) != self._told:
                    self._told = str(exc)
                    _LOG.warning("the index cannot be read: %s", exc)
        if self._index is None:
            self._index = TantivyIndex(register(tantivy.Index(schema())).searcher(), generation=NONE)
        self._looked_at = self._clock()

    def _load(self) -> None:
        name = self._generations.current()
        state = self._generations.state(name) if name else None
        if name is None or state is None or state.shape != shape():
            return
        if self._opened is None or self._opened[0] != name:
            index = register(tantivy.Index.open(str(self._generations.path(name))))
            index.config_reader("manual")
            self._opened = (name, index)
        generation = f"{name}-{state.commits}"
        if self._index is None or self._index.generation != generation:
            index = self._opened[1]
            index.reload()
            self._index = TantivyIndex(index.searcher(), generation=generation)
        self._state = state
