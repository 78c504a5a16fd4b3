"""The index as whoever serves it sees it: always the newest state that is there, whoever writes it."""

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

# How much of its files a process has mapped: `live` opens an index anew when it has become much.
# Tantivy maps its files into memory, and whenever one page of them is read the kernel maps a dozen others
# around it. That is the system's cache and nobody's loss; but a server that was asked enough is as large
# as its index.

MAX_MAPPED_BYTES = 160_000_000  # since the files were opened
_STATM = Path("/proc/self/statm")
_SHARED = 2  # which of its numbers is that of resident pages that lie in files


class MappedMemory:
    """Says when so much was mapped that it is worth being let go of. Never, where nobody can tell."""

    def __init__(self, most_bytes: int = MAX_MAPPED_BYTES) -> None:
        self._most = most_bytes
        self._start = 0

    def begin(self) -> None:
        """Note how much there is now: of libraries, of other files, of an index that was just opened."""
        self._start = _resident_bytes()

    def is_much(self) -> bool:
        """Return whether a lot has come since then.

        What was opened before is let go of a little after `begin`: the least that is seen is where to start.
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


LOOK_SECONDS = 0.5  # between two looks whether there is something new
NONE = "none"  # the generation of an index that is not there
_LOG = logging.getLogger("windrow.index")


class LiveIndex:
    """An index that follows its folder; empty as long as there is nothing in it.

    Thread-safe. While one thread loads a new state, the others go on with the one before. A state that was
    whole goes on answering until there is another whole one, even if its folder is gone. One whose files turn
    out to be damaged is let go of, and whoever keeps the index is told so by a note.
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
        self._still = threading.local()  # the state that a thread keeps to for a while
        self._looked_at = float("-inf")
        self._signature: tuple[object, ...] = ()
        self._told = ""
        self._was_ours = False
        self._examined = ""  # the generation whose files were looked at because an answer failed
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
        """Another one whenever an answer may have changed."""
        return self.newest().generation

    @property
    def year_starts(self) -> int:
        """The day on which the years begin that are counted; 0 for calendar years."""
        return self._year_starts

    @property
    def is_ready(self) -> bool:
        """Return whether it has been up to date once; before that, what it finds is not all."""
        self.newest()
        return self._state is not None and self._state.is_whole

    @property
    def trouble(self) -> str:
        """Why what is in the folder cannot be read, in words; nothing if it can, or nothing is there."""
        self.newest()
        return self._told

    @property
    def hold(self) -> PinnedGeneration | None:
        """Since when an older generation is searched that somebody went back to; None where none is."""
        return self._generations.hold()

    @property
    def was_ours(self) -> bool:
        """Return whether it was seen, at least once, as this version of Windrow makes it."""
        self.newest()
        return self._was_ours

    @property
    def is_overtaken(self) -> bool:
        """Return whether another version of Windrow has made it anew since then: who still runs this one is late."""
        found = self._generations.current_state() if self.was_ours else None
        return found is not None and found[1].mark != self._generations.mark

    @property
    def has_other_settings(self) -> bool:
        """Return whether it was rebuilt with other settings than this process has read."""
        found = self._generations.current_state() if self.was_ours else None
        return found is not None and self._generations.has_other_settings(found[1])

    @contextmanager
    def keeping_still(self) -> Iterator[None]:
        """Let this thread see one state while the block lasts: what is asked one by one fits together."""
        if getattr(self._still, "index", None) is not None:
            yield
            return
        self._still.index = self.newest()
        try:
            yield
        finally:
            self._still.index = None

    def check(self) -> None:
        """See that the index can be read: StoreError says why not, and what to do."""
        if self.trouble:
            raise StoreError(f"the index cannot be read: {self.trouble}", hint=REBUILD)

    def examine(self) -> None:
        """See that every file of the index is as it was written, which takes reading them all."""
        self.newest()
        name = self._generations.current()
        damage = find_damage(self._generations.path(name)) if name and not self._told else ""
        if name and damage:
            self._note(name, damage)
        self.check()

    def look(self) -> None:
        """Take over what is there now: whoever changed it need not wait until the next look is due."""
        with self._lock:
            self._look()

    def newest(self) -> TantivyIndex:
        """The newest state, for whoever has several questions about one."""
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
        """How many documents the query finds."""
        return self.newest().count(query)

    def numbers(
        self, query: Query, *, sort: Sequence[SortKey] = (), offset: int = 0, limit: int = 100
    ) -> list[int]:
        """Return the numbers of the records at these places."""
        return self.newest().numbers(query, sort=sort, offset=offset, limit=limit)

    def first_numbers(self, query: Query, limit: int) -> tuple[int, list[int]]:
        """Return how many documents the query finds, and the numbers of the first by relevance."""
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
        """Return terms of a field in their order."""
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
        """Documents that the query finds, a page of them."""
        newest = self.newest()
        return newest.search(query, limit=limit, offset=offset, order=order, after=after, language=language)

    def tally(self, query: Query, tallies: Sequence[FacetRequest]) -> tuple[FacetCounts, ...]:
        """Count the documents that the query finds, once for each tally."""
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
        """Values of a field in the order of their folded letters."""
        return self.newest().values(field, prefix=prefix, after=after, limit=limit, query=query)

    def initials(self, field: str, *, query: Query = EVERYTHING, language: str = "") -> list[ValueCount]:
        """First letters of a field's values."""
        return self.newest().initials(field, query=query, language=language)

    def complete(self, text: str, *, limit: int = 8, query: Query = EVERYTHING) -> list[Completion]:
        """Values that begin as the text does."""
        return self.newest().complete(text, limit=limit, query=query)

    def correct(self, word: str, *, least: int = 1) -> str | None:
        """What a word may be misspelt from."""
        return self.newest().correct(word, least=least)

    def corrections(self, word: str, *, least: int = 1, limit: int = 5) -> list[str]:
        """Words that this one may be misspelt from."""
        return self.newest().corrections(word, least=least, limit=limit)

    def which(self, queries: Sequence[Query], numbers: Sequence[int]) -> list[frozenset[int]]:
        """For each query, those of these records that it finds."""
        return self.newest().which(queries, numbers)

    def similar(self, number: int, *, limit: int = 5) -> tuple[Hit, ...]:
        """Documents with the same rare words."""
        return self.newest().similar(number, limit=limit)

    def card(self, number: int) -> HitSummary | None:
        """What is kept of one record; None if it is not here."""
        return self.newest().card(number)

    def _look(self) -> None:
        """Take over what is new; what cannot be read is told, and the state before it goes on."""
        try:
            signature = self._generations.signature()
            if self._index is None or signature != self._signature:
                self._load()
                self._signature = signature
            elif self._mapped.is_much():
                self._open_anew()
        except (ValueError, OSError, StoreError) as exc:
            self._tell(str(exc))  # it may be on its way out: the next look tries again
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
        """Return whether to stay: a state that finds everything is not left for one that does not yet."""
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
                self._opened = None  # what it opened goes on; the next state has other files to open
        self._state = state

    def _open_anew(self) -> None:
        """Go on with the same state, opened once more: nothing of its files is mapped then."""
        opened, self._opened = self._opened, None
        with suppress(ValueError, OSError, StoreError):
            self._load()
        if self._opened is None:  # its folder is gone: what is open still answers
            self._opened = opened
            self._mapped.begin()

    def _suspect(self, name: str, generation: str) -> None:
        """See whether the files are why an answer failed; a question that Tantivy cannot bear may be, too."""
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
        with suppress(StoreError):  # whoever may only read has told at least the log
            self._generations.note_damage(name, damage)

    def _tell(self, words: str) -> None:
        if words and words != self._told:
            _LOG.warning("the index cannot be read: %s", words)
        self._told = words


def _nothing() -> TantivyIndex:
    return TantivyIndex(register(tantivy.Index(schema())).searcher(), generation=NONE)
