"""An empty library, and three hundred made-up theses in the oracle's index and in the real one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.oracle.entries import sample_entries
from tests.oracle.memory_index import MemoryIndex
from tests.unit.search.catalogue import Catalogue
from windrow.index.generations import Generations
from windrow.index.protocol import Index
from windrow.index.tantivy.index_writer import TantivyWriter
from windrow.index.tantivy.live_index import LiveIndex


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[Catalogue]:
    made = Catalogue(tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="session", params=["memory", "tantivy"])
def theses(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Index:
    entries = sample_entries(300)
    if request.param == "memory":
        return MemoryIndex(entries)
    folder = tmp_path_factory.mktemp("theses")
    generations = Generations(folder)
    name = generations.begin()
    writer = TantivyWriter(generations, name, is_new=True)
    writer.put(entries)
    writer.commit(len(entries))
    writer.close(is_settling=True)
    generations.make_current(name)
    return LiveIndex(folder)
