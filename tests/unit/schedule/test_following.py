"""The jobs of windrow.toml, followed while the file changes, and a runner whose store fails now and then."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.unit.schedule.stage import HOUR, job, staged
from windrow.errors import ConfigError, StoreError
from windrow.schedule.job_claims import FinishedRun, JobClaims
from windrow.schedule.job_runner import JobRunner
from windrow.schedule.scheduled_job import Job, JobsFile
from windrow.store.jobs import ClaimedJob
from windrow.store.leases import own_claim

WAIT_SECONDS = 60


class File:
    """A file with the names of jobs; "wrong" is a mistake."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.reads = 0
        self.write("one")

    def write(self, text: str) -> None:
        aside = self.path.with_suffix(".new")
        aside.write_text(text)
        aside.replace(self.path)

    def read(self) -> Mapping[str, Job]:
        self.reads += 1
        names = self.path.read_text().split()
        if "wrong" in names:
            raise ConfigError("line 1 is wrong")
        return {name: job(name) for name in names}


def test_the_file_is_read_again_only_when_it_has_changed(tmp_path: Path) -> None:
    file = File(tmp_path / "jobs")
    follow = JobsFile(file.path, file.read)
    first = follow()
    assert follow() is first
    assert file.reads == 1
    file.write("one two")
    assert list(follow()) == ["one", "two"]


def test_a_file_that_is_wrong_leaves_the_jobs_as_they_were_and_is_told_of_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = File(tmp_path / "jobs")
    follow = JobsFile(file.path, file.read)
    first = follow()
    file.write("wrong two")
    with caplog.at_level(logging.ERROR):
        assert follow() is first
        assert follow() is first
    assert caplog.messages == ["the jobs stay as they were: line 1 is wrong"]
    file.write("three")
    assert list(follow()) == ["three"]


def test_a_file_that_is_gone_leaves_the_jobs_as_they_were(tmp_path: Path) -> None:
    file = File(tmp_path / "jobs")
    follow = JobsFile(file.path, file.read)
    first = follow()
    file.path.unlink()
    assert follow() is first


def test_a_file_that_was_wrong_from_the_beginning_is_an_error(tmp_path: Path) -> None:
    file = File(tmp_path / "jobs")
    file.write("wrong")
    with pytest.raises(ConfigError, match="line 1 is wrong"):
        JobsFile(file.path, file.read)()


class Weak(JobClaims):
    """A desk whose store cannot be reached the first few times."""

    failures = 3

    def take(
        self, known: Mapping[str, Job], most: int, *, may_take_over: bool = True
    ) -> list[ClaimedJob | FinishedRun]:
        if self.failures:
            self.failures -= 1
            raise StoreError("the disk is away")
        return super().take(known, most, may_take_over=may_take_over)


def test_a_runner_that_cannot_reach_the_store_goes_on_trying(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with staged(tmp_path, job()) as stage, caplog.at_level(logging.ERROR):
        stage.clock.now += HOUR
        desk = Weak(stage.store, own_claim("a test"), clock=stage.clock, lease_seconds=0.2)
        done = threading.Event()
        runner = JobRunner(
            desk,
            lambda: stage.jobs,
            stage.begin,
            clock=stage.clock,
            on_finished=lambda _: done.set(),
        )
        thread = threading.Thread(target=runner.run)
        thread.start()
        assert done.wait(WAIT_SECONDS)
        runner.stop()
        thread.join(WAIT_SECONDS)
        assert not thread.is_alive()
        assert stage.outcomes() == ["ok"]
    assert caplog.messages == ["jobs are not looked after: the disk is away "], "once, not three times"
