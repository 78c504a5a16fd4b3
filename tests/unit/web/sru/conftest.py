"""SRU over thirty records, for all tests that change none of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.sru.stage import Sru, staged, stock


@pytest.fixture(scope="session")
def sru(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sru]:
    folder = tmp_path_factory.mktemp("sru")
    catalogue = Catalogue(folder)
    stock(catalogue)
    with staged(folder, catalogue) as served:
        yield served
    catalogue.close()
