"""`windrow worker` and the runner inside `windrow serve`, as processes, on jobs that are due."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import monotonic, time

from tests.flows.commanding import WAIT_SECONDS, running, windrow
from tests.flows.harvesting import Shelf, make_shelf
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.config.editor import add_job
from windrow.model.job_state import JobRun, JobState
from windrow.schedule.scheduled_job import build_jobs
from windrow.store import jobs


def add_due(shelf: Shelf, *names: str, **settings: object) -> None:
    """Add jobs that are due since a minute ago."""
    for name in names:
        add_job(shelf.folder, name, {"every": "yearly", "attempts": 1, **settings})
    library, now = shelf.open(), time()
    rows = [job.scheduled(now) for job in build_jobs(library.config.jobs).values()]
    with library.store.writing() as connection:
        jobs.sync(connection, [replace(row, due=now - 60, at=now - 60) for row in rows])
    library.close()


def look(shelf: Shelf, name: str) -> tuple[JobState, list[JobRun]]:
    library = shelf.open()
    with library.store.reading() as connection:
        state, runs = jobs.get_state(connection, name, now=time()), jobs.list_runs(connection, name)
    library.close()
    assert state is not None
    return state, runs


def until(is_so: Callable[[], bool]) -> None:
    """Wait for something; time only bounds a test that fails."""
    end, pause = monotonic() + WAIT_SECONDS, threading.Event()
    while not is_so():
        assert monotonic() < end, "it never came to that"
        pause.wait(0.05)


def test_what_is_due_is_run_once_and_told_on_a_line_each(tmp_path: Path) -> None:
    with OaiServer(make_items(12)) as server:
        shelf = make_shelf(tmp_path, server)
        add_due(shelf, "nightly", run="harvest test")
        done = windrow(shelf, "worker", "--once")
        assert (done.returncode, done.stderr) == (0, "")
        assert " nightly  ok  " in done.stdout
        assert len(shelf.live()) == 12
    state, (run,) = look(shelf, "nightly")
    assert (run.outcome, run.code) == ("ok", 0)
    assert "12" in (shelf.folder / run.log).read_text()
    assert state.due is not None
    assert state.due > time()
    again = windrow(shelf, "worker", "--once")
    assert (again.returncode, again.stdout) == (0, "")


def test_programs_get_a_line_of_json_for_each_run(tmp_path: Path) -> None:
    shelf = make_shelf(tmp_path)
    add_due(shelf, "one", "two", run="index")
    done = windrow(shelf, "worker", "--once", "--json")
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted((each["job"], each["outcome"], each["code"]) for each in told) == [
        ("one", "ok", 0),
        ("two", "ok", 0),
    ]
    shown = json.loads(windrow(shelf, "schedule", "show", "one", "--json").stdout)
    assert shown["runs"] == [each for each in told if each["job"] == "one"]


def test_a_run_that_fails_says_why_and_so_does_the_exit_code(tmp_path: Path) -> None:
    shelf = make_shelf(tmp_path)
    add_due(shelf, "broken", run="harvest nowhere")
    done = windrow(shelf, "worker", "--once")
    assert done.returncode == 1
    assert "broken  failed  there is no source 'nowhere'" in done.stdout
    state, (run,) = look(shelf, "broken")
    assert (run.summary, run.code, state.failures) == ("there is no source 'nowhere'", 2, 1)


def test_a_worker_told_to_stop_stops_what_runs_and_gives_it_back(tmp_path: Path) -> None:
    reached, go_on = threading.Event(), threading.Event()
    with OaiServer(make_items(30)) as server:
        shelf = make_shelf(tmp_path, server)
        add_due(shelf, "nightly", run="harvest test")
        honest = server.handle

        def handle(request):  # type: ignore[no-untyped-def]
            if request.arguments.get("resumptionToken"):
                reached.set()
                go_on.wait(WAIT_SECONDS)
            return honest(request)

        server.handle = handle
        with running(shelf, "worker") as process:
            assert reached.wait(WAIT_SECONDS)
            assert look(shelf, "nightly")[0].holder.startswith(f"process {process.pid} on ")
            process.send_signal(signal.SIGTERM)
            (log,) = (shelf.folder / "logs" / "nightly").glob("*.log")
            until(lambda: b"Stopping" in log.read_bytes())  # it has reached the run
            go_on.set()
            assert process.wait(WAIT_SECONDS) == 0
        state, (run,) = look(shelf, "nightly")
        assert (run.outcome, state.running, state.failures) == ("interrupted", None, 0)
        assert state.at is not None
        assert state.at <= time()
        assert windrow(shelf, "worker", "--once").returncode == 0
        assert len(shelf.live()) == 30
    assert [str(run.outcome) for run in look(shelf, "nightly")[1]] == ["ok", "interrupted"]


def test_a_killed_worker_s_run_ends_with_it_and_is_taken_over(tmp_path: Path) -> None:
    reached, asking = threading.Event(), threading.Event()
    with OaiServer(make_items(30)) as server:
        shelf = make_shelf(tmp_path, server)
        add_due(shelf, "nightly", run="harvest test")
        file = shelf.folder / "windrow.toml"
        file.write_text(file.read_text() + '\n[schedule]\nlease = "2s"\n')
        honest = server.handle

        def handle(request):  # type: ignore[no-untyped-def]
            if request.arguments.get("resumptionToken") and not reached.is_set():
                reached.set()
                asking.wait(WAIT_SECONDS)  # the run hangs there until it is killed itself
            return honest(request)

        server.handle = handle
        with running(shelf, "worker") as first:
            assert reached.wait(WAIT_SECONDS)
            first.kill()
            first.wait(WAIT_SECONDS)
        with running(shelf, "worker") as second:
            until(lambda: len(look(shelf, "nightly")[1]) == 2)
            lease_is_over = look(shelf, "nightly")[1][1]
            until(lambda: look(shelf, "nightly")[1][0].outcome == "ok")
            asking.set()
            second.send_signal(signal.SIGTERM)
            assert second.wait(WAIT_SECONDS) == 0
        assert len(shelf.live()) == 30
    assert lease_is_over.outcome == "lost"
    assert [str(run.outcome) for run in look(shelf, "nightly")[1]] == ["ok", "lost"]


def test_a_job_added_while_a_worker_runs_is_run(tmp_path: Path) -> None:
    shelf = make_shelf(tmp_path)
    add_due(shelf, "first", run="index")
    with running(shelf, "worker") as process:
        until(lambda: len(look(shelf, "first")[1]) == 1)
        add_due(shelf, "second", run="index")
        until(lambda: any(run.outcome == "ok" for run in look(shelf, "second")[1]))
        process.send_signal(signal.SIGINT)
        assert process.wait(WAIT_SECONDS) == 130


def test_serving_runs_what_is_due(tmp_path: Path) -> None:
    shelf = make_shelf(tmp_path)
    add_due(shelf, "nightly", run="doctor")
    with running(shelf, "serve", "--port", "0", "--json") as process:
        assert process.stdout is not None
        assert "url" in process.stdout.readline()  # it serves, and heeds signals from here on
        until(lambda: any(run.outcome is not None for run in look(shelf, "nightly")[1]))
        process.send_signal(signal.SIGTERM)
        assert process.wait(WAIT_SECONDS) == 0
    assert look(shelf, "nightly")[1][0].holder.endswith("(windrow serve)")


def test_serving_leaves_jobs_to_workers_where_that_is_wished(tmp_path: Path) -> None:
    shelf = make_shelf(tmp_path)
    add_due(shelf, "nightly", run="index")
    file = shelf.folder / "windrow.toml"
    file.write_text(file.read_text() + "\n[schedule]\nin_serve = false\n")
    with running(shelf, "serve", "--port", "0", "--json") as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        assert windrow(shelf, "worker", "--once").returncode == 0
        process.send_signal(signal.SIGTERM)
        assert process.wait(WAIT_SECONDS) == 0
    (run,) = look(shelf, "nightly")[1]
    assert run.holder.endswith("(windrow worker)")
