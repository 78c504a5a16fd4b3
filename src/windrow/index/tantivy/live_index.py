"""The index as a server sees it: always the newest state, whichever process writes it."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import tantivy

from windrow.config.type_tables import TypeTables
from windrow.errors import StoreError
from windrow.index.generations import Generations, GenerationState, PinnedGeneration
from windrow.index.protocol import (
    EVERYTHING,
    Completion,
    FacetCounts,
    FacetRequest,
    FoundDocuments,
    Hit,
    HitSummary,
    Order,
    ScanTerm,
    SortKey,
    ValueCount,
)
from windrow.index.tantivy.damage import REBUILD, catching_panics, find_damage
from windrow.index.tantivy.facet_counting import Summary
from windrow.index.tantivy.layout import register, schema, shape
from windrow.index.tantivy.lexicon import Dictionaries
from windrow.index.tantivy.query_costs import OWN, CostBudget, TermStatisticsCache
from windrow.index.tantivy.searching import TantivyIndex
from windrow.model.query import Query

# The memory mapped from index files: the index is reopened when it has grown large. Tantivy maps its files
# into memory, and the kernel maps a dozen neighbouring pages with each page that is read. This is only the
# system's cache, but a server that has answered enough queries appears as large as its index.

MAX_MAPPED_BYTES = 160_000_000  # since the files were opened
_STATM = Path("/proc/self/statm")
_SHARED = 2  # position of the resident file-backed pages in it


class MappedMemory:
    """Reports when so much is mapped that reopening is worthwhile; never on systems without /proc."""

    def __init__(self, most_bytes: int = MAX_MAPPED_BYTES) -> None:
        self._most = most_bytes
        self._start = 0

    def begin(self) -> None:
        """Store the current size: libraries, other files, and the index that was just opened."""
        self._start = _resident_bytes()

    def is_much(self) -> bool:
        """Return whether a lot was mapped since then.

        Files opened before are released shortly after `begin`, so the smallest value seen is the baseline.
        """
        now = _resident_bytes()
        self._start = min(self._start, now)
        return now - self._start > self._most


def _resident_bytes() -> int:
    try:
        pages = _STATM.read_text().split()[_SHARED]
    except OSError:  # not Linux
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


LOOK_SECONDS = 0.5  # between checks for a new state
NONE = "none"  # the generation of a missing index
_LOG = logging.getLogger("windrow.index")


class LiveIndex:
    """An index that follows its folder; empty while there is none.

    Thread-safe. While one thread loads a new state, the others continue with the previous one. A complete
    state is used until there is another complete one, even if its folder is deleted. A state whose files turn
    out to be damaged is dropped, and the damage is recorded for the writer.
    """

    def __init__(
        self,
        folder: Path,
        *,
        clock: Callable[[], float] = time.monotonic,
        mapped: MappedMemory | None = None,
        year_starts: int = 0,
        types: TypeTables | None = None,
    ) -> None:
        self._generations = Generations(folder, types)
        self._clock = clock
        self._year_starts = year_starts
        self._mapped = mapped or MappedMemory()
        self._lock = threading.Lock()
        self._still = threading.local()  # the state that a thread is pinned to
        self._looked_at = float("-inf")
        self._signature: tuple[object, ...] = ()
        self._told = ""
        self._was_ours = False
        self._examined = ""  # the generation that was verified after a failure
        self._opened: tuple[str, tantivy.Index] | None = None
        self._state: GenerationState | None = None
        self._index: TantivyIndex | None = None
        self._vocabularies = TermStatisticsCache()
        self._dictionaries = Dictionaries(clock)
        self._budget = OWN

    def limit_costs(self, budget: CostBudget) -> None:
        """Refuse queries that cost more than this from now on, with QueryTooCostly."""
        self._budget = budget
        if self._index is not None:
            self._index.budget = budget

    @property
    def generation(self) -> str:
        """An identifier that changes whenever results may have changed."""
        return self.newest().generation

    @property
    def year_starts(self) -> int:
        """The day on which counted years begin; 0 for calendar years."""
        return self._year_starts

    @property
    def is_ready(self) -> bool:
        """Return whether it was up to date at least once; before that, results are incomplete."""
        self.newest()
        return self._state is not None and self._state.is_whole

    @property
    def trouble(self) -> str:
        """Why the index cannot be read, in words; "" if it can, or there is none."""
        self.newest()
        return self._told

    @property
    def hold(self) -> PinnedGeneration | None:
        """The pin of the current generation after a rollback; None without one."""
        return self._generations.hold()

    @property
    def was_ours(self) -> bool:
        """Return whether it was seen at least once with the mark of this version."""
        self.newest()
        return self._was_ours

    @property
    def is_overtaken(self) -> bool:
        """Return whether another version has rebuilt it since, so that this process is outdated."""
        found = self._generations.current_state() if self.was_ours else None
        return found is not None and found[1].mark != self._generations.mark

    @property
    def has_other_settings(self) -> bool:
        """Return whether it was rebuilt with other settings than this process has read."""
        found = self._generations.current_state() if self.was_ours else None
        return found is not None and self._generations.has_other_settings(found[1])

    @contextmanager
    def keeping_still(self) -> Iterator[None]:
        """Pin this thread to one state within the block, so that its queries are consistent."""
        if getattr(self._still, "index", None) is not None:
            yield
            return
        self._still.index = self.newest()
        try:
            yield
        finally:
            self._still.index = None

    def check(self) -> None:
        """Raise StoreError if the index cannot be read."""
        if self.trouble:
            raise StoreError(f"the index cannot be read: {self.trouble}", hint=REBUILD)

    def examine(self) -> None:
        """Verify all files of the index, which reads them completely."""
        self.newest()
        name = self._generations.current()
        damage = find_damage(self._generations.path(name)) if name and not self._told else ""
        if name and damage:
            self._note(name, damage)
        self.check()

    def look(self) -> None:
        """Load the newest state now, without waiting for the next check."""
        with self._lock:
            self._look()

    def newest(self) -> TantivyIndex:
        """Return the newest state, for several queries on one state."""
        still: TantivyIndex | None = getattr(self._still, "index", None)
        if still is not None:
            return still
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
        return self.newest().count(query)

    def numbers(
        self, query: Query, *, sort: Sequence[SortKey] = (), offset: int = 0, limit: int = 100
    ) -> list[int]:
        return self.newest().numbers(query, sort=sort, offset=offset, limit=limit)

    def first_numbers(self, query: Query, limit: int) -> tuple[int, list[int]]:
        return self.newest().first_numbers(query, limit)

    def scan(
        self,
        field: str | None,
        start: str,
        *,
        before: int = 0,
        limit: int = 20,
        is_whole: bool = False,
        query: Query = EVERYTHING,
    ) -> list[ScanTerm]:
        newest = self.newest()
        return newest.scan(field, start, before=before, limit=limit, is_whole=is_whole, query=query)

    def search(
        self,
        query: Query,
        *,
        limit: int = 10,
        offset: int = 0,
        order: Order = Order.RELEVANCE,
        after: str | None = None,
        language: str = "",
    ) -> FoundDocuments:
        newest = self.newest()
        return newest.search(query, limit=limit, offset=offset, order=order, after=after, language=language)

    def tally(self, query: Query, tallies: Sequence[FacetRequest]) -> tuple[FacetCounts, ...]:
        return self.newest().tally(query, tallies)

    def values(
        self,
        field: str,
        *,
        prefix: str = "",
        after: str = "",
        limit: int = 100,
        query: Query = EVERYTHING,
    ) -> list[ValueCount]:
        return self.newest().values(field, prefix=prefix, after=after, limit=limit, query=query)

    def initials(self, field: str, *, query: Query = EVERYTHING, language: str = "") -> list[ValueCount]:
        return self.newest().initials(field, query=query, language=language)

    def complete(self, text: str, *, limit: int = 8, query: Query = EVERYTHING) -> list[Completion]:
        return self.newest().complete(text, limit=limit, query=query)

    def correct(self, word: str, *, least: int = 1) -> str | None:
        return self.newest().correct(word, least=least)

    def corrections(self, word: str, *, least: int = 1, limit: int = 5) -> list[str]:
        return self.newest().corrections(word, least=least, limit=limit)

    def which(self, queries: Sequence[Query], numbers: Sequence[int]) -> list[frozenset[int]]:
        return self.newest().which(queries, numbers)

    def similar(self, number: int, *, limit: int = 5) -> tuple[Hit, ...]:
        return self.newest().similar(number, limit=limit)

    def card(self, number: int) -> HitSummary | None:
        """Return the stored summary of one record; None if it is not indexed."""
        return self.newest().card(number)

    def _look(self) -> None:
        """Load what is new; if it cannot be read, report that and keep the previous state."""
        try:
            signature = self._generations.signature()
            if self._index is None or signature != self._signature:
                self._load()
                self._signature = signature
            elif self._mapped.is_much():
                self._open_anew()
        except (ValueError, OSError, StoreError) as exc:
            self._tell(str(exc))  # it may be about to be deleted: the next check tries again
        if self._index is None:
            self._index = _nothing()
        self._looked_at = self._clock()

    def _load(self) -> None:
        name = self._generations.current()
        damage = self._generations.damage(name) if name else ""
        if name is None or damage:
            self._tell(damage)
            return
        state = self._generations.state(name)
        self._was_ours = self._was_ours or (state is not None and state.mark == self._generations.mark)
        if state is not None and state.shape == shape() and not self._is_better_than(state):
            try:
                self._open(name, state)
            except (StoreError, ValueError) as exc:
                self._opened = None
                damage = find_damage(self._generations.path(name))
                if isinstance(exc, ValueError) and not damage:
                    raise
                self._note(name, damage or str(exc))
                return
        self._tell("")

    def _is_better_than(self, new: GenerationState) -> bool:
        """Return whether the current state is complete and the new one is not."""
        return self._state is not None and self._state.is_whole and not new.is_whole

    def _open(self, name: str, state: GenerationState) -> None:
        place, generation = f"{name}-{state.birth}", f"{name}-{state.birth[:8]}-{state.commits}"
        before = self._index if self._index is not None and self._index.generation == generation else None
        is_open = self._opened is not None and self._opened[0] == place
        with catching_panics(), ExitStack() as stack:
            if not is_open:
                path = stack.enter_context(self._generations.opening(name))
                index = register(tantivy.Index.open(str(path)))
                index.config_reader("manual")
                self._opened = (place, index)
            if self._opened is not None and not (is_open and before):
                index = self._opened[1]
                index.reload()
                searcher = index.searcher()
                self._index = TantivyIndex(
                    searcher,
                    generation=generation,
                    on_failure=lambda: self._suspect(name, generation),
                    before=before,
                    summary=Summary(
                        lambda: self._generations.summary(name),
                        commits=state.commits,
                        records=searcher.num_docs,
                    ),
                    vocabularies=self._vocabularies,
                    dictionaries=self._dictionaries,
                    budget=self._budget,
                    year_starts=self._year_starts,
                )
                self._mapped.begin()
            if not self._generations.is_writable(name):
                self._opened = None  # the open files stay usable; the next state has other files to open
        self._state = state

    def _open_anew(self) -> None:
        """Reopen the same state, so that none of its files is mapped any more."""
        opened, self._opened = self._opened, None
        with suppress(ValueError, OSError, StoreError):
            self._load()
        if self._opened is None:  # its folder is gone: the open files still answer
            self._opened = opened
            self._mapped.begin()

    def _suspect(self, name: str, generation: str) -> None:
        """Check whether damaged files made a query fail; a query too complex for Tantivy can fail too."""
        with self._lock:
            if self._index is None or generation in (self._examined, NONE):
                return
            if self._index.generation != generation:
                return
            self._examined = generation
            damage = find_damage(self._generations.path(name))
            if damage:
                self._opened, self._state, self._index = None, None, _nothing()
                self._note(name, damage)

    def _note(self, name: str, damage: str) -> None:
        self._tell(damage)
        with suppress(StoreError):  # a read-only process has at least logged it
            self._generations.note_damage(name, damage)

    def _tell(self, words: str) -> None:
        if words and words != self._told:
            _LOG.warning("the index cannot be read: %s", words)
        self._told = words


def _nothing() -> TantivyIndex:
    return TantivyIndex(register(tantivy.Index(schema())).searcher(), generation=NONE)
