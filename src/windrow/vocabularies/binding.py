"""The vocabularies that the collections of a library bind to their fields, as searches use them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Container, Mapping, Sequence

from windrow.config.schema import Config
from windrow.model.expansion import Branches, Expansion, Meaning
from windrow.model.query import Query
from windrow.store import vocabularies as rows
from windrow.store.store import Store
from windrow.vocabularies.expansion import Bindings, LibraryExpander
from windrow.vocabularies.view import VocabularyView

LOOK_SECONDS = 0.5  # between two looks whether a vocabulary was changed


def make_expander(config: Config, store: Store) -> LiveExpander | None:
    """Return what adds to searches what vocabularies know; None where no field is bound to one."""
    return (
        LiveExpander(config, store) if any(each.vocabulary for each in config.collections.values()) else None
    )


class LiveExpander:
    """An expander that follows the vocabularies of a library: an update counts for the next search."""

    def __init__(self, config: Config, store: Store, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._looked_at = 0.0
        self._config = config
        self._store = store
        self._lock = threading.Lock()
        self._current: LibraryExpander | None = None

    @property
    def fields(self) -> frozenset[str]:
        """The fields that are bound to a vocabulary that there is."""
        return self.current().fields

    @property
    def is_usual(self) -> bool:
        """Return whether words are expanded where a request does not say."""
        return self._config.portal.vocabulary_search

    @property
    def mark(self) -> str:
        """Another text whenever a vocabulary was changed."""
        return str(self.current().revision)

    def expand(self, query: Query, collection: str | None = None) -> Expansion:
        """Return a query with synonyms, labels in other languages and narrower concepts."""
        return self.current().expand(query, collection)

    def fields_of(self, vocabulary: str, collection: str | None = None) -> tuple[str, ...]:
        """Return the fields that a vocabulary is bound to."""
        return self.current().fields_of(vocabulary, collection)

    def label(self, field: str, value: str, language: str, collection: str | None = None) -> str | None:
        """Return the label of the concept that a value names by URI or notation; None for none."""
        return self.current().label(field, value, language, collection)

    def meanings(
        self, field: str, values: Sequence[str], collection: str | None = None
    ) -> Mapping[str, Meaning]:
        """Return the concept that each of these values names by any of its names."""
        return self.current().meanings(field, values, collection)

    def branches(
        self,
        field: str,
        values: Mapping[str, int],
        chosen: Sequence[str],
        *,
        limit: int,
        collection: str | None = None,
    ) -> Branches | None:
        """Return the concepts that counted values belong to, as trees; None where that is unclear."""
        return self.current().branches(field, values, chosen, limit=limit, collection=collection)

    def narrow(self, query: Query, collection: str | None = None) -> Query:
        """Return a query with nothing but the concepts that are named by URI in it resolved."""
        return self.current().narrow(query, collection)

    def current(self) -> LibraryExpander:
        """Return the expander for the vocabularies as they are now."""
        current = self._current
        if current is not None and self._clock() - self._looked_at < LOOK_SECONDS:
            return current
        with self._store.reading() as connection:
            known = rows.revisions(connection)
        revision = " ".join(
            f"{name}-{number}-{revision}" for name, (number, revision) in sorted(known.items())
        )
        with self._lock:
            self._looked_at = self._clock()
            if self._current is None or self._current.revision != revision:
                self._current = LibraryExpander(self._bindings(known), revision)
            return self._current

    def _bindings(self, known: Container[str]) -> dict[str, Bindings]:
        """Return the bindings of each collection; those to vocabularies that are not there are left out."""
        return {
            name: {
                field: [VocabularyView(self._store, vocabulary)]
                for field, vocabulary in collection.vocabulary
                if vocabulary in known
            }
            for name, collection in self._config.collections.items()
        }
