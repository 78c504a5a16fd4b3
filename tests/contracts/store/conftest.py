"""Every back end passes the same suite: `store` and what is built on it run once for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts.store.shelf import BACK_ENDS, BackEnd, Shelf
from windrow.store.store import Store


@pytest.fixture(params=BACK_ENDS, ids=lambda back_end: back_end.name)
def back_end(request: pytest.FixtureRequest) -> BackEnd:
    assert isinstance(request.param, BackEnd)
    return request.param


@pytest.fixture
def store(back_end: BackEnd, tmp_path: Path) -> Iterator[Store]:
    made = back_end.create(tmp_path)
    yield made
    made.close()


@pytest.fixture
def shelf(store: Store) -> Shelf:
    return Shelf(store)
