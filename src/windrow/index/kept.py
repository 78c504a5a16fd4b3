"""Answers that took some working out, kept for whoever asks again; the longest unasked for go first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Kept(Generic[K, V]):
    """A bounded number of answers. Two threads may work out the same one; neither waits for the other."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._answers: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The answer that is kept under a key, or else the one that is made now."""
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
                return self._answers[key]
        made = make()
        with self._lock:
            self._answers[key] = made
            while len(self._answers) > self._most:
                self._answers.popitem(last=False)
        return made
