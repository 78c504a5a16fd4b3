"""Where one thread answers: its reader, and what it knows of each repository as long as that holds."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from windrow.faces.oai.derived import Deriver
from windrow.faces.oai.formats import FormatBook
from windrow.faces.oai.sets import SetBook
from windrow.faces.oai.views import View
from windrow.store import catalogue
from windrow.store.offering import Offering
from windrow.store.selection import Selection
from windrow.store.store import Store
from windrow.wire.oai.answering.soundness import is_clean

BOOK_SECONDS = 5  # how long the names of sets and the list of formats may be out of date
KEPT_COUNTS = 1000


@dataclass(frozen=True, slots=True)
class Books:
    """What was looked up of a repository, and when."""

    sources: Mapping[int, str]
    origins: Mapping[int, str | None]  # where each was harvested; None: it is our own
    sets: SetBook
    formats: FormatBook
    mark: tuple[object, ...]
    made_at: float


class Desk:
    """Reads for one thread. Everything it keeps can be read again."""

    def __init__(
        self, store: Store, derivers: Mapping[str, Deriver], schemas: Mapping[str, str] | None = None
    ) -> None:
        self.offering = Offering(store, is_suspect=lambda block: not is_clean(block), later=_later)
        self._derivers = derivers
        self._schemas = schemas or {}
        self.standing: dict[str, Books] = {}  # what was looked up since the library last changed
        self._books: dict[str, Books] = {}
        self._counts: dict[Selection, int] = {}
        self._mark: tuple[object, ...] = ()
        self._news_at = 0.0

    def refresh(self, *, is_news: bool) -> None:
        """Forget what may have changed, once a state of the library is held."""
        now = time.monotonic()
        if is_news:
            self._counts.clear()
            self.standing.clear()
            self._mark, self._news_at = catalogue.mark(self.offering), now
        for name, books in list(self._books.items()):
            is_old = books.made_at < self._news_at and now - books.made_at > BOOK_SECONDS
            if is_old or books.mark != self._mark:
                del self._books[name]

    def books(self, view: View) -> Books:
        """Give what there is to know about a repository."""
        found = self._books.get(view.name)
        if found is None:
            known = catalogue.source_ids(self.offering)
            sources = {known[name]: name for name in view.sources if name in known}
            found = self._books[view.name] = self.standing[view.name] = Books(
                sources,
                {number: view.origins.get(name) for number, name in sources.items()},
                SetBook(self.offering, sources, is_one=view.is_one),
                FormatBook(self.offering, sources, self._derivers, self._schemas),
                self._mark,
                time.monotonic(),
            )
        return found

    def count(self, selection: Selection) -> int:
        """Give how many records are selected; counted once as long as nothing changes."""
        found = self._counts.get(selection)
        if found is None:
            if len(self._counts) >= KEPT_COUNTS:
                self._counts.clear()
            found = self._counts[selection] = self.offering.count(selection)
        return found


def _later(seconds: float, call: Callable[[], None]) -> bool:
    """Have something done by the loop that runs in this thread; False where none does."""
    try:
        asyncio.get_running_loop().call_later(seconds, call)
    except RuntimeError:
        return False
    return True
