"""The runner on a controlled clock: due times, overlap, missed runs, retries, limits, the end."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.schedule.stage import BEGINNING, HOUR, LEASE, job, staged
from windrow.errors import NotFound, SourceBusy, StoreError
from windrow.model.job_state import JobOutcome
from windrow.schedule.job_claims import MAX_LOSSES, FinishedRun, JobClaims
from windrow.schedule.job_process import boot_time
from windrow.schedule.job_runner import JobRunner
from windrow.schedule.scheduled_job import Job
from windrow.store import jobs as stored
from windrow.store.jobs import ClaimedJob
from windrow.store.leases import Claim

START = BEGINNING.timestamp()


def test_a_job_runs_when_it_is_due_and_not_before(tmp_path: Path) -> None:
    with staged(tmp_path, job()) as stage:
        stage.pass_time(HOUR - 1)
        assert stage.runs() == []
        stage.pass_time(1)
        (run,) = stage.runs()
        assert (run.due, run.started, run.outcome, run.code) == (START + HOUR, START + HOUR, "ok", 0)
        assert stage.state("hourly").due == START + 2 * HOUR


def test_what_it_runs_is_the_command_of_the_job(tmp_path: Path) -> None:
    with staged(tmp_path, job(command=("index", "--rebuild"))) as stage:
        stage.pass_time(HOUR)
        assert [child.job.command for child in stage.children] == [("index", "--rebuild")]


@pytest.mark.parametrize(
    ("code", "outcome"),
    [(0, "ok"), (3, "partial"), (1, "failed"), (2, "failed"), (-9, "failed"), (130, "interrupted")],
)
def test_the_exit_code_says_how_it_ended(tmp_path: Path, code: int, outcome: str) -> None:
    with staged(tmp_path, job()) as stage:
        stage.codes = lambda _job, _taken: code
        stage.pass_time(HOUR)
        assert stage.outcomes() == [outcome]
        assert stage.state("hourly").due == START + 2 * HOUR, "whatever happened, the schedule stays"


def test_a_jitter_is_the_same_every_time_it_is_asked_for(tmp_path: Path) -> None:
    nervous = job(jitter_seconds=600.0)
    with staged(tmp_path, nervous) as stage:
        begun = stage.state("hourly").at
        assert begun == nervous.begin_at(START + HOUR)
        assert START + HOUR < begun < START + HOUR + 600
        assert (
            begun - START - HOUR != job("other", jitter_seconds=600.0).begin_at(START + HOUR) - START - HOUR
        )
        stage.pass_time(begun - START - 1, step=1e9)
        assert stage.runs() == []
        stage.pass_time(1)
        assert [run.due for run in stage.runs()] == [START + HOUR]


def test_no_more_jobs_run_at_once_than_allowed(tmp_path: Path) -> None:
    with staged(tmp_path, job("a"), job("b"), job("c")) as stage:
        stage.codes = lambda _job, _taken: None
        stage.clock.now += HOUR
        stage.settle()
        assert [child.job.name for child in stage.children] == ["a", "b"]
        stage.children[0].code = 0
        stage.settle()
        assert [child.job.name for child in stage.children] == ["a", "b", "c"]


def test_a_time_that_passes_while_it_runs_is_left_out_and_said(tmp_path: Path) -> None:
    with staged(tmp_path, job()) as stage:
        stage.codes = lambda _job, _taken: None
        stage.pass_time(HOUR)
        stage.pass_time(2 * HOUR + 60)
        assert stage.outcomes() == ["under way"]
        stage.children[0].code = 0
        stage.settle()
        assert stage.outcomes() == ["ok", "missed"]
        said = stage.runs()[1]
        assert (said.due, said.summary) == (
            START + 3 * HOUR,
            "2 due times passed while the run before was still under way",
        )
        assert stage.state("hourly").due == START + 4 * HOUR


def test_a_queued_time_that_passes_while_it_runs_is_made_up_for_once_right_after(tmp_path: Path) -> None:
    with staged(tmp_path, job(overlap="queue")) as stage:
        stage.codes = lambda _job, taken: None if taken.due == START + HOUR else 0
        stage.pass_time(HOUR)
        stage.pass_time(2 * HOUR + 60)
        stage.children[0].code = 0
        stage.settle()
        assert [(run.due, str(run.outcome)) for run in stage.runs()] == [
            (START + HOUR, "ok"),
            (START + 2 * HOUR, "missed"),
            (START + 3 * HOUR, "ok"),
        ]
        assert stage.state("hourly").due == START + 4 * HOUR


def test_runs_missed_while_the_machine_was_off_are_caught_up_once(tmp_path: Path) -> None:
    with staged(tmp_path, job()) as stage:
        stage.clock.now += 7 * 24 * HOUR + 60
        stage.settle()
        assert [(run.due - START) / HOUR for run in stage.runs() if run.outcome == "ok"] == [168]
        (said,) = [run for run in stage.runs() if run.outcome == "missed"]
        assert said.summary == "167 due times passed while nothing ran; caught up once"
        assert stage.state("hourly").due == START + 169 * HOUR


def test_a_job_that_does_not_catch_up_waits_for_its_next_time(tmp_path: Path) -> None:
    with staged(tmp_path, job(catches_up=False)) as stage:
        stage.clock.now += 5 * HOUR + 600
        stage.settle()
        assert stage.children == []
        (said,) = stage.runs()
        assert (said.outcome, said.summary) == ("missed", "5 due times passed while nothing ran; left out")
        assert stage.state("hourly").failing_since is None
        stage.pass_time(HOUR - 600)
        assert stage.outcomes() == ["missed", "ok"]


def test_a_job_that_does_not_catch_up_runs_when_it_is_only_a_little_late(tmp_path: Path) -> None:
    with staged(tmp_path, job(catches_up=False)) as stage:
        stage.clock.now += HOUR + 200
        stage.settle()
        assert stage.outcomes() == ["ok"]


def test_a_machine_off_for_years_is_no_long_search(tmp_path: Path) -> None:
    asked = []

    class Minutely:
        def after(self, moment: object) -> object:
            asked.append(moment)
            return job(seconds=60).times.after(moment)  # type: ignore[arg-type]

    with staged(tmp_path, job(times=Minutely())) as stage:
        asked.clear()
        stage.clock.now += 30 * 366 * 24 * HOUR
        stage.settle()
        assert [run.outcome for run in stage.runs()] == ["ok", "missed"]
        assert stage.runs()[1].summary.startswith("1,000 or more due times passed while nothing ran")
        assert len(asked) < 1200


def test_a_failure_is_tried_again_after_a_pause_that_doubles(tmp_path: Path) -> None:
    with staged(tmp_path, job(attempts=3, backoff_seconds=300.0)) as stage:
        stage.codes = lambda _job, taken: 1 if taken.attempt < 3 else 0
        stage.pass_time(2 * HOUR - 60)
        assert [(run.started - START - HOUR, run.attempt, str(run.outcome)) for run in stage.runs()] == [
            (0, 1, "failed"),
            (300, 2, "failed"),
            (900, 3, "ok"),
        ]
        assert [run.due for run in stage.runs()] == [START + HOUR] * 3
        assert [finished.is_final for finished in stage.finished] == [False, False, True]
        assert stage.state("hourly").failing_since is None


def test_when_all_attempts_failed_the_run_has_failed_and_the_schedule_goes_on(tmp_path: Path) -> None:
    with staged(tmp_path, job(attempts=2, backoff_seconds=300.0)) as stage:
        stage.codes = lambda _job, _taken: 1
        stage.pass_time(2 * HOUR - 60)
        assert [run.retry_at for run in stage.runs()] == [START + HOUR + 300, None]
        found = stage.state("hourly")
        assert (found.failures, found.failing_since) == (1, START + HOUR + 300)
        assert (found.due, found.attempt) == (START + 2 * HOUR, 0)
        stage.codes = lambda _job, _taken: 0
        stage.pass_time(60)
        assert (stage.state("hourly").failures, stage.state("hourly").failing_since) == (0, None)


def test_an_attempt_that_would_come_after_the_next_time_is_not_made(tmp_path: Path) -> None:
    with staged(tmp_path, job(attempts=5, backoff_seconds=2 * HOUR)) as stage:
        stage.codes = lambda _job, _taken: 1
        stage.pass_time(HOUR)
        (run,) = stage.runs()
        assert run.retry_at is None
        assert stage.state("hourly").due == START + 2 * HOUR


def test_to_be_asked_to_come_later_is_tried_again_and_is_no_failure(tmp_path: Path) -> None:
    with staged(tmp_path, job(attempts=1, backoff_seconds=60.0)) as stage:
        stage.codes = lambda _job, _taken: 75
        stage.pass_time(2 * HOUR - 60)
        assert [run.started - START - HOUR for run in stage.runs()] == [0, 60, 180, 420, 900, 1860]
        assert set(stage.outcomes()) == {"skipped"}
        assert {run.attempt for run in stage.runs()} == {1}
        assert stage.state("hourly").failures == 0


def test_a_run_that_takes_too_long_is_stopped_and_then_killed(tmp_path: Path) -> None:
    with staged(tmp_path, job(limit_seconds=600.0)) as stage:
        stage.codes = lambda _job, _taken: None
        stage.pass_time(HOUR)
        child = stage.children[0]
        child.heeds = False
        stage.pass_time(599, step=1)
        assert child.told == []
        stage.pass_time(1)
        assert child.told == ["stop"]
        stage.pass_time(29, step=1)
        assert child.told == ["stop"]
        stage.pass_time(1)
        assert child.told == ["stop", "kill"]
        (run,) = stage.runs()
        assert (run.outcome, run.summary) == ("failed", "stopped after 600 s, its time limit")


def test_the_last_words_of_a_run_are_its_summary(tmp_path: Path) -> None:
    with staged(tmp_path, job()) as stage:
        stage.codes = lambda _job, _taken: None
        stage.pass_time(HOUR)
        child = stage.children[0]
        child.words = "one\nerror: theseus did not answer\x1b[0m\n       Check the address.\n\n"
        child.code = 1
        stage.settle()
        assert stage.runs()[0].summary == "theseus did not answer[0m"


def test_a_run_that_cannot_be_begun_has_failed(tmp_path: Path) -> None:
    def refuse(_job: object, _taken: object) -> int:
        raise OSError("no more processes")

    with staged(tmp_path, job()) as stage:
        stage.codes = refuse
        stage.pass_time(HOUR)
        (run,) = stage.runs()
        assert (run.outcome, run.summary) == ("failed", "could not be begun: no more processes")


def test_a_long_run_keeps_its_lease(tmp_path: Path) -> None:
    with staged(tmp_path, job()) as stage:
        stage.codes = lambda _job, _taken: None
        other = stage.hire("two")
        stage.pass_time(HOUR)
        for _ in range(60):
            stage.pass_time(LEASE / 2, step=LEASE / 4)
            other.poll()
        assert len(stage.children) == 1
        child = stage.children[0]
        assert len(child.kept) > 100
        deadline, grace = child.kept[-1]
        assert deadline + grace < boot_time() + LEASE, "it is gone before anybody may take over"


def test_a_killed_runner_s_job_is_taken_over_and_its_late_end_refused(tmp_path: Path) -> None:
    with staged(tmp_path, job()) as stage:
        stage.codes = lambda _job, _taken: None
        stage.pass_time(HOUR)
        other = stage.hire("two")
        stage.clock.now += LEASE - 1
        other.poll()
        assert len(stage.children) == 1
        stage.clock.now += 1
        other.poll()
        late, second = stage.children
        late.code = 0
        stage.runner.poll()
        assert stage.outcomes() == ["lost", "under way"]
        assert stage.finished == []
        second.code = 0
        other.poll()
        assert stage.outcomes() == ["lost", "ok"]
        assert [run.due for run in stage.runs()] == [START + HOUR] * 2
        assert not stage.runner.is_busy


def test_a_runner_that_finds_its_lease_taken_over_kills_its_child(tmp_path: Path) -> None:
    with staged(tmp_path, job()) as stage:
        stage.codes = lambda _job, _taken: None
        stage.pass_time(HOUR)
        stage.clock.now += LEASE
        stage.hire("two").poll()
        stage.runner.poll()
        assert stage.children[0].told == ["kill"]
        assert not stage.runner.is_busy
        assert stage.outcomes() == ["lost", "under way"]


def test_a_job_that_kills_every_runner_counts_as_failed_in_the_end(tmp_path: Path) -> None:
    with staged(tmp_path, job()) as stage:
        stage.codes = lambda _job, _taken: None
        stage.clock.now += HOUR
        for number in range(MAX_LOSSES + 1):
            stage.hire(f"runner {number}").poll()
            stage.clock.now += LEASE
        stage.settle()
        assert stage.outcomes() == ["lost"] * MAX_LOSSES + ["failed"]
        assert "given up: 5 runners in a row" in stage.runs()[-1].summary
        assert [done.run.outcome for done in stage.finished] == ["failed"], "people are told"
        assert stage.state("hourly").due == START + 2 * HOUR


def test_a_run_that_stopped_because_its_lease_was_not_kept_is_begun_again_and_is_no_failure(
    tmp_path: Path,
) -> None:
    with staged(tmp_path, job(attempts=1)) as stage:
        stage.codes = lambda _job, _taken: None
        stage.pass_time(HOUR)
        stage.runner._running[0].deadline = boot_time() - 1  # as the process itself has found
        stage.children[0].code = -15
        stage.codes = lambda _job, _taken: 0
        stage.settle()
        assert [(run.outcome, run.due, run.attempt) for run in stage.runs()] == [
            ("interrupted", START + HOUR, 1),
            ("ok", START + HOUR, 1),
        ]
        assert stage.state("hourly").failures == 0


def test_after_a_sleep_of_the_machine_runners_keep_their_leases_before_others_take_over(
    tmp_path: Path,
) -> None:
    with staged(tmp_path, job("a"), job("b")) as stage:
        stage.codes = lambda found, _taken: None if found.name == "a" else 0
        other = stage.hire("two")
        stage.clock.now += HOUR
        stage.settle()
        other.poll()
        stage.clock.now += 8 * HOUR
        stage.slept = 8 * HOUR
        other.poll()
        assert [child.job.name for child in stage.children] == ["a", "b", "b"], "what is free is taken"
        stage.runner.poll()
        stage.clock.now += LEASE / 2
        stage.runner.poll()
        other.poll()
        assert [child.job.name for child in stage.children].count("a") == 1
        stage.clock.now += 2 * LEASE
        other.poll()
        assert [child.job.name for child in stage.children].count("a") == 2, "now it was not kept"


def test_a_runner_does_not_take_its_own_run_over_after_a_sleep(tmp_path: Path) -> None:
    with staged(tmp_path, job()) as stage:
        stage.codes = lambda _job, _taken: None
        stage.clock.now += HOUR
        stage.runner.poll()
        stage.clock.now += 8 * HOUR
        stage.slept = 8 * HOUR
        stage.settle()
        assert stage.outcomes() == ["under way"]


def test_a_runner_told_to_stop_gives_its_jobs_back_to_be_gone_on_with(tmp_path: Path) -> None:
    with staged(tmp_path, job(attempts=1)) as stage:
        stage.codes = lambda _job, _taken: None
        stage.pass_time(HOUR)
        stage.runner.stop()
        stage.runner.run()
        assert stage.children[0].told == ["stop"]
        assert stage.outcomes() == ["interrupted"]
        found = stage.state("hourly")
        assert (found.due, found.at, found.failures) == (START + HOUR, stage.clock.now, 0)
        stage.codes = lambda _job, _taken: 0
        stage.settle(stage.hire("two"))
        assert stage.outcomes() == ["interrupted", "ok"]


Run = Callable[[JobRunner], object]
EACH_WAY_TO_RUN = pytest.mark.parametrize(
    "run",
    [JobRunner.run, JobRunner.run_all_due, lambda runner: runner.run_named("hourly")],
    ids=["all the time", "all that is due", "by name"],
)


@EACH_WAY_TO_RUN
def test_ctrl_c_interrupts_what_runs_and_gives_the_job_back(tmp_path: Path, run: Run) -> None:
    with staged(tmp_path, job(attempts=1)) as stage:
        stage.clock.now += HOUR

        def press(_job: Job, _taken: ClaimedJob) -> None:
            stage.presses = 1

        stage.codes = press
        with pytest.raises(KeyboardInterrupt):
            run(stage.runner)
        assert [child.told for child in stage.children] == [["stop"]]
        assert stage.outcomes() == ["interrupted"]
        assert stage.state("hourly").running is None
        stage.codes = lambda _job, _taken: 0
        assert stage.hire("two").run_named("hourly") is not None
        assert stage.outcomes() == ["interrupted", "ok"]


@EACH_WAY_TO_RUN
def test_ctrl_c_at_the_start_of_a_run_interrupts_it_and_gives_the_job_back(tmp_path: Path, run: Run) -> None:
    with staged(tmp_path, job(attempts=1)) as stage:
        stage.clock.now += HOUR

        def press(_job: Job, _taken: ClaimedJob) -> None:
            raise KeyboardInterrupt

        stage.codes = press
        with pytest.raises(KeyboardInterrupt):
            run(stage.runner)
        assert stage.outcomes() == ["interrupted"]
        assert stage.state("hourly").running is None


@EACH_WAY_TO_RUN
def test_a_defect_at_the_start_of_a_run_is_its_failure_and_gives_the_job_back(
    tmp_path: Path, run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    with staged(tmp_path, job(attempts=1)) as stage, caplog.at_level(logging.ERROR):
        stage.clock.now += HOUR

        def fail(_job: Job, _taken: ClaimedJob) -> None:
            stage.runner.stop()
            raise ZeroDivisionError("by nothing")

        stage.codes = fail
        run(stage.runner)
        (ended,) = stage.runs()
        assert (ended.outcome, ended.summary) == (
            "failed",
            "could not be begun: ZeroDivisionError('by nothing')",
        )
        assert stage.state("hourly").running is None
    assert caplog.messages == ["hourly could not be begun: by nothing"]


def test_an_end_that_the_store_does_not_take_is_stored_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    finish, refusals = JobClaims.finish, 2

    def refuse(self: JobClaims, *args: Any, **changes: Any) -> FinishedRun | None:
        nonlocal refusals
        if refusals:
            refusals -= 1
            raise StoreError("the disk is full")
        return finish(self, *args, **changes)

    monkeypatch.setattr(JobClaims, "finish", refuse)
    with staged(tmp_path, job()) as stage, caplog.at_level(logging.ERROR):
        stage.codes = lambda _job, _taken: 3
        done = stage.hire("two", lease_seconds=0.1).run_named("hourly")
        assert done is not None
        assert (done.run.outcome, stage.outcomes()) == ("partial", ["partial"])
    assert caplog.messages == ["the end of a run cannot be stored: the disk is full"]


def test_an_end_that_the_store_never_takes_is_an_error_and_the_run_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with staged(tmp_path, job(attempts=1)) as stage:

        def refuse(*_: object, **__: object) -> None:
            stage.clock.now += 1
            raise StoreError("the disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(JobClaims, "finish", refuse)
            with pytest.raises(StoreError, match="the disk is full"):
                stage.hire("two", lease_seconds=0.1).run_named("hourly")
        assert stage.outcomes() == ["under way"]
        stage.pass_time(HOUR)
        assert stage.outcomes() == ["lost", "ok"], "the lease has expired"


def test_a_job_of_the_host_s_scheduler_runs_by_name_only(tmp_path: Path) -> None:
    with staged(tmp_path, job(is_hosted=True)) as stage:
        stage.pass_time(2 * HOUR)
        assert stage.runs() == []
        done = stage.runner.run_named("hourly")
        assert done is not None
        assert (done.run.outcome, done.run.due) == ("ok", START + HOUR)
        assert stage.state("hourly").due == START + 3 * HOUR


def test_a_run_that_somebody_asks_for_leaves_the_schedule_as_it_is(tmp_path: Path) -> None:
    with staged(tmp_path, job(attempts=3)) as stage:
        stage.codes = lambda _job, _taken: 1
        stage.clock.now += 600
        done = stage.runner.run_named("hourly")
        assert done is not None
        assert (done.run.outcome, done.run.due, done.is_final) == ("failed", START + 600, True)
        assert (stage.state("hourly").due, stage.state("hourly").attempt) == (START + HOUR, 0)


def test_a_run_by_name_while_another_runs_it_says_who(tmp_path: Path) -> None:
    with staged(tmp_path, job()) as stage:
        stage.codes = lambda _job, _taken: None
        stage.pass_time(HOUR)
        with pytest.raises(SourceBusy, match=r"elsewhere\.example \(one\)"):
            stage.hire("two").run_named("hourly")
        with pytest.raises(NotFound, match="no job 'unheard-of'"):
            stage.hire("two").run_named("unheard-of")


def test_settings_changed_meanwhile_are_followed(tmp_path: Path) -> None:
    with staged(tmp_path, job()) as stage:
        stage.jobs = {"hourly": job(seconds=2 * HOUR), "new": job("new", 600.0)}
        stage.pass_time(HOUR)
        assert {run.job for run in stage.runs()} == {"new"}
        stage.pass_time(HOUR)
        assert [run.due for run in stage.runs("hourly")] == [START + 2 * HOUR]
        stage.jobs = {}
        stage.pass_time(HOUR)
        assert stage.runner.poll() > 0
        assert len(stage.runs("hourly")) == 1


def test_a_job_that_is_in_the_store_only_is_dropped_and_not_run(tmp_path: Path) -> None:
    with staged(tmp_path, job()) as stage:
        with stage.store.writing() as connection:
            row = stored.ScheduledJob("stray", "x", START, START)
            stored.sync(connection, [job().scheduled(START), row])
        stage.settle()
        assert stage.runs() == []
        with stage.store.reading() as connection:
            assert [found.name for found in stored.list_states(connection, now=START)] == ["hourly"]


def test_what_runs_all_due_ends_when_nothing_is_left(tmp_path: Path) -> None:
    with staged(tmp_path, job("a"), job("b"), job("c"), job("later", 9 * HOUR)) as stage:
        stage.clock.now += HOUR
        stage.hire("once", most=1).run_all_due()
        assert [run.job for run in stage.runs()] == ["a", "b", "c"]
        assert stage.outcomes() == [JobOutcome.OK] * 3


def test_a_look_that_finds_nothing_waits_for_the_next_time_but_a_second_at_most(tmp_path: Path) -> None:
    with staged(tmp_path, job()) as stage:
        assert stage.runner.poll() == 1.0
        stage.clock.now += HOUR - 0.25
        assert stage.runner.poll() == pytest.approx(0.25)


def test_two_runners_never_run_one_job_at_once(tmp_path: Path) -> None:
    with staged(tmp_path, *(job(f"j{number}") for number in range(20))) as stage:
        stage.codes = lambda _job, _taken: None
        runners = [stage.hire(f"runner {number}", most=8) for number in range(3)]
        stage.clock.now += HOUR
        for runner in runners:
            runner.poll()
        assert sorted(child.job.name for child in stage.children) == sorted(f"j{n}" for n in range(20))


def test_a_claim_of_an_unknown_machine_is_not_taken_for_a_living_one(tmp_path: Path) -> None:
    with staged(tmp_path, job()) as stage:
        stage.clock.now += HOUR
        with stage.store.writing() as connection:
            gone = Claim("gone", 1, "elsewhere.example", "1")
            assert stored.take(connection, claim=gone, now=stage.clock.now, lease_seconds=LEASE)
        stage.clock.now += LEASE
        stage.settle()
        assert stage.outcomes() == ["lost", "ok"]
