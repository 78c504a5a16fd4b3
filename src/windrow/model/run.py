"""Runs: one attempt at harvesting, mapping or indexing, with its counters, problems and outcome."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import IntEnum, StrEnum


class Outcome(StrEnum):
    """The outcome of a run. The database, the exit code and all pages use the same word."""

    OK = "ok"
    PARTIAL = "partial"
    FAILED = "failed"
    SKIPPED = "skipped"
    INTERRUPTED = "interrupted"


EXIT_CODES: Mapping[Outcome, int] = {
    Outcome.OK: 0,
    Outcome.FAILED: 1,
    Outcome.PARTIAL: 3,
    Outcome.SKIPPED: 75,
    Outcome.INTERRUPTED: 130,
}


class Severity(StrEnum):
    """The severity of a problem."""

    NOTE = "note"  # information only; the run is complete
    PROBLEM = "problem"  # something was repaired, skipped or not checked: the run is partial
    FATAL = "fatal"  # the run had to stop


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a run, described for people."""

    code: str
    message: str
    weight: Severity = Severity.PROBLEM
    url: str | None = None
    kept: str | None = None  # the file that holds the unchanged page


@dataclass(slots=True)
class Counters:
    """The counters of a run.

    `seen` and `duplicates` count entries: each occurrence of a record, for every format, set and repeated
    page. `added` to `unchanged` count records: each record of the run is in exactly one of them, regardless
    of the number of formats, sets and pages. `quarantined` counts records too: those of which any format
    could not be stored, independent of their other formats.
    """

    requests: int = 0
    retries: int = 0
    bytes: int = 0
    pages: int = 0
    seen: int = 0
    added: int = 0
    changed: int = 0
    supplemented: int = 0  # existing records with an additional format and no other change
    moved: int = 0  # existing records in other sets and without any other change
    restored: int = 0  # were deleted before the run
    deleted: int = 0  # existing records, or new ones that were deleted from the start
    unchanged: int = 0
    quarantined: int = 0
    duplicates: int = 0  # further entries of a record in the same format
    left_out: int = 0  # files and folders of a folder source from which no record was made
    without_text: int = 0  # documents whose pages are images without text

    @property
    def touched(self) -> int:
        return self.added + self.changed + self.supplemented + self.moved + self.restored + self.deleted

    def rarer_amounts(self) -> Iterator[str]:
        """Yield phrases for the rarer effects on records; nothing for those that did not occur."""
        for count, words in (
            (self.restored, "restored"),
            (self.supplemented, "in a further format"),
            (self.moved, "in other sets"),
        ):
            if count:
                yield f"{count:,} {words}"

    def add(self, other: Counters) -> None:
        for item in fields(self):
            setattr(self, item.name, getattr(self, item.name) + getattr(other, item.name))

    def assign(self, other: Counters) -> None:
        for item in fields(self):
            setattr(self, item.name, getattr(other, item.name))

    def as_dict(self) -> dict[str, int]:
        return {item.name: getattr(self, item.name) for item in fields(self)}


@dataclass(frozen=True, slots=True)
class Run:
    """One run, as stored."""

    id: int
    source: str
    kind: str  # harvest, retry, rebuild, refresh, merge, drop, hide
    started: datetime
    ended: datetime | None
    outcome: Outcome | None  # None: still running, or killed
    counters: Counters = field(default_factory=Counters)
    arguments: Mapping[str, object] = field(default_factory=dict)
    claimed: int | None = None  # the size of the lists as stated by the repository
    problems: tuple[Problem, ...] = ()


def decide_outcome(problems: list[Problem], *, counters: Counters, is_interrupted: bool = False) -> Outcome:
    if is_interrupted:
        return Outcome.INTERRUPTED
    weights = {problem.weight for problem in problems}
    if Severity.FATAL in weights:
        if not _is_only_busy(problems):
            return Outcome.FAILED
        return Outcome.PARTIAL if counters.pages else Outcome.SKIPPED
    return Outcome.PARTIAL if Severity.PROBLEM in weights or counters.quarantined else Outcome.OK


def _is_only_busy(problems: list[Problem]) -> bool:
    return all(problem.code == "busy" for problem in problems if problem.weight is Severity.FATAL)


# The effect of a run on each record. `RecordEffect` is the rule by which each record is counted once; both
# the counters of a run and `windrow diff` follow it.

