"""The thread that keeps something true: it looks at once, goes on after trouble, and ends when it is told."""

from __future__ import annotations

import threading

import pytest

from windrow.errors import Interrupted, StoreError
from windrow.harvest.background_threads import PeriodicThread

WAIT_SECONDS = 30


class Steps:
    """What each look does, one after the other; after the last, the keeper is told to stop."""

    def __init__(self, *steps: Exception | None) -> None:
        self.stop = threading.Event()
        self.looks = 0
        self._steps = list(steps)

    def __call__(self) -> None:
        self.looks += 1
        step = self._steps.pop(0)
        if not self._steps:
            self.stop.set()
        if step is not None:
            raise step


def run(steps: Steps, *, is_once: bool = False) -> None:
    keeper = PeriodicThread(
        steps, name="hay", trouble="the hay is wet", stop=steps.stop, check_seconds=0.0, is_once=is_once
    )
    keeper.start()
    keeper.join(WAIT_SECONDS)
    assert not keeper.is_alive()


def test_it_looks_again_and_again_until_it_is_told_to_stop() -> None:
    steps = Steps(None, None, None)
    run(steps)
    assert steps.looks == 3


@pytest.mark.parametrize("first", [None, StoreError("disk"), ValueError("odd")])
def test_it_looks_a_single_time_if_that_is_wanted(first: Exception | None) -> None:
    steps = Steps(first, None)
    run(steps, is_once=True)
    assert steps.looks == 1


def test_trouble_is_told_once_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    steps = Steps(StoreError("disk"), StoreError("disk"), ValueError("odd"), None, StoreError("disk"), None)
    run(steps)
    assert steps.looks == 6
    told = [record.getMessage().strip() for record in caplog.records]
    assert told == ["the hay is wet: disk", "the hay is wet", "the hay is wet: disk"]


def test_an_interrupted_look_is_the_last() -> None:
    steps = Steps(Interrupted("stop"), None)
    run(steps)
    assert steps.looks == 1
