"""The thread that keeps the lists for crawlers true: at once, again after trouble, no longer than told."""

from __future__ import annotations

import logging
import threading

import pytest

from windrow.errors import Interrupted, StoreError
from windrow.harvest.keeping_leaves import LeafKeeper

WAIT_SECONDS = 30


class Steps:
    """What each look does, one after the other; after the last, the keeper is told to stop."""

    def __init__(self, *steps: int | Exception) -> None:
        self.stop = threading.Event()
        self.looks = 0
        self._steps = list(steps)

    def __call__(self) -> int:
        self.looks += 1
        step = self._steps.pop(0)
        if not self._steps:
            self.stop.set()
        if isinstance(step, Exception):
            raise step
        return step


def run(steps: Steps, *, is_once: bool = False) -> None:
    keeper = LeafKeeper(steps, stop=steps.stop, look_seconds=0.0, is_once=is_once)
    keeper.start()
    keeper.join(WAIT_SECONDS)
    assert not keeper.is_alive()


def test_it_looks_until_it_is_told_to_stop() -> None:
    steps = Steps(3, 0, 1)
    run(steps)
    assert steps.looks == 3


def test_it_looks_once_for_whoever_does_not_keep_the_library() -> None:
    steps = Steps(3, 0)
    run(steps, is_once=True)
    assert steps.looks == 1


def test_trouble_is_told_once_and_then_it_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR, logger="windrow.leaves")
    steps = Steps(StoreError("it is locked"), StoreError("it is locked"), 0, StoreError("it is locked"), 0)
    run(steps)
    assert steps.looks == 5
    assert [record.getMessage() for record in caplog.records].count(
        "the lists of all records are not up to date: it is locked"
    ) == 2


def test_it_ends_where_the_work_is_ended() -> None:
    steps = Steps(Interrupted("enough"), 0)
    run(steps)
    assert steps.looks == 1
