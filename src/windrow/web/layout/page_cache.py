"""Pages that were made already, as long as the index says the same: the most recently wanted are kept."""

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
_INDEXED = b"1"  # before a page that search engines may keep


class PageCache:
    """Remembers pages of one generation of the index. Used by many threads at once."""

    def __init__(self, most_bytes: int = MAX_CACHE_BYTES) -> None:
        self._most = most_bytes
        self._size = 0
        self._generation = ""
        self._pages: OrderedDict[Hashable, bytes] = OrderedDict()
        self._turn = threading.Lock()
        self._makers = tuple(threading.Lock() for _ in range(_LOCK_COUNT))

    def answer(self, generation: str, key: Hashable, make: Callable[[], Response]) -> Response:
        """Return the page that is kept, or make it; requests for the same one meanwhile wait for it.

        Those in a hurry do not: another page, which takes long, may be made behind the same lock.
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
        """Return a page that was made for this generation, if it is still there."""
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


# Whether an index can be believed: one that is still being made finds too little, and is not quoted.
# Nor is an answer put together from two states of it, when another takes its place meanwhile.

INDEX_NOT_READY = message(
    "The index of this library is being made. Until it is whole, nothing can be searched."
)
INDEX_RETRY_SECONDS = 30


@runtime_checkable
class _BuildingIndex(Protocol):
    """An index that is made while it is asked."""

    @property
    def is_ready(self) -> bool:
        """Return whether it has been up to date once."""


@runtime_checkable
class _PinnableIndex(Protocol):
    """An index that is replaced while it is asked."""

    def keeping_still(self) -> AbstractContextManager[None]:
        """Let this thread see one state of it while the block lasts."""


def pinned_index(index: Index) -> AbstractContextManager[None]:
    """Let everything that this thread asks in the block be answered from one state of the index."""
    return index.keeping_still() if isinstance(index, _PinnableIndex) else nullcontext()


def check_index_ready(index: Index) -> None:
    """Refuse as long as not everything can be found; an index that does not tell is whole."""
    if isinstance(index, _BuildingIndex) and not index.is_ready:
        raise HttpRefusal(503, INDEX_NOT_READY, headers=[(b"retry-after", str(INDEX_RETRY_SECONDS).encode())])


# Whether the lists for crawlers can be believed: half of them would be taken for the whole.

LISTS_RETRY_SECONDS = 10


def check_lists_ready(connection: Connection) -> None:
    """Refuse as long as not every record has a place in the lists: just after a library is first served."""
    if not is_complete(connection):
        words = "The lists of all records are being made. Come back in a few seconds."
        raise HttpRefusal(503, words, headers=[(b"retry-after", str(LISTS_RETRY_SECONDS).encode())])
