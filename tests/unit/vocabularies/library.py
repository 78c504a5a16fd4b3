"""Records whose subjects come from the small vocabulary of topics, in both kinds of index."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.oracle.memory_index import MemoryIndex
from windrow.index.generations import Generations
from windrow.index.protocol import Index
from windrow.index.tantivy.index_writer import TantivyWriter
from windrow.index.tantivy.live_index import LiveIndex
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Document, Subject, Text
from windrow.vocabularies.vocabulary_expansion import LibraryExpander

SUBJECTS: Mapping[int, tuple[str, ...]] = {
    1: ("Climate change",),
    2: ("SEA LEVEL RISE",),
    3: ("klimatförändring",),
    4: ("310",),
    5: ("Jäätiköiden sulaminen",),
    6: ("Finnish",),
    7: ("411",),
    8: ("vocabulary://topics/420",),
    9: ("climate",),
    10: ("Changes of climate change policy",),
}
BELOW_310 = {1, 2, 3, 4, 5}
BELOW_400 = {6, 7, 8}


class Expanding(LibraryExpander):
    """The expander of a library whose settings say nothing of the switch."""

    is_usual = True
    mark = ""


def entries(subjects: Mapping[int, tuple[str, ...]] = SUBJECTS) -> list[Entry]:
    return [
        Entry(
            number,
            "s",
            f"r{number}",
            (),
            Document(titles=(Text(f"Record {number}"),), subjects=tuple(map(Subject, found))),
        )
        for number, found in subjects.items()
    ]


def index_of(found: list[Entry], folder: Path, *, is_real: bool) -> Index:
    if not is_real:
        return MemoryIndex(found)
    generations = Generations(folder)
    name = generations.begin()
    writer = TantivyWriter(generations, name, is_new=True)
    writer.put(found)
    writer.commit(len(found))
    writer.close(is_settling=True)
    generations.make_current(name)
    return LiveIndex(folder)