_PAGE_BITS = 12
_PAGE_MASK = (1 << _PAGE_BITS) - 1


class RecordEffect(IntEnum):
    """The net effect of a run on one record, from its state before the run to its current state."""

    NONE = 0  # not seen in this run
    UNCHANGED = 1
    MOVED = 2
    SUPPLEMENTED = 3
    CHANGED = 4
    DELETED = 5
    RESTORED = 6
    ADDED = 7
    ADDED_DELETED = 8  # new, and deleted now
    STILL_DELETED = 9  # restored and deleted again

    @property
    def counter(self) -> str:
        return _COUNTED_AS[self]

    def then(self, kind: str) -> RecordEffect:
        """Return the effect after one more change, whose kind is one of the history's or "unchanged"."""
        following = _KIND_EFFECTS[kind]
        if self in (RecordEffect.NONE, RecordEffect.UNCHANGED):
            return following
        if following in (RecordEffect.DELETED, RecordEffect.RESTORED):
            return _TURNS.get((self, following), following)
        return max(self, following) if self < RecordEffect.CHANGED else self


_COUNTED_AS: Mapping[RecordEffect, str] = {
    RecordEffect.UNCHANGED: "unchanged",
    RecordEffect.MOVED: "moved",
    RecordEffect.SUPPLEMENTED: "supplemented",
    RecordEffect.CHANGED: "changed",
    RecordEffect.DELETED: "deleted",
    RecordEffect.RESTORED: "restored",
    RecordEffect.ADDED: "added",
    RecordEffect.ADDED_DELETED: "deleted",
    RecordEffect.STILL_DELETED: "unchanged",
}
_KIND_EFFECTS: Mapping[str, RecordEffect] = {
    "unchanged": RecordEffect.UNCHANGED,
    "sets": RecordEffect.MOVED,
    "format": RecordEffect.SUPPLEMENTED,
    "changed": RecordEffect.CHANGED,
    "deleted": RecordEffect.DELETED,
    "restored": RecordEffect.RESTORED,
}
# For records deleted and restored in one run, the state before the run decides.
_TURNS: Mapping[tuple[RecordEffect, RecordEffect], RecordEffect] = {
    (RecordEffect.DELETED, RecordEffect.RESTORED): RecordEffect.CHANGED,
    (RecordEffect.RESTORED, RecordEffect.DELETED): RecordEffect.STILL_DELETED,
    (RecordEffect.ADDED, RecordEffect.DELETED): RecordEffect.ADDED_DELETED,
    (RecordEffect.ADDED_DELETED, RecordEffect.RESTORED): RecordEffect.ADDED,
}


