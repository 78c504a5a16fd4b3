"""Whether a library has pictures: then its pages lead to the gallery."""

from __future__ import annotations

import asyncio

from windrow.errors import WindrowError
from windrow.finding.pictures import PICTURES
from windrow.index.protocol import Index


class Pictured:
    """Says whether a library has pictures: asked for every page, looked up once for a state of the index."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._known: tuple[str, bool] | None = None

    def __call__(self) -> bool:
        """Whether there is anything to see under `/gallery`."""
        # What is made on the event loop waits for no index: it says what was last known.
        if self._known is None or not _is_on_loop():
            self._known = self._look()
        return self._known[1]

    def _look(self) -> tuple[str, bool]:
        try:
            generation = self._index.generation
            if self._known is not None and generation == self._known[0]:
                return self._known
            return generation, self._index.count(PICTURES) > 0
        except WindrowError:  # whoever wants the page itself is told
            return "", False


def _is_on_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
