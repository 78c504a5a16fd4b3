"""What a run did to each record, so that each counts once: in however many formats, sets or pages it came.

`Effect` is the one rule for that; the counters of a run and `windrow diff` both follow it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum

from windrow.model.run import Counters

_PAGE_BITS = 12
_PAGE_MASK = (1 << _PAGE_BITS) - 1


class Effect(IntEnum):
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

    def then(self, kind: str) -> Effect:
        """Return the effect after one more change, of a kind as the history has it, or "unchanged"."""
        following = _KIND_EFFECTS[kind]
        if self in (Effect.NONE, Effect.UNCHANGED):
            return following
        if following in (Effect.DELETED, Effect.RESTORED):
            return _TURNS.get((self, following), following)
        return max(self, following) if self < Effect.CHANGED else self


_COUNTED_AS: Mapping[Effect, str] = {
    Effect.UNCHANGED: "unchanged",
    Effect.MOVED: "moved",
    Effect.SUPPLEMENTED: "supplemented",
    Effect.CHANGED: "changed",
    Effect.DELETED: "deleted",
    Effect.RESTORED: "restored",
    Effect.ADDED: "added",
    Effect.ADDED_DELETED: "deleted",
    Effect.STILL_DELETED: "unchanged",
}
_KIND_EFFECTS: Mapping[str, Effect] = {
    "unchanged": Effect.UNCHANGED,
    "sets": Effect.MOVED,
    "format": Effect.SUPPLEMENTED,
    "changed": Effect.CHANGED,
    "deleted": Effect.DELETED,
    "restored": Effect.RESTORED,
}
# Deleted and restored in one run: what counts is how the record was before it.
_TURNS: Mapping[tuple[Effect, Effect], Effect] = {
    (Effect.DELETED, Effect.RESTORED): Effect.CHANGED,
    (Effect.RESTORED, Effect.DELETED): Effect.STILL_DELETED,
    (Effect.ADDED, Effect.DELETED): Effect.ADDED_DELETED,
    (Effect.ADDED_DELETED, Effect.RESTORED): Effect.ADDED,
}


class RecordTally:
    """Counts what a run does to records, each of them once.

    A byte a record in pages of 4,096: a run over ten million records needs ten megabytes for each format.
    Records that the run added have numbers above `base`, and are kept in a page only once they change again.
    """

    def __init__(self) -> None:
        self.base: int | None = None  # the last number of the sequence before the run's first change
        self._effects = _SparseBytes()
        self._came: dict[int, _SparseBytes] = {}
        self._counts = dict.fromkeys(Effect, 0)
        self._duplicates = 0
        self._rejected: dict[str, set[str]] = {}
        self._saved: tuple[dict[Effect, int], int] | None = None
        self._undo: list[tuple[_SparseBytes, int, bytes]] = []
        self._rejected_since: list[tuple[str, str]] = []

    def add(self, format_id: int, first: int, deleted: Iterable[bool]) -> None:
        """Count new records whose numbers follow each other."""
        flags = bytes(deleted)
        gone = sum(flags)
        self._counts[Effect.ADDED] += len(flags) - gone
        self._counts[Effect.ADDED_DELETED] += gone
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
            self._counts[before] -= before is not Effect.NONE
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
        return effect not in (Effect.NONE, Effect.UNCHANGED)

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

    def _effect(self, record_id: int, *, was_deleted: bool) -> Effect:
        found = Effect(self._effects.get(record_id))
        if found is Effect.NONE and self.base is not None and record_id > self.base:
            return Effect.ADDED_DELETED if was_deleted else Effect.ADDED
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
