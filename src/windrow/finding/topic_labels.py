"""What topics are called in the languages of the pages, as the records of the library name them.

A topic in several languages is counted under one of its wordings (`model.topics`). The index counts the
wordings, too: the most used ones of each topic are its labels.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

from windrow.index.protocol import EVERYTHING, MOST_VALUES, Index, Tally
from windrow.model.topics import read_wordings

FIELDS = ("subject", "keyword")
STALE_SECONDS = 60.0  # labels hardly change, and an index does with every page of a harvest

Labels = Mapping[str, Mapping[str, str]]  # by name and language


class TopicLabels:
    """The labels of an index, read when they are needed and kept for a while. Thread-safe."""

    def __init__(self, index: Index, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._index = index
        self._clock = clock
        self._lock = threading.Lock()
        self._generation: str | None = None
        self._read_at = 0.0
        self._labels: Labels = {}
        self._names: Mapping[str, str] = {}

    def label(self, name: str, language: str) -> str:
        """Return what a topic is called in a language; its name where nothing else is known."""
        self._refresh()
        return self._labels.get(name, {}).get(language) or name

    def name(self, wording: str) -> str:
        """Return what a topic is counted under, by any of its wordings; a word of no such topic itself."""
        self._refresh()
        return wording if wording in self._labels else self._names.get(wording, wording)

    def _refresh(self) -> None:
        with self._lock:
            is_fresh = self._generation is not None and self._clock() - self._read_at < STALE_SECONDS
            generation = self._generation if is_fresh else self._index.generation
            if generation == self._generation:
                return
            self._labels, self._names = _read(self._index)
            self._generation, self._read_at = generation, self._clock()


def _read(index: Index) -> tuple[Labels, Mapping[str, str]]:
    (counts,) = index.tally(EVERYTHING, [Tally("wordings", MOST_VALUES)])
    labels: dict[str, dict[str, str]] = {}
    names: dict[str, str] = {}
    for counted in counts.values:  # the most used first
        topic = read_wordings(counted.value)
        if topic is not None:
            for language, wording in topic.wordings.items():
                labels.setdefault(topic.name, {}).setdefault(language, wording)
                names.setdefault(wording, topic.name)
    return labels, names
