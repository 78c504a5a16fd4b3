"""Texts that somebody reads just now: to leaf through a long one, it is read out of the store only once."""

from __future__ import annotations

import threading
from collections import OrderedDict

from windrow.faces.documents.book import Book, open_book
from windrow.store.one_record import Glance
from windrow.store.store import Store

MOST_LETTERS = 20_000_000  # of all together


class OpenBooks:
    """Gives texts, and remembers those that were wanted last. Thread-safe."""

    def __init__(self, store: Store, *, most_letters: int = MOST_LETTERS) -> None:
        self._store = store
        self._most = most_letters
        self._letters = 0
        self._books: OrderedDict[tuple[int, int], tuple[Book, int]] = OrderedDict()
        self._turn = threading.Lock()

    def take(self, state: Glance, source: str, identifier: str) -> Book:
        """Give the text of a record in this state; Refused where it has none."""
        key = (state.number, state.seq)
        with self._turn:
            if key in self._books:
                self._books.move_to_end(key)
                return self._books[key][0]
        book = open_book(self._store, source, identifier)
        self._keep((book.record.number, book.record.seq), book)
        return book

    def _keep(self, key: tuple[int, int], book: Book) -> None:
        letters = sum(len(leaf.text) for leaf in book.leaves)
        with self._turn:
            if key in self._books:
                return
            self._books[key] = (book, letters)
            self._letters += letters
            while self._letters > self._most:
                _, (_, freed) = self._books.popitem(last=False)
                self._letters -= freed
