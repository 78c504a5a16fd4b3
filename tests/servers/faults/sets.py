"""Faults of sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.servers.fault import Fault, OnOne
from tests.servers.items import Item


@dataclass
class SetTwice(Fault):
    """The first set is listed again under another spec, with the same name."""

    def sets(self, sets: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
        return [*sets, (f"copy_of_{sets[0][0]}", sets[0][1])]


@dataclass
class SetsReversed(Fault):
    """Children before their parents, last things first."""

    def sets(self, sets: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
        return list(reversed(sets))


@dataclass
class ManySets(OnOne):
    """One record is in nineteen sets."""

    count: int = 19

    def item(self, item: Item) -> Item:
        if not self.is_struck(item):
            return item
        return replace(item, sets=tuple(f"com_{number}" for number in range(self.count)))


@dataclass
class NoSets(Fault):
    """The repository has no sets."""

    def sets(self, sets: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
        return []
