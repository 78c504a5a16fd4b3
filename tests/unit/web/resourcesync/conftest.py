"""A catalogue that is closed in the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[Catalogue]:
    """An empty library."""
    made = Catalogue(tmp_path)
    yield made
    made.close()
