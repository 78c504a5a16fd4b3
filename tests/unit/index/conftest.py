"""A library for each test that wants one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.index.grain import Grain, grain_in


@pytest.fixture
def grain(tmp_path: Path) -> Iterator[Grain]:
    with grain_in(tmp_path) as made:
        yield made
