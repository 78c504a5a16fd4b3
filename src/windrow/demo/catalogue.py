"""Which records the demo has at a revision, when each was last touched, and which fall into a window.

Between `theses`, which knows one thesis, and `repository`, which answers for many. A revision is a day:
each day brings new theses, corrects some and withdraws a few, all with datestamps inside that day.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from windrow.demo.theses import (
    DAY_SECONDS,
    TODAY,
    Thesis,
    department_of,
    is_withdrawn,
    roll,
    stamped_at,
    write_thesis,
)
from windrow.demo.universities import Department

Key = tuple[int, int]  # (datestamp in seconds since 1970, thesis number): the order of every list

_NEW_EVERY = _CHANGED_EVERY = 200
_WITHDRAWN_EVERY = 1000


@dataclass(slots=True)
class _Touches:
    """What the revisions so far did, by thesis number."""

    stamps: dict[int, int] = field(default_factory=dict)
    versions: dict[int, int] = field(default_factory=dict)
    issued: dict[int, int] = field(default_factory=dict)
    withdrawn: set[int] = field(default_factory=set)
    total: int = 0


class Catalogue:
    """The records of a seeded collection at a revision. Nothing is computed before it is asked for."""

    def __init__(self, *, records: int, seed: int, revision: int) -> None:
        self.records = records
        self.seed = seed
        self.revision = revision

    @property
    def now(self) -> int:
        """What time it is in the demo: midnight after the last day that happened."""
        return TODAY + self.revision * DAY_SECONDS

    @property
    def total(self) -> int:
        """How many records there are, withdrawn ones included."""
        return self._touches.total

    @cached_property
    def keys(self) -> list[Key]:
        """Every record, in order."""
        stamps = self._touches.stamps
        first = ((stamped_at(roll(self.seed, n)), n) for n in range(self.records) if n not in stamps)
        return sorted([*first, *((stamp, n) for n, stamp in stamps.items())])

    def select(self, spec: str | None, start: int | None, end: int | None) -> tuple[Sequence[Key], range]:
        """The list to read and which of its places are inside the window; both ends belong to it."""
        keys = self.keys if spec is None else self._by_set.get(spec, [])
        low = 0 if start is None else bisect_left(keys, (start, -1))
        high = len(keys) if end is None else bisect_right(keys, (end, self.total))
        return keys, range(low, max(low, high))

    def stamp(self, number: int) -> int:
        """When this record was last touched, in seconds since 1970."""
        touched = self._touches.stamps.get(number)
        return stamped_at(roll(self.seed, number)) if touched is None else touched

    def department(self, number: int) -> Department:
        """Where this thesis was written."""
        return department_of(roll(self.seed, number))[1]

    def is_withdrawn(self, number: int) -> bool:
        """Whether only a tombstone is left of this record."""
        return self._is_gone(self._touches, number)

    def thesis(self, number: int) -> Thesis | None:
        """The thesis as it reads now; None when it is withdrawn."""
        if self.is_withdrawn(number):
            return None
        touches = self._touches
        version, issued = touches.versions.get(number, 0), touches.issued.get(number)
        return write_thesis(self.seed, number, version=version, issued=issued)

    @cached_property
    def _by_set(self) -> dict[str, list[Key]]:
        sets: dict[str, list[Key]] = {}
        for key in self.keys:
            department = self.department(key[1])
            sets.setdefault(department.spec, []).append(key)
            sets.setdefault(department.community, []).append(key)
        return sets

    @cached_property
    def _touches(self) -> _Touches:
        touches = _Touches(total=self.records)
        for revision in range(1, self.revision + 1):
            self._live_a_day(touches, revision)
        return touches

    def _live_a_day(self, touches: _Touches, revision: int) -> None:
        before = touches.total
        fresh = max(1, before // _NEW_EVERY)
        changed = [n for n in _spread(before, _CHANGED_EVERY, revision) if not self._is_gone(touches, n)]
        gone = [n for n in _spread(before, _WITHDRAWN_EVERY, revision + 1) if not self._is_gone(touches, n)]
        touched = [*range(before, before + fresh), *changed, *gone]
        morning = TODAY + (revision - 1) * DAY_SECONDS
        for place, number in enumerate(touched):
            touches.stamps[number] = morning + 1 + place * (DAY_SECONDS - 2) // len(touched)
        touches.versions.update(dict.fromkeys(changed, revision))
        touches.issued.update(dict.fromkeys(range(before, before + fresh), morning))
        touches.withdrawn.update(gone)
        touches.total += fresh

    def _is_gone(self, touches: _Touches, number: int) -> bool:
        if number in touches.withdrawn:
            return True
        return number < self.records and is_withdrawn(roll(self.seed, number))


def _spread(total: int, every: int, revision: int) -> list[int]:
    """About one number in `every` below total, all different, others on other days."""
    if not total:
        return []
    # Steps of one less than `every`: even when they share a factor with the total, none comes twice.
    return [(revision * 7919 + place * (every - 1)) % total for place in range(max(1, total // every))]
