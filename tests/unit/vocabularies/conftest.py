"""An empty store, and one with a small vocabulary of topics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.vocabularies.library import entries, index_of
from tests.unit.vocabularies.shelf import vocabulary
from windrow.index.protocol import Index
from windrow.store.store import Store, create_store
from windrow.vocabularies.vocabulary_view import VocabularyView


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    folder = tmp_path / "library"
    folder.mkdir()
    made = create_store(folder)
    yield made
    made.close()


@pytest.fixture
def topics(store: Store, tmp_path: Path) -> VocabularyView:
    return vocabulary(store, tmp_path)


@pytest.fixture(params=["memory", "tantivy"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Index:
    return index_of(entries(), tmp_path / "index", is_real=request.param == "tantivy")
