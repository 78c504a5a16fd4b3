"""Jobs that the host's scheduler begins with `windrow schedule run`, while their source is busy."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.flows.commanding import WAIT_SECONDS, running, windrow
from tests.flows.harvesting import Shelf, make_shelf
from tests.flows.test_resume import HoldsFrom
from tests.flows.test_worker import until
from tests.servers.http import Reply, ScriptedServer
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.config.editor import add_job
from windrow.model.job_state import JobOutcome, JobRun
from windrow.store import jobs

SKIPPED, OK = JobOutcome.SKIPPED, JobOutcome.OK


def runs_of(shelf: Shelf) -> list[JobRun]:
    """The runs of the job, newest first."""
    library = shelf.open()
    with library.store.reading() as connection:
        found = jobs.list_runs(connection, "nightly")
    library.close()
    return found


@contextmanager
def busy(tmp_path: Path, **job: object) -> Iterator[tuple[Shelf, subprocess.Popen[str], HoldsFrom]]:
    """A source that a harvest is at until it is released, and a job of cron's that harvests it too."""
    hold = HoldsFrom(2)
    with OaiServer(make_items(25), hold) as server:
        shelf = make_shelf(tmp_path, server, timeout="60s")
        settings = {"every": "yearly", "run": "harvest test", "host": "cron", "backoff": "1s", **job}
        add_job(shelf.folder, "nightly", settings)
        with running(shelf, "harvest", "test") as holder:
            server.wait_for_requests(3)
            try:
                yield shelf, holder, hold
            finally:
                hold.release.set()


def test_a_job_whose_source_is_busy_waits_and_then_does_its_work(tmp_path: Path) -> None:
    with (
        busy(tmp_path) as (shelf, holder, hold),
        running(shelf, "schedule", "run", "nightly") as process,
    ):
        until(lambda: any(run.outcome is SKIPPED for run in runs_of(shelf)))
        first = runs_of(shelf)[-1]
        assert first.retry_at is not None
        assert f"process {holder.pid} " in first.summary
        hold.release.set()
        _, complaints = process.communicate(timeout=WAIT_SECONDS)
        assert process.returncode == 0, complaints
    outcomes = [run.outcome for run in runs_of(shelf)]
    assert outcomes[0] is OK
    assert set(outcomes[1:]) == {SKIPPED}
    assert "tried again at" in complaints


def test_without_time_for_another_try_it_ends_with_75_and_is_told_of(tmp_path: Path) -> None:
    with ScriptedServer(lambda _: Reply(204)) as hook, busy(tmp_path, backoff="7d", tell="always") as found:
        shelf, holder, _ = found
        with (shelf.folder / "windrow.toml").open("a", encoding="utf-8") as file:
            file.write(f'\n[notify]\nwebhook = "{hook.url}"\n')
        text = (shelf.folder / "windrow.toml").read_text(encoding="utf-8")
        (shelf.folder / "windrow.toml").write_text(text.replace('"yearly"', '"daily"'), encoding="utf-8")
        done = windrow(shelf, "schedule", "run", "nightly")
        assert done.returncode == 75, done.stderr
        (run,) = runs_of(shelf)
        assert (run.outcome, run.retry_at, run.code) == (SKIPPED, None, 75)
        assert f"process {holder.pid} " in run.summary
        (told,) = (json.loads(request.body) for request in hook.requests)
        assert (told["job"], told["outcome"]) == ("nightly", "skipped")


def test_at_a_terminal_s_wish_it_does_not_wait(tmp_path: Path) -> None:
    with busy(tmp_path) as (shelf, _, _):
        assert windrow(shelf, "schedule", "run", "nightly", "--no-wait").returncode == 75
        (run,) = runs_of(shelf)
        assert (run.outcome, run.retry_at) == (SKIPPED, None)


def test_asked_to_stop_while_it_waits_it_says_that_it_does_not_try_again(tmp_path: Path) -> None:
    with (
        busy(tmp_path, backoff="1h") as (shelf, _, _),
        running(shelf, "schedule", "run", "nightly") as process,
    ):
        until(lambda: any(run.outcome is SKIPPED for run in runs_of(shelf)))
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=WAIT_SECONDS)
        assert process.returncode == 75
        (run,) = runs_of(shelf)
        assert (run.outcome, run.retry_at) == (SKIPPED, None)


def test_a_job_that_is_under_way_is_noted_as_skipped_with_who_is_at_it(tmp_path: Path) -> None:
    with OaiServer(make_items(25), HoldsFrom(2)) as server:
        shelf = make_shelf(tmp_path, server, timeout="60s")
        add_job(shelf.folder, "nightly", {"every": "yearly", "run": "harvest test", "host": "cron"})
        with running(shelf, "schedule", "run", "nightly") as first:
            server.wait_for_requests(3)
            assert windrow(shelf, "schedule", "run", "nightly").returncode == 75
            skipped = runs_of(shelf)[0]
            assert (skipped.outcome, skipped.code) == (SKIPPED, 75)
            assert f"process {first.pid} " in skipped.summary
            _release(server)
            first.communicate(timeout=WAIT_SECONDS)
            assert first.returncode == 0


def test_a_job_whose_times_queue_up_follows_the_one_under_way(tmp_path: Path) -> None:
    with OaiServer(make_items(25), HoldsFrom(2)) as server:
        shelf = make_shelf(tmp_path, server, timeout="60s")
        settings = {"every": "yearly", "run": "harvest test", "host": "cron", "overlap": "queue"}
        add_job(shelf.folder, "nightly", settings)
        with (
            running(shelf, "schedule", "run", "nightly") as first,
            running(shelf, "schedule", "run", "nightly") as second,
        ):
            server.wait_for_requests(3)
            _release(server)
            for process in (first, second):
                process.communicate(timeout=WAIT_SECONDS)
                assert process.returncode == 0
        assert [run.outcome for run in runs_of(shelf)] == [OK, OK]


def _release(server: OaiServer) -> None:
    for fault in server.faults:
        assert isinstance(fault, HoldsFrom)
        fault.release.set()
