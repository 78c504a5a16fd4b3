"""The vocabularies of a library and the addresses of their concepts on its pages.

The page of a concept is at `/vocabulary/NAME/concept/ID`. The identifier is what follows in its URI after the
beginning that most concepts of the vocabulary share: p1234 of http://vocabulary.example/onto/p1234. Any other
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

LOOK_SECONDS = 0.5  # between two looks whether a vocabulary was changed
ROOT = "/vocabulary/"
# What other forms of a concept end with.
SUFFIXES = {".ttl": "ttl", ".rdf": "rdf", ".jsonld": "jsonld", ".nt": "nt", ".xml": "zthes", ".csv": "csv"}
_LONGEST = 200  # letters of an identifier


@dataclass(frozen=True)  # without slots: what takes a question to the store is kept
class PublishedVocabulary:
    """One vocabulary in one state, and where its pages are."""

    name: str
    mark: str
    _store: Store

    @cached_property
    def view(self) -> VocabularyView:
        """The concepts."""
        return VocabularyView(self._store, self.name)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """What the vocabulary is."""
        return self.view.vocabulary

    @cached_property
    def space(self) -> str:
        """How the URIs of most concepts begin."""
        with self._store.reading() as connection:
            number = rows.list_revisions(connection).get(self.name, (0, 0))[0]
            return find_uri_space(connection, number, self.vocabulary.base)

    @property
    def path(self) -> str:
        """The path of the page of the vocabulary."""
        return f"{ROOT}{self.name}/"

    def concept_path(self, uri: str, suffix: str = "") -> str:
        """Return the path of the page of a concept, or of another form of it."""
        identifier = self._identifier(uri)
        if identifier is not None:
            return f"{self.path}concept/{quote(identifier, safe='')}{suffix}"
        return f"{self.path}concept{suffix}?{urlencode({'uri': uri}, errors='replace')}"

    def find(self, identifier: str) -> Concept | None:
        """Return the concept that has this identifier in its path."""
        written = quote(identifier, safe="", errors="replace")
        found = {
            each.uri: each for each in self.view.concepts([self.space + written, self.space + identifier])
        }
        return next((each for uri, each in found.items() if self._identifier(uri) == identifier), None)

    def _identifier(self, uri: str) -> str | None:
        """Return what stands for a URI in a path; None where it cannot be read back, or proxies change it."""
        rest = uri.removeprefix(self.space)
        if not self.space or rest == uri or not rest or len(rest) > _LONGEST:
            return None
        decoded = unquote(rest, errors="replace")
        if quote(decoded, safe="", errors="replace") != rest:
            decoded = rest
        is_risky = decoded in (".", "..") or decoded.endswith(tuple(SUFFIXES)) or not decoded.isprintable()
        return None if is_risky or any(sign in decoded for sign in "/\\%?#;") else decoded


class VocabularyDirectory:
    """The vocabularies of a library; it follows their updates. Thread-safe."""

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._looked_at: float | None = None
        self._places: dict[str, PublishedVocabulary] = {}

    @property
    def places(self) -> tuple[PublishedVocabulary, ...]:
        """All vocabularies, by their names."""
        return tuple(self._look().values())

    @property
    def mark(self) -> str:
        """Another text whenever any vocabulary was changed."""
        return " ".join(each.mark for each in self._look().values())

    def __bool__(self) -> bool:
        return bool(self._look())

    def find(self, name: str) -> PublishedVocabulary | None:
        """Return a vocabulary by its name."""
        return self._look().get(name)

    def concept_path(self, name: str, uri: str) -> str:
        """Return the path of the page of a concept; nothing where there is no such vocabulary."""
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
