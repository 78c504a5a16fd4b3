"""The vocabularies of a library and the URLs of their concepts.

The page of a concept is at `/vocabulary/NAME/concept/ID`. The identifier is the part of its URI after the
prefix that most concepts of the vocabulary share: p1234 of http://vocabulary.example/onto/p1234. Any other
concept is at `/vocabulary/NAME/concept?uri=URI`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote, unquote, urlencode

from windrow.model.thesaurus import Concept, Vocabulary
from windrow.store.store import Store
from windrow.store.vocabulary import concepts as rows
from windrow.store.vocabulary.concepts import find_uri_space
from windrow.vocabularies.vocabulary_view import VocabularyView

LOOK_SECONDS = 0.5  # interval of the checks whether a vocabulary has changed
ROOT = "/vocabulary/"
# Suffixes of other representations of a concept.
SUFFIXES = {".ttl": "ttl", ".rdf": "rdf", ".jsonld": "jsonld", ".nt": "nt", ".xml": "zthes", ".csv": "csv"}
_LONGEST = 200  # characters of an identifier


@dataclass(frozen=True)  # without slots: cached properties hold values from the store
class PublishedVocabulary:
    """One vocabulary in one revision, with its URLs."""

    name: str
    mark: str
    _store: Store

    @cached_property
    def view(self) -> VocabularyView:
        return VocabularyView(self._store, self.name)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return self.view.vocabulary

    @cached_property
    def space(self) -> str:
        with self._store.reading() as connection:
            number = rows.list_revisions(connection).get(self.name, (0, 0))[0]
            return find_uri_space(connection, number, self.vocabulary.base)

    @property
    def path(self) -> str:
        return f"{ROOT}{self.name}/"

    def concept_path(self, uri: str, suffix: str = "") -> str:
        identifier = self._identifier(uri)
        if identifier is not None:
            return f"{self.path}concept/{quote(identifier, safe='')}{suffix}"
        return f"{self.path}concept{suffix}?{urlencode({'uri': uri}, errors='replace')}"

    def find(self, identifier: str) -> Concept | None:
        written = quote(identifier, safe="", errors="replace")
        found = {
            each.uri: each for each in self.view.concepts([self.space + written, self.space + identifier])
        }
        return next((each for uri, each in found.items() if self._identifier(uri) == identifier), None)

    def _identifier(self, uri: str) -> str | None:
        """Return the identifier of a URI; None if it cannot be reversed, or if proxies might alter it."""
        rest = uri.removeprefix(self.space)
        if not self.space or rest == uri or not rest or len(rest) > _LONGEST:
            return None
        decoded = unquote(rest, errors="replace")
        if quote(decoded, safe="", errors="replace") != rest:
            decoded = rest
        is_risky = decoded in (".", "..") or decoded.endswith(tuple(SUFFIXES)) or not decoded.isprintable()
        return None if is_risky or any(sign in decoded for sign in "/\\%?#;") else decoded


class VocabularyDirectory:
    """The vocabularies of a library, kept up to date. Thread-safe."""

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._looked_at: float | None = None
        self._places: dict[str, PublishedVocabulary] = {}

    @property
    def places(self) -> tuple[PublishedVocabulary, ...]:
        return tuple(self._look().values())

    @property
    def mark(self) -> str:
        """A text that changes with every update of a vocabulary."""
        return " ".join(each.mark for each in self._look().values())

    def __bool__(self) -> bool:
        return bool(self._look())

    def find(self, name: str) -> PublishedVocabulary | None:
        return self._look().get(name)

    def concept_path(self, name: str, uri: str) -> str:
        place = self.find(name)
        return place.concept_path(uri) if place else ""

    def _look(self) -> dict[str, PublishedVocabulary]:
        with self._lock:
            now = self._clock()
            if self._looked_at is None or now - self._looked_at >= LOOK_SECONDS:
                with self._store.reading() as connection:
                    known = rows.list_revisions(connection)
                marks = {name: f"{name}-{number}-{revision}" for name, (number, revision) in known.items()}
                before = self._places
                self._places = {
                    name: before[name]
                    if name in before and before[name].mark == marks[name]
                    else PublishedVocabulary(name, marks[name], self._store)
                    for name in sorted(marks)
                }
                self._looked_at = now
            return self._places
