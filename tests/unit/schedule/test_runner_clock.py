"""The runner where the machine's clock is put back: nobody waits for a time that was never meant."""

from __future__ import annotations

from pathlib import Path

from tests.unit.schedule.stage import BEGINNING, HOUR, Stage, job, staged

START = BEGINNING.timestamp()
TEN_YEARS = 10 * 366 * 24 * HOUR


def put_clock(stage: Stage, seconds: float) -> None:
    """Put the clock forward, or back; nobody slept longer than that for it."""
    stage.clock.now += seconds
    stage.slept += seconds


def test_a_job_does_not_wait_for_a_wrong_year_once_the_clock_is_right(tmp_path: Path) -> None:
    with staged(tmp_path, job()) as stage:
        put_clock(stage, TEN_YEARS)
        stage.settle()
        assert stage.state("hourly").due == START + TEN_YEARS + HOUR
        put_clock(stage, -TEN_YEARS)
        stage.settle()
        assert stage.state("hourly").due == START + HOUR
        stage.pass_time(2 * HOUR)
        assert [run.due - START for run in stage.runs()][-2:] == [HOUR, 2 * HOUR]


def test_a_runner_that_begins_after_the_clock_was_put_right_finds_nothing_too_far_ahead(
    tmp_path: Path,
) -> None:
    with staged(tmp_path, job()) as stage:
        put_clock(stage, TEN_YEARS)
        stage.settle()
        put_clock(stage, -TEN_YEARS)
        stage.hire("two").poll()
        assert stage.state("hourly").due == START + HOUR


def test_a_clock_put_back_by_a_minute_lets_nothing_run_twice(tmp_path: Path) -> None:
    with staged(tmp_path, job()) as stage:
        stage.pass_time(HOUR)
        put_clock(stage, -60.0)
        stage.pass_time(HOUR - 60)
        assert [run.due - START for run in stage.runs()] == [HOUR]
        stage.pass_time(180)
        assert [run.due - START for run in stage.runs()] == [HOUR, 2 * HOUR]


def test_a_dead_runner_s_lease_from_a_wrong_year_is_taken_over(tmp_path: Path) -> None:
    with staged(tmp_path, job()) as stage:
        stage.codes = lambda _job, _taken: None
        put_clock(stage, TEN_YEARS)
        stage.settle()
        put_clock(stage, -TEN_YEARS)
        stage.codes = lambda _job, _taken: 0
        other = stage.hire("two")
        other.poll()
        stage.clock.now += HOUR
        stage.settle(other)
        assert [each for each in stage.outcomes() if each != "missed"] == ["lost", "ok"]
        assert stage.state("hourly").due == START + 2 * HOUR
