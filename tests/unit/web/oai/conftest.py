"""An empty library with the sources `hay` and `oats`, neither of them harvested yet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.web.oai.holdings import Holdings


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Holdings]:
    made = Holdings(tmp_path)
    yield made
    made.close()
