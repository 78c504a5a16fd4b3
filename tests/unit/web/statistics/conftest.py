"""One engine that draws for all the tests here: to start it takes longer than most of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.web.statistics.stage import Stage, staged
from windrow.stats.charts.drawing import Drawer


@pytest.fixture(scope="session")
def drawer() -> Iterator[Drawer]:
    made = Drawer()
    yield made
    made.engine.close()


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory, drawer: Drawer) -> Iterator[Stage]:
    folder: Path = tmp_path_factory.mktemp("library")
    with staged(folder, drawer) as served:
        yield served
