"""The tables of types of a library: the built-in one with the additions of the settings.

`[portal]` adds for the whole library, `[collections.NAME]` for the records of its sources and for its
pages.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cached_property

from windrow.config.collection_values import TypeNames
from windrow.config.schema import Config
from windrow.model.controlled_values import TYPE, ControlledValues, load_controlled_values


class TypeTables:
    """Tables of types by purpose; None means the built-in one, which most libraries use throughout."""

    def __init__(self, library: TypeNames = (), collections: Mapping[str, Collection] | None = None) -> None:
        self._library = library
        self._collections = {name: each for name, each in (collections or {}).items() if each[1]}
        self._by_source: dict[str, ControlledValues | None] = {}

    @cached_property
    def mark(self) -> str:
        """A digest of the additions: the index has to be updated when it changes."""
        added = (self._library, sorted(self._collections.items()))
        return hashlib.sha256(repr(added).encode()).hexdigest()[:16] if any(added) else ""

    def of_source(self, name: str) -> ControlledValues | None:
        """Return the table for records of a source; if its collections differ, that of the first one."""
        if name not in self._by_source:
            own = [types for sources, types in self._collections.values() if name in sources]
            self._by_source[name] = self._extended(own)
        return self._by_source[name]

    def of_collection(self, name: str) -> ControlledValues | None:
        own = self._collections.get(name)
        return self.library if own is None else self._extended([own[1]])

    @cached_property
    def library(self) -> ControlledValues | None:
        """The table for pages of the whole library, with the additions of all collections."""
        return self._extended([types for _, types in self._collections.values()])

    def _extended(self, added: Iterable[TypeNames]) -> ControlledValues | None:
        found: dict[str, Mapping[str, str]] = {}
        for types in (self._library, *reversed(list(added))):
            found |= {wording: dict(labels) for wording, labels in types}
        return load_controlled_values(TYPE).extended(found) if found else None


Collection = tuple[tuple[str, ...], TypeNames]  # its sources, and its additions


def type_tables(config: Config) -> TypeTables:
    collections = {name: (each.sources, each.types) for name, each in config.collections.items()}
    return TypeTables(config.portal.types, collections)
