"""A gateway over six records of two sources, two on a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.gateway.engines import desk, engine  # noqa: F401 - fixtures
from tests.unit.web.gateway.shelves import Gateway, opened
from windrow.store.published import list_pages


@pytest.fixture
def shelved(tmp_path: Path) -> Iterator[Catalogue]:
    made = Catalogue(tmp_path)
    yield made
    made.close()


@pytest.fixture
def gateway(tmp_path: Path, shelved: Catalogue, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gateway]:
    monkeypatch.setattr(list_pages, "PAGE_RECORDS", 2)
    shelved.add("oai:hay.example:1", title="Hay in the meadow")
    shelved.add("oai:hay.example:a/b?c#d e", title="Odd & ends")
    shelved.add("oai:hay.example:3", creator="Mower, Ann")
    shelved.add("oai:oats.example:1", source="oats", title="Oats")
    shelved.add("oai:hay.example:4", title="Chaff")
    shelved.add("oai:hay.example:5", title="Straw")
    with opened(tmp_path, shelved) as served:
        served.follow()
        yield served
