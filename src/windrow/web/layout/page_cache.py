"""The cache of rendered pages for one index generation, and checks that the index is complete."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, runtime_checkable

from windrow.index.protocol import Index, is_quick_answer_wanted
from windrow.store.connection import Connection
from windrow.store.published.list_pages import is_complete
from windrow.web.http.http_request import HttpRefusal
from windrow.web.http.http_response import NO_INDEX, Response, html_response
from windrow.web.i18n.translation import message
from windrow.web.layout.page_layout import VARY_PAGE

MAX_CACHE_BYTES = 32_000_000
_LOCK_COUNT = 64
_INDEXED = b"1"  # prefix of a page that search engines may keep


class PageCache:
    """Least recently used pages of one index generation. Thread-safe."""

    def __init__(self, most_bytes: int = MAX_CACHE_BYTES) -> None:
        self._most = most_bytes
        self._size = 0
        self._generation = ""
        self._pages: OrderedDict[Hashable, bytes] = OrderedDict()
        self._turn = threading.Lock()
        self._makers = tuple(threading.Lock() for _ in range(_LOCK_COUNT))

    def answer(self, generation: str, key: Hashable, make: Callable[[], Response]) -> Response:
        """Return the cached page, or make it; concurrent requests for the same page wait for it.

        Requests in the quick pool do not wait: another page, which takes long, may be made
        under the same lock.
        """
        maker = self._makers[hash(key) % len(self._makers)]
        is_alone = maker.acquire(blocking=not is_quick_answer_wanted())
        try:
            return self._answer(generation, key, make)
        finally:
            if is_alone:
                maker.release()

    def _answer(self, generation: str, key: Hashable, make: Callable[[], Response]) -> Response:
        found = self.get(generation, key)
        if found is not None:
            return html_response(found[1:], VARY_PAGE, is_indexed=found[:1] == _INDEXED)
        made = make()
        if made.status == 200:
            is_indexed = NO_INDEX not in made.headers
            self.put(generation, key, (_INDEXED if is_indexed else b"0") + made.body)
        return made

    def get(self, generation: str, key: Hashable) -> bytes | None:
        with self._turn:
            if generation != self._generation or key not in self._pages:
                return None
            self._pages.move_to_end(key)
            return self._pages[key]

    def put(self, generation: str, key: Hashable, body: bytes) -> None:
        with self._turn:
            if generation != self._generation:
                self._pages.clear()
                self._generation, self._size = generation, 0
            self._size += len(body) - len(self._pages.pop(key, b""))
            self._pages[key] = body
            while self._size > self._most:
                self._size -= len(self._pages.popitem(last=False)[1])


# An index that is still being built finds too little, so nothing is answered from it. Nor may an answer mix
# two generations, when the index is replaced meanwhile.

INDEX_NOT_READY = message(
    "The index of this library is being made. Until it is whole, nothing can be searched."
)
INDEX_RETRY_SECONDS = 30


@runtime_checkable
class _BuildingIndex(Protocol):
    """An index that is searchable while it is being built."""

    @property
    def is_ready(self) -> bool:
        """Return whether it has been complete at least once."""


@runtime_checkable
class _PinnableIndex(Protocol):
    """An index that may be replaced while it is in use."""

    def keeping_still(self) -> AbstractContextManager[None]:
        """Pin one generation for this thread within the block."""


def pinned_index(index: Index) -> AbstractContextManager[None]:
    """Answer everything that this thread asks in the block from one generation of the index."""
    return index.keeping_still() if isinstance(index, _PinnableIndex) else nullcontext()


def check_index_ready(index: Index) -> None:
    """Raise HttpRefusal (503) until the index is complete; an index without `is_ready` is complete."""
    if isinstance(index, _BuildingIndex) and not index.is_ready:
        raise HttpRefusal(503, INDEX_NOT_READY, headers=[(b"retry-after", str(INDEX_RETRY_SECONDS).encode())])


# Incomplete lists would be taken for complete by crawlers.

LISTS_RETRY_SECONDS = 10


def check_lists_ready(connection: Connection) -> None:
    """Raise HttpRefusal (503) until every record is in the lists: just after a library is first served."""
    if not is_complete(connection):
        words = "The lists of all records are being made. Come back in a few seconds."
        raise HttpRefusal(503, words, headers=[(b"retry-after", str(LISTS_RETRY_SECONDS).encode())])
