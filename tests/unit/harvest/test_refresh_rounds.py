"""When stale records are refreshed: rounds in good time, longer pauses after trouble, an end when told."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest

from windrow.errors import Interrupted, SourceBusy, StoreError
from windrow.harvest.oai.record_refresh import (
    BUSY_SECONDS,
    ROBOTS,
    ROBOTS_SECONDS,
    ROUND_SECONDS,
    RefreshScheduler,
)
from windrow.model.run import Outcome, Problem, Run

NOW = datetime(2024, 6, 1, tzinfo=UTC)


def a_run(outcome: Outcome, *problems: Problem) -> Run:
    return Run(1, "hay", "refresh", NOW, NOW, outcome, problems=problems)


class Rounds:
    """Rounds of sources that always have something waiting, with a clock that a test turns."""

    def __init__(self, result: Run | Exception | None, *sources: str) -> None:
        self.result = result
        self.now = 1000.0
        self.made: list[str] = []
        self.stop = threading.Event()
        self.run_due = RefreshScheduler(
            lambda: sources or ("hay",), self, stop=self.stop, monotonic=lambda: self.now
        ).run_due

    def __call__(self, source: str) -> Run | None:
        self.made.append(source)
        if isinstance(self.result, Exception):
            raise self.result
        return self.result

    def is_left_alone_for(self, seconds: float) -> bool:
        """Make a round that is due; say whether the next one is after so long and no sooner."""
        self.run_due()
        made = len(self.made)
        self.now += seconds - 1
        self.run_due()
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
    rounds.run_due()
    assert rounds.made == ["hay", "straw"]


def test_nothing_is_begun_once_it_is_told_to_stop() -> None:
    rounds = Rounds(a_run(Outcome.OK), "hay", "straw")
    rounds.stop.set()
    rounds.run_due()
    assert rounds.made == []


@pytest.mark.parametrize("result", [Interrupted("stop"), RuntimeError("a defect"), StoreError("no"), None])
def test_whatever_a_round_comes_to_the_source_has_another_later(result: Exception | None) -> None:
    rounds = Rounds(result)
    for _ in range(3):
        rounds.run_due()
        rounds.now += ROBOTS_SECONDS
    assert rounds.made == ["hay"] * 3
