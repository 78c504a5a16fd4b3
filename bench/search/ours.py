"""Windrow's index as its own faces use it: documents in through the writer, questions as query trees."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from bench.search.questions import Question, Row
from windrow.index.generations import Generations
from windrow.index.tantivy.index_writer import TantivyWriter
from windrow.index.tantivy.live_index import LiveIndex
from windrow.index.tantivy.rows import Entry
from windrow.model.query import Phrase, Query, SameEvent, Word, all_of

SHOWN = 10


class OurIndex:
    """An index in a folder, made or opened."""

    def __init__(self, folder: Path, *, is_new: bool = False) -> None:
        if is_new:
            shutil.rmtree(folder, ignore_errors=True)
        self._generations = Generations(folder)
        self._index = LiveIndex(folder)

    def build(self, entries: Iterable[Entry]) -> None:
        """Take in everything; come back when it can be searched and nothing is merged any more."""
        with self._generations.writing("bench"):
            name = self._generations.begin()
            writer = TantivyWriter(self._generations, name, is_new=True)
            writer.put(entries)
            writer.commit(1)
            writer.close(is_settling=True)
            self._generations.make_current(name)
        self._reload()

    def update(self, entries: Iterable[Entry]) -> None:
        """Put entries in the place of earlier ones; come back when they are found."""
        with self._generations.writing("bench"):
            writer = TantivyWriter(self._generations, self._generations.current() or "", is_new=False)
            writer.put(entries)
            writer.commit(2)
            self._reload()
            writer.close()

    def ask(self, question: Question) -> int:
        """Answer a question; give how many documents there are to it."""
        query = query_of(question)
        if question.row not in (Row.RANKED, Row.RECORDS):
            return self._index.count(query)
        found = self._index.search(query, limit=SHOWN)
        if question.row is Row.RECORDS:
            for hit in found.hits:
                hit.card  # noqa: B018  # is read when it is looked at
        return found.total

    def _reload(self) -> None:
        self._index = LiveIndex(self._generations.folder)
        self._index.newest()


def query_of(question: Question) -> Query:
    """Give a question as a tree."""
    words, field = question.words, question.field
    match question.row:
        case Row.PHRASE:
            return Phrase(words, field)
        case Row.TRUNCATION:
            return Word(f"{words[0]}*", field, is_pattern=True)
        case Row.EVENT:
            place, period = words
            return SameEvent(all_of((Word(place, "place"), Word(period, "period"))))
    return all_of(Word(word, field) for word in words)
