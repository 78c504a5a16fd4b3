"""The thread that refreshes records: rounds in good time, longer pauses after trouble, an end when told."""

from __future__ import annotations

import logging
import threading
from datetime import UTC, datetime

import pytest

from windrow.errors import Interrupted, SourceBusy, StoreError
from windrow.harvest.keeping_records import (
    BUSY_SECONDS,
    ROBOTS_SECONDS,
    ROUND_SECONDS,
    RecordKeeper,
)
from windrow.harvest.refreshing import ROBOTS
from windrow.model.run import Outcome, Problem, Run

WAIT_SECONDS = 30
NOW = datetime(2024, 6, 1, tzinfo=UTC)


def a_run(outcome: Outcome, *problems: Problem) -> Run:
    return Run(1, "hay", "refresh", NOW, NOW, outcome, problems=problems)


class Rounds:
    """A keeper over sources that always have something waiting, with a clock that a test turns."""

    def __init__(self, result: Run | Exception | None, *sources: str) -> None:
        self.result = result
        self.now = 1000.0
        self.made: list[str] = []
        self.stop = threading.Event()
        self.keeper = RecordKeeper(
            lambda: sources or ("hay",), self, stop=self.stop, look_seconds=0.0, monotonic=lambda: self.now
        )

    def __call__(self, source: str) -> Run | None:
        self.made.append(source)
        if isinstance(self.result, Exception):
            raise self.result
        return self.result

    def is_left_alone_for(self, seconds: float) -> bool:
        """Make a round that is due; say whether the next one is after so long and no sooner."""
        self.keeper.look()
        made = len(self.made)
        self.now += seconds - 1
        self.keeper.look()
        is_too_soon = len(self.made) > made
        self.now += 1
        return not is_too_soon


@pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.PARTIAL])
def test_after_a_round_wishes_gather_for_a_while(outcome: Outcome) -> None:
    rounds = Rounds(a_run(outcome))
    assert all(rounds.is_left_alone_for(ROUND_SECONDS) for _ in range(3))
    assert len(rounds.made) == 3


@pytest.mark.parametrize("trouble", [a_run(Outcome.FAILED), a_run(Outcome.SKIPPED), StoreError("no")])
def test_a_source_in_trouble_is_left_alone_for_longer_each_time(trouble: Run | Exception) -> None:
    rounds = Rounds(trouble)
    longest = 6 * 3600
    pauses = [min(ROUND_SECONDS * 2**step, longest) for step in range(9)]
    assert all(map(rounds.is_left_alone_for, pauses))
    assert len(rounds.made) == 9
    rounds.result = a_run(Outcome.OK)
    assert rounds.is_left_alone_for(ROUND_SECONDS)
    rounds.result = trouble
    assert rounds.is_left_alone_for(ROUND_SECONDS)
    assert len(rounds.made) == 11


@pytest.mark.parametrize("result", [SourceBusy("busy"), None])
def test_a_source_that_is_being_harvested_or_has_nothing_to_ask_for_is_tried_again_soon(
    result: Exception | None,
) -> None:
    rounds = Rounds(result)
    assert rounds.is_left_alone_for(BUSY_SECONDS)
    assert rounds.is_left_alone_for(BUSY_SECONDS)
    assert len(rounds.made) == 2


def test_a_provider_that_does_not_want_it_is_left_alone_for_a_day() -> None:
    rounds = Rounds(a_run(Outcome.PARTIAL, Problem(ROBOTS, "no robots")))
    assert rounds.is_left_alone_for(ROBOTS_SECONDS)
    assert rounds.is_left_alone_for(ROBOTS_SECONDS)
    assert len(rounds.made) == 2


def test_one_source_in_trouble_leaves_the_others_be() -> None:
    rounds = Rounds(StoreError("no"), "hay", "straw")
    rounds.keeper.look()
    assert rounds.made == ["hay", "straw"]


def test_nothing_is_begun_once_it_is_told_to_stop() -> None:
    rounds = Rounds(a_run(Outcome.OK), "hay", "straw")
    rounds.stop.set()
    rounds.keeper.look()
    assert rounds.made == []


@pytest.mark.parametrize("result", [Interrupted("stop"), RuntimeError("a defect"), StoreError("no"), None])
def test_the_thread_outlives_what_happens_and_ends_when_it_is_told(
    result: Exception | None, caplog: pytest.LogCaptureFixture
) -> None:
    rounds = Rounds(None)
    ended = threading.Event()

    def refresh(source: str) -> Run | None:
        rounds.made.append(source)
        if len(rounds.made) > 2:
            rounds.stop.set()
            ended.set()
        if result is not None:
            raise result
        return None

    def waiting() -> list[str]:
        rounds.now += ROBOTS_SECONDS
        return ["hay"]

    keeper = RecordKeeper(waiting, refresh, stop=rounds.stop, look_seconds=0.0, monotonic=lambda: rounds.now)
    with caplog.at_level(logging.ERROR):
        keeper.start()
        assert ended.wait(WAIT_SECONDS)
        keeper.join(WAIT_SECONDS)
    assert not keeper.is_alive()


def test_a_store_that_cannot_be_read_is_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    stop = threading.Event()
    looks: list[int] = []

    def waiting() -> list[str]:
        looks.append(1)
        if len(looks) == 3:
            stop.set()
        raise StoreError("disk")

    keeper = RecordKeeper(waiting, lambda source: None, stop=stop, look_seconds=0.0)
    with caplog.at_level(logging.WARNING, "windrow.refresh"):
        keeper.start()
        keeper.join(WAIT_SECONDS)
    assert len(looks) == 3
    assert [record.getMessage().strip() for record in caplog.records] == [
        "stale records are not refreshed: disk"
    ]
