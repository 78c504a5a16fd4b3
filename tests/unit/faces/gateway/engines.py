"""One process that runs stylesheets, for all tests of a module: to start one takes longer than its work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.faces.gateway.getrecord_stage import Desk, opened
from tests.unit.finding.catalogue import Catalogue
from windrow.faces.gateway.styling import JOB_SECONDS
from windrow.side_process import SideProcess

CHILD = "windrow.faces.gateway.styling_child"


@pytest.fixture(scope="module")
def engine() -> Iterator[SideProcess]:
    made = SideProcess(CHILD, seconds=JOB_SECONDS * 6)  # these machines may be slow
    yield made
    made.close()


@pytest.fixture
def desk(tmp_path: Path, shelved: Catalogue, engine: SideProcess) -> Iterator[Desk]:
    with opened(tmp_path, shelved, engine) as served:
        yield served
