"""One attempt at harvesting or mapping: its counters, its problems, its outcome."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import IntEnum, StrEnum


class Outcome(StrEnum):
    """How a run ended. The database, the exit code and every page say the same word."""

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
    """How much a problem matters."""

    NOTE = "note"  # worth knowing; the run is whole
    PROBLEM = "problem"  # something was repaired, left out or not checked: the run is partial
    FATAL = "fatal"  # the run could not go on


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that went otherwise than it should, in words."""

    code: str
    message: str
    weight: Severity = Severity.PROBLEM
    url: str | None = None
    kept: str | None = None  # the file that holds the page as it came


@dataclass(slots=True)
class Counters:
    """What a run did.

    `seen` and `duplicates` count entries: a record as it came, once for each format, set and repeated page.
    `added` to `unchanged` count records: each one that the run met is in exactly one of them, in however
    many formats, sets or pages it came. `quarantined` counts records as well: those of which something
    could not be kept, whatever became of their other formats.
    """

    requests: int = 0
    retries: int = 0
    bytes: int = 0
    pages: int = 0
    seen: int = 0
    added: int = 0
    changed: int = 0
    supplemented: int = 0  # had already, now in a further format as well, and not changed otherwise
    moved: int = 0  # in other sets, and not changed otherwise
    restored: int = 0  # were deleted before the run
    deleted: int = 0  # were there before the run, or came as deleted the first time
    unchanged: int = 0
    quarantined: int = 0
    duplicates: int = 0  # entries of a record that had come before in the same format
    left_out: int = 0  # files and folders of a folder of documents that no record was made of
    without_text: int = 0  # documents whose pages are pictures without text

    @property
    def touched(self) -> int:
        """How many records are not as they were before the run."""
        return self.added + self.changed + self.supplemented + self.moved + self.restored + self.deleted

    def rarer_amounts(self) -> Iterator[str]:
        """Return in words what few runs do to records; nothing for what this one did not do."""
        for count, words in (
            (self.restored, "restored"),
            (self.supplemented, "in a further format"),
            (self.moved, "in other sets"),
        ):
            if count:
                yield f"{count:,} {words}"

    def add(self, other: Counters) -> None:
        """Count another's in."""
        for item in fields(self):
            setattr(self, item.name, getattr(self, item.name) + getattr(other, item.name))

    def assign(self, other: Counters) -> None:
        """Take over the values of another."""
        for item in fields(self):
            setattr(self, item.name, getattr(other, item.name))

    def as_dict(self) -> dict[str, int]:
        """Return the counters by name."""
        return {item.name: getattr(self, item.name) for item in fields(self)}


@dataclass(frozen=True, slots=True)
class Run:
    """One attempt, as the store remembers it."""

    id: int
    source: str
    kind: str  # harvest, retry, rebuild, refresh, merge, drop, hide
    started: datetime
    ended: datetime | None
    outcome: Outcome | None  # None: still running, or killed
    counters: Counters = field(default_factory=Counters)
    arguments: Mapping[str, object] = field(default_factory=dict)
    claimed: int | None = None  # what the repository said the lists would hold
    problems: tuple[Problem, ...] = ()


def decide_outcome(problems: list[Problem], *, counters: Counters, is_interrupted: bool = False) -> Outcome:
    """Return the one outcome that everybody repeats."""
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


# What a run did to each record, so that each counts once: in however many formats, sets or pages it came.
# `Effect` is the one rule for that; the counters of a run and `windrow diff` both follow it.

_PAGE_BITS = 12
_PAGE_MASK = (1 << _PAGE_BITS) - 1


class RecordEffect(IntEnum):
    """What a run has done to one record so far, from how it was before the run to how it is now."""

    NONE = 0  # not met
    UNCHANGED = 1
    MOVED = 2
    SUPPLEMENTED = 3
    CHANGED = 4
    DELETED = 5
    RESTORED = 6
    ADDED = 7
    ADDED_DELETED = 8  # not known before, and deleted now
    STILL_DELETED = 9  # restored and deleted again

    @property
    def counter(self) -> str:
        """The counter that a record with this effect is in."""
        return _COUNTED_AS[self]

    def then(self, kind: str) -> RecordEffect:
        """Return the effect after one more change, of a kind as the history has it, or "unchanged"."""
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
# Deleted and restored in one run: what counts is how the record was before it.
_TURNS: Mapping[tuple[RecordEffect, RecordEffect], RecordEffect] = {
    (RecordEffect.DELETED, RecordEffect.RESTORED): RecordEffect.CHANGED,
    (RecordEffect.RESTORED, RecordEffect.DELETED): RecordEffect.STILL_DELETED,
    (RecordEffect.ADDED, RecordEffect.DELETED): RecordEffect.ADDED_DELETED,
    (RecordEffect.ADDED_DELETED, RecordEffect.RESTORED): RecordEffect.ADDED,
}


