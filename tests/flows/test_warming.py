"""What draws charts is started by a server before anybody asks for one, where there is something to draw."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest

from tests.flows.serving import stocked
from windrow.stats.charts.drawing import Engine
from windrow.wiring import create_library, open_library, web_application
from windrow.wiring.indexing import follow_index
from windrow.wiring.web_application import warm_up


class Noting(Engine):
    """Notes that it was asked for something, and does nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = Event()

    def ask(self, **job: object) -> bytes:
        assert job["do"] == "svg"
        self.asked.set()
        return b"<svg/>"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_application, "STALENESS_GRACE_SECONDS", 0.0)


def test_a_library_with_records_has_its_engine_started(tmp_path: Path) -> None:
    folder = stocked(tmp_path / "library", records=3).folder
    opened = open_library(str(folder), environ={})
    follow_index(opened)
    opened.drawer.engine = engine = Noting()
    warm_up(opened)
    assert engine.asked.wait(30)
    opened.close()


def test_an_empty_library_has_not(tmp_path: Path) -> None:
    opened = open_library(str(create_library(tmp_path / "library")), environ={})
    opened.drawer.engine = engine = Noting()
    warm_up(opened).join()
    assert not engine.asked.is_set()
    opened.close()
