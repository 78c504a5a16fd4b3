"""The thread that keeps the index true: it looks at once, goes on after trouble, and ends when it is told."""

from __future__ import annotations

import logging
import threading

import pytest

from windrow.errors import Interrupted, StoreError
from windrow.harvest.keeping_index import IndexKeeper
from windrow.index.feeder import Fed

WAIT_SECONDS = 30
AT_ONCE = 0.0


class Steps:
    """What each look does, one after the other; after the last, the keeper is told to stop."""

    def __init__(self, *steps: Fed | Exception) -> None:
        self.stop = threading.Event()
        self.looks = 0
        self._steps = list(steps)

    def __call__(self) -> Fed:
        self.looks += 1
        step = self._steps.pop(0)
        if not self._steps:
            self.stop.set()
        if isinstance(step, Exception):
            raise step
        return step


def run(steps: Steps) -> None:
    keeper = IndexKeeper(steps, stop=steps.stop, look_seconds=AT_ONCE)
    keeper.start()
    keeper.join(WAIT_SECONDS)
    assert not keeper.is_alive()


def test_it_looks_again_and_again_until_it_is_told_to_stop(caplog: pytest.LogCaptureFixture) -> None:
    steps = Steps(Fed(is_built=True, reason="there was none"), Fed(), Fed(is_busy=True), Fed())
    with caplog.at_level(logging.INFO, "windrow.index"):
        run(steps)
    assert steps.looks == 4
    assert [record.getMessage() for record in caplog.records] == ["the index was built: there was none"]


@pytest.mark.parametrize("first", [Fed(), Fed(is_busy=True), StoreError("disk")])
def test_it_looks_a_single_time_if_that_is_wanted(first: Fed | Exception) -> None:
    steps = Steps(first, Fed())
    keeper = IndexKeeper(steps, stop=steps.stop, look_seconds=AT_ONCE, is_once=True)
    keeper.start()
    keeper.join(WAIT_SECONDS)
    assert (keeper.is_alive(), steps.looks) == (False, 1)


def test_trouble_is_told_once_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    steps = Steps(StoreError("disk"), StoreError("disk"), ValueError("odd"), Fed(), StoreError("disk"), Fed())
    run(steps)
    assert steps.looks == 6
    told = [record.getMessage().strip() for record in caplog.records]
    assert told == [
        "the index is not up to date: disk",
        "the index is not up to date",
        "the index is not up to date: disk",
    ]


def test_an_interrupted_look_is_the_last() -> None:
    steps = Steps(Interrupted("stop"), Fed())
    run(steps)
    assert steps.looks == 1
