"""A portal over five records."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.faces.portal.stage import Portal, staged, stock
from tests.unit.finding.catalogue import Catalogue


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
