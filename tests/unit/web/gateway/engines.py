"""One process that runs stylesheets, for all tests of a module: to start one takes longer than its work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.gateway.getrecord_stage import Desk, opened
from windrow.side_process import SideProcess
from windrow.web.gateway.stylesheets import JOB_TIMEOUT_SECONDS

CHILD = "windrow.web.gateway.stylesheet_child"


@pytest.fixture(scope="module")
def engine() -> Iterator[SideProcess]:
    made = SideProcess(CHILD, seconds=JOB_TIMEOUT_SECONDS * 6)  # these machines may be slow
    yield made
    made.close()


@pytest.fixture
def desk(tmp_path: Path, shelved: Catalogue, engine: SideProcess) -> Iterator[Desk]:
    with opened(tmp_path, shelved, engine) as served:
        yield served
