"""The sets of a repository: their setSpecs, what these select, and which sets a record is in."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from windrow.protocols.oai.provider_request import is_set_spec
from windrow.protocols.oai.provider_response import ListedSet, set_specs
from windrow.store.published import selection
from windrow.store.records.payloads import Queries
from windrow.store.records.set_hierarchy import GUARD

_LEGAL = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~*'()")


class SetSelection(NamedTuple):
    """The sources that a setSpec selects, and the sets of them (None: all records)."""

    sources: tuple[int, ...]
    sets: tuple[int, ...] | None = None
    virtual_sets: tuple[int, ...] = ()


class HiddenSet(NamedTuple):
    """A hidden set: only clients that its source authorises see its records."""

    set_id: int
    source_id: int
    name: str


class RepositorySets:
    """A snapshot of all sets of one repository."""

    def __init__(self, queries: Queries, sources: Mapping[int, str], *, is_one: bool) -> None:
        self.guards: list[HiddenSet] = []
        self._sources = dict(sources)
        self._is_one = is_one
        self._outside: dict[int, str] = {}  # set number to spec
        self._virtual: dict[int, str] = {}
        self._rendered: dict[tuple[int, int], bytes] = {}
        self._chosen: dict[str, SetSelection] = {}
        self._names: dict[str, str] = {}
        self._load(queries)
        self._order = sorted(self._names)

    def __len__(self) -> int:
        return len(self._order)

    def page(self, after: str, limit: int) -> list[ListedSet]:
        """Return the next sets after a spec, in order."""
        start = bisect_right(self._order, after)
        return [ListedSet(spec, self._names[spec]) for spec in self._order[start : start + limit]]

    def choose(self, spec: str) -> SetSelection | None:
        """Return what a spec selects, including the sets below it; None for an unknown spec."""
        found = [self._chosen[spec]] if spec in self._chosen else []
        start = bisect_left(self._order, f"{spec}:")
        for below in self._order[start:]:
            if not below.startswith(f"{spec}:"):
                break
            found.append(self._chosen[below])
        if not found:
            return None
        return next((each for each in found if each.sets is None), None) or _join_selections(found)

    def render(self, queries: Queries, places: Iterable[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
        wanted = {place for place in places if place not in self._rendered}
        if wanted:
            held = selection.list_combination_sets(queries, {group for _, group in wanted})
            for source, group in wanted:
                self._rendered[source, group] = set_specs(self._specs(source, held.get(group, ())))
        return self._rendered

    def render_virtual(self, queries: Queries, records: Sequence[int]) -> dict[int, bytes]:
        if not self._virtual:
            return {}
        held = selection.find_virtual_sets(queries, records)
        return {
            record: set_specs(self._virtual[number] for number in numbers if number in self._virtual)
            for record, numbers in held.items()
        }

    def _load(self, queries: Queries) -> None:
        rows = selection.list_source_sets(queries, tuple(self._sources))
        if not self._is_one:
            for number, name in self._sources.items():
                self._note(name, name, SetSelection((number,)))
        for row in rows:
            if row.spec.startswith(GUARD):
                self.guards.append(HiddenSet(row.id, row.source_id, row.spec.removeprefix(GUARD)))
            elif row.merged_into is None and is_set_spec(spec := self._outward(row)):
                self._outside[row.id] = spec
        for row in rows:
            if row.merged_into in self._outside:
                self._outside[row.id] = self._outside[row.merged_into]
        for row in rows:
            if row.id in self._outside:
                self._note(self._outside[row.id], row.name, SetSelection((row.source_id,), (row.id,)))
        taken = set() if self._is_one else set(self._sources.values())
        for number, spec, name in selection.list_virtual_sets(queries):
            # A source's own set of that name takes precedence, and only a source's own sets are below it.
            if spec not in self._chosen and spec.partition(":")[0] not in taken:
                self._virtual[number] = spec
                self._note(spec, name, SetSelection(tuple(self._sources), (), (number,)))

    def _outward(self, row: selection.SetRow) -> str:
        spec = row.spec if is_set_spec(row.spec) else _escape_spec(row.spec)
        return spec if self._is_one else f"{self._sources[row.source_id]}:{spec}"

    def _note(self, spec: str, name: str, chosen: SetSelection) -> None:
        known = self._chosen.get(spec)
        self._chosen[spec] = _join_selections((known, chosen)) if known else chosen
        self._names[spec] = self._names.get(spec) or name or spec

    def _specs(self, source: int, sets: Sequence[int]) -> Iterable[str]:
        own = [] if self._is_one else [self._sources[source]]
        return dict.fromkeys((*own, *(self._outside[number] for number in sets if number in self._outside)))


def _join_selections(chosen: Sequence[SetSelection]) -> SetSelection:
    return SetSelection(
        tuple(dict.fromkeys(source for each in chosen for source in each.sources)),
        tuple(dict.fromkeys(number for each in chosen for number in each.sets or ())),
        tuple(dict.fromkeys(number for each in chosen for number in each.virtual_sets)),
    )


def _escape_spec(spec: str) -> str:
    """Escape characters that setSpecs may not contain with `!` and hexadecimal digits."""
    parts = spec.split(":")
    return ":".join("".join(map(_escape_character, part)) or "!" for part in parts)


def _escape_character(character: str) -> str:
    if character in _LEGAL:
        return character
    return "".join(f"!{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
