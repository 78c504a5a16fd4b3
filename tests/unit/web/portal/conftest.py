"""A portal over five records."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import Portal, staged, stock


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[Catalogue]:
    made = Catalogue(tmp_path)
    yield made
    made.close()


@pytest.fixture
def portal(tmp_path: Path, catalogue: Catalogue) -> Iterator[Portal]:
    stock(catalogue)
    with staged(tmp_path, catalogue) as served:
        yield served