class RecordCounter:
    """Counts what a run does to records, each of them once.

    A byte a record in pages of 4,096: a run over ten million records needs ten megabytes for each format.
    Records that the run added have numbers above `base`, and are kept in a page only once they change again.
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
        """Count new records whose numbers follow each other."""
        flags = bytes(deleted)
        gone = sum(flags)
        self._counts[RecordEffect.ADDED] += len(flags) - gone
        self._counts[RecordEffect.ADDED_DELETED] += gone
        self._set(self._pages(format_id), first, b"\1" * len(flags))

    def meet(self, format_id: int, record_id: int, kind: str, *, was_deleted: bool) -> None:
        """Count a record that the library had, and what it was met with: a kind of change or "unchanged"."""
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
        """Count entries that were left out because a later one has the same identifier."""
        self._duplicates += count

    def reject(self, prefix: str, key: str) -> None:
        """Count a record, by anything that tells it from others, that could not be kept in a format."""
        formats = self._rejected.setdefault(key, set())
        if prefix not in formats:
            formats.add(prefix)
            if self._saved is not None:
                self._rejected_since.append((prefix, key))

    def accept(self, prefix: str, key: str) -> None:
        """Take back a rejection: the record came whole after all."""
        formats = self._rejected.get(key, set())
        formats.discard(prefix)
        if not formats:
            self._rejected.pop(key, None)

    def has_come(self, format_id: int, record_id: int) -> bool:
        """Has this record come whole in this format?"""
        return bool(self._pages(format_id).get(record_id))

    def is_touched(self, record_id: int) -> bool:
        """Has the run changed this record?"""
        effect = self._effect(record_id, was_deleted=False)
        return effect not in (RecordEffect.NONE, RecordEffect.UNCHANGED)

    def write_to(self, counters: Counters) -> None:
        """Set the counters of records; those of requests and entries stay as they are."""
        sums = dict.fromkeys(_COUNTED_AS.values(), 0)
        for effect, name in _COUNTED_AS.items():
            sums[name] += self._counts[effect]
        for name, count in sums.items():
            setattr(counters, name, count)
        counters.duplicates = self._duplicates
        counters.quarantined = len(self._rejected)

    def begin(self) -> None:
        """Remember how it stands, for `roll_back`."""
        self._saved = dict(self._counts), self._duplicates
        self._undo.clear()
        self._rejected_since.clear()

    def roll_back(self) -> None:
        """Take back what was counted since `begin`: the transaction came to nothing."""
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
        if self._saved is not None:  # new records had nothing before; all others are set one by one
            former = bytes(len(values)) if len(values) > 1 else bytes((pages.get(first),))
            self._undo.append((pages, first, former))
        pages.put(first, values)


class _SparseBytes:
    """A byte for each number, 0 unless set."""

    def __init__(self) -> None:
        self._pages: dict[int, bytearray] = {}

    def get(self, number: int) -> int:
        page = self._pages.get(number >> _PAGE_BITS)
        return page[number & _PAGE_MASK] if page is not None else 0

    def put(self, first: int, values: bytes) -> None:
        """Set the bytes of this number and those that follow it."""
        while values:
            place = first & _PAGE_MASK
            part = values[: _PAGE_MASK + 1 - place]
            page = self._pages.get(first >> _PAGE_BITS)
            if page is None:
                page = self._pages[first >> _PAGE_BITS] = bytearray(_PAGE_MASK + 1)
            page[place : place + len(part)] = part
            first, values = first + len(part), values[len(part) :]


# Steps of keeping a collection: what was taken in, built, activated, rolled back. Times are Unix seconds.


class StepKind(StrEnum):
    """What was done."""

    IMPORT = "import"
    BUILD = "build"
    ACTIVATE = "activate"
    ROLLBACK = "rollback"


@dataclass(frozen=True, slots=True)
class CollectionStep:
    """One step, as the store remembers it."""

    id: int
    kind: StepKind
    collection: str  # for whom it was done; empty: for the whole library
    started: float
    ended: float | None
    outcome: Outcome | None  # None: still at it, or killed
    records: int  # an import: that were new, changed or gone; else: that the generation holds
    generation: str  # of the index; empty for an import
    summary: str
    holder: str  # who did it, in words
    is_alive: bool  # the process that does it

    @property
    def word(self) -> str:
        """How it stands, in one word: the same as for runs."""
        if self.outcome is not None:
            return self.outcome.value
        return "running" if self.is_alive else "killed"

    @property
    def seconds(self) -> float | None:
        """How long it took; None for one that has no end."""
        return None if self.ended is None else max(self.ended - self.started, 0.0)
