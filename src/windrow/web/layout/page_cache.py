"""Pages that were made already, as long as the index says the same: the most recently wanted are kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

from windrow.faces.shared.frame import VARY
from windrow.faces.shared.response import NO_INDEX, Response, page
from windrow.index.deferral import is_hurried

MOST_BYTES = 32_000_000
_MAKERS = 64
_INDEXED = b"1"  # before a page that search engines may keep


class KeptPages:
    """Remembers pages of one generation of the index. Used by many threads at once."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._size = 0
        self._generation = ""
        self._pages: OrderedDict[Hashable, bytes] = OrderedDict()
        self._turn = threading.Lock()
        self._makers = tuple(threading.Lock() for _ in range(_MAKERS))

    def answer(self, generation: str, key: Hashable, make: Callable[[], Response]) -> Response:
        """Return the page that is kept, or make it; requests for the same one meanwhile wait for it.

        Those in a hurry do not: another page, which takes long, may be made behind the same lock.
        """
        maker = self._makers[hash(key) % len(self._makers)]
        is_alone = maker.acquire(blocking=not is_hurried())
        try:
            return self._answer(generation, key, make)
        finally:
            if is_alone:
                maker.release()

    def _answer(self, generation: str, key: Hashable, make: Callable[[], Response]) -> Response:
        found = self.get(generation, key)
        if found is not None:
            return page(found[1:], VARY, is_indexed=found[:1] == _INDEXED)
        made = make()
        if made.status == 200:
            is_indexed = NO_INDEX not in made.headers
            self.put(generation, key, (_INDEXED if is_indexed else b"0") + made.body)
        return made

    def get(self, generation: str, key: Hashable) -> bytes | None:
        """Give a page that was made for this generation, if it is still there."""
        with self._turn:
            if generation != self._generation or key not in self._pages:
                return None
            self._pages.move_to_end(key)
            return self._pages[key]

    def put(self, generation: str, key: Hashable, body: bytes) -> None:
        """Keep a page, and let go of those that nobody wanted for the longest time."""
        with self._turn:
            if generation != self._generation:
                self._pages.clear()
                self._generation, self._size = generation, 0
            self._size += len(body) - len(self._pages.pop(key, b""))
            self._pages[key] = body
            while self._size > self._most:
                self._size -= len(self._pages.popitem(last=False)[1])