class RecordCounter:
    """Counts the effects of a run, each record once.

    It uses one byte a record in pages of 4,096: a run over ten million records needs ten megabytes for each
    format. Records that the run added have numbers above `base`, and use a page only once they change again.
    """

    def __init__(self) -> None:
        self.base: int | None = None  # the last number of the sequence before the run's first change
        self._effects = _SparseBytes()
        self._came: dict[int, _SparseBytes] = {}
        self._counts = dict.fromkeys(RecordEffect, 0)
        self._duplicates = 0
        self._rejected: dict[str, set[str]] = {}
        self._saved: tuple[dict[RecordEffect, int], int] | None = None
        self._undo: list[tuple[_SparseBytes, int, bytes]] = []
        self._rejected_since: list[tuple[str, str]] = []

    def add(self, format_id: int, first: int, deleted: Iterable[bool]) -> None:
        """Count new records with consecutive numbers."""
        flags = bytes(deleted)
        gone = sum(flags)
        self._counts[RecordEffect.ADDED] += len(flags) - gone
        self._counts[RecordEffect.ADDED_DELETED] += gone
        self._set(self._pages(format_id), first, b"\1" * len(flags))

    def meet(self, format_id: int, record_id: int, kind: str, *, was_deleted: bool) -> None:
        """Count an existing record with its kind of change, or "unchanged"."""
        came = self._pages(format_id)
        if came.get(record_id):
            self._duplicates += 1
        else:
            self._set(came, record_id, b"\1")
        before = self._effect(record_id, was_deleted=was_deleted)
        after = before.then(kind)
        if after is not before:
            self._set(self._effects, record_id, bytes((after,)))
            self._counts[before] -= before is not RecordEffect.NONE
            self._counts[after] += 1

    def repeat(self, count: int) -> None:
        """Count entries that were skipped because a later one has the same identifier."""
        self._duplicates += count

    def reject(self, prefix: str, key: str) -> None:
        """Count a record, identified by any unique key, that could not be stored in a format."""
        formats = self._rejected.setdefault(key, set())
        if prefix not in formats:
            formats.add(prefix)
            if self._saved is not None:
                self._rejected_since.append((prefix, key))

    def accept(self, prefix: str, key: str) -> None:
        """Cancel a rejection because the record was stored after all."""
        formats = self._rejected.get(key, set())
        formats.discard(prefix)
        if not formats:
            self._rejected.pop(key, None)

    def has_come(self, format_id: int, record_id: int) -> bool:
        return bool(self._pages(format_id).get(record_id))

    def is_touched(self, record_id: int) -> bool:
        effect = self._effect(record_id, was_deleted=False)
        return effect not in (RecordEffect.NONE, RecordEffect.UNCHANGED)

    def write_to(self, counters: Counters) -> None:
        """Set the counters of records; those of requests and entries are not changed."""
        sums = dict.fromkeys(_COUNTED_AS.values(), 0)
        for effect, name in _COUNTED_AS.items():
            sums[name] += self._counts[effect]
        for name, count in sums.items():
            setattr(counters, name, count)
        counters.duplicates = self._duplicates
        counters.quarantined = len(self._rejected)

    def begin(self) -> None:
        """Start a transaction that `roll_back` can undo."""
        self._saved = dict(self._counts), self._duplicates
        self._undo.clear()
        self._rejected_since.clear()

    def roll_back(self) -> None:
        """Restore the state at `begin`, after the store's transaction failed."""
        if self._saved is not None:
            self._counts, self._duplicates = self._saved
        for pages, first, values in reversed(self._undo):
            pages.put(first, values)
        for prefix, key in self._rejected_since:
            self.accept(prefix, key)
        self.begin()

    def _effect(self, record_id: int, *, was_deleted: bool) -> RecordEffect:
        found = RecordEffect(self._effects.get(record_id))
        if found is RecordEffect.NONE and self.base is not None and record_id > self.base:
            return RecordEffect.ADDED_DELETED if was_deleted else RecordEffect.ADDED
        return found

    def _pages(self, format_id: int) -> _SparseBytes:
        found = self._came.get(format_id)
        if found is None:
            found = self._came[format_id] = _SparseBytes()
        return found

    def _set(self, pages: _SparseBytes, first: int, values: bytes) -> None:
        if self._saved is not None:  # new records have no earlier effect; all others are set one by one
            former = bytes(len(values)) if len(values) > 1 else bytes((pages.get(first),))
            self._undo.append((pages, first, former))
        pages.put(first, values)


class _SparseBytes:
    """A sparse array of bytes, 0 unless set."""

    def __init__(self) -> None:
        self._pages: dict[int, bytearray] = {}

    def get(self, number: int) -> int:
        page = self._pages.get(number >> _PAGE_BITS)
        return page[number & _PAGE_MASK] if page is not None else 0

    def put(self, first: int, values: bytes) -> None:
        while values:
            place = first & _PAGE_MASK
            part = values[: _PAGE_MASK + 1 - place]
            page = self._pages.get(first >> _PAGE_BITS)
            if page is None:
                page = self._pages[first >> _PAGE_BITS] = bytearray(_PAGE_MASK + 1)
            page[place : place + len(part)] = part
            first, values = first + len(part), values[len(part) :]


# Collection steps: import, build, activation and rollback. Times are Unix seconds.


class StepKind(StrEnum):
    """The kind of a step."""

    IMPORT = "import"
    BUILD = "build"
    ACTIVATE = "activate"
    ROLLBACK = "rollback"


@dataclass(frozen=True, slots=True)
class CollectionStep:
    """One step, as stored."""

    id: int
    kind: StepKind
    collection: str  # empty: the whole library
    started: float
    ended: float | None
    outcome: Outcome | None  # None: still running, or killed
    records: int  # an import: new, changed and deleted records; else: records in the generation
    generation: str  # of the index; empty for an import
    summary: str
    holder: str  # the process that did it, for people
    is_alive: bool  # whether that process is still running

    @property
    def word(self) -> str:
        if self.outcome is not None:
            return self.outcome.value
        return "running" if self.is_alive else "killed"

    @property
    def seconds(self) -> float | None:
        return None if self.ended is None else max(self.ended - self.started, 0.0)
