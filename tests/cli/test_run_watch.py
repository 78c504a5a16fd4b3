"""`windrow run watch`: what is being done, in lines, as JSON and on a screen."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from tests.cli.looking import opened
from tests.cli.sourcing import Cli
from windrow.cli.jobs.run_command import PlainRunReport, RunMonitor, RunSnapshot, render_screen
from windrow.model.job_state import JobOutcome
from windrow.model.run import Counters, Outcome
from windrow.schedule.run_logs import log_name, open_log
from windrow.store import jobs, leases, runs, sources
from windrow.store.jobs import ClaimedJob, NextAttempt, ScheduledJob
from windrow.store.overview import HARVEST, Activity
from windrow.store.store import Store
from windrow.wiring import open_library

BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)
NOW = BEGAN.timestamp() + 20


def _harvest(store: Store) -> int:
    """A harvest of this process that is half-way."""
    with store.writing() as connection:
        source = sources.ensure(connection, "theseus", "http://127.0.0.1:9/oai")
        leases.take(connection, leases.lease_name("theseus"), leases.own_claim("a test"))
        number = runs.start(connection, source.id, "harvest", now=BEGAN, arguments={})
        runs.progress(connection, number, Counters(seen=500, added=480, quarantined=1), 1000)
    return number


def _job(cli: Cli, store: Store) -> ClaimedJob:
    """A job that has printed something."""
    with store.writing() as connection:
        jobs.sync(connection, [ScheduledJob("nightly", "daily", NOW - 20, NOW - 20)])
        taken = jobs.take(connection, claim=leases.own_claim("a test"), now=NOW - 20, lease_seconds=600)
        assert taken is not None
        jobs.note_run_log(connection, taken.run, log_name("nightly", taken.run))
    open_log(cli.folder, "nightly", taken.run)(b"exporting: 5 of 9\n")
    return taken


def _events(look: RunSnapshot) -> list[tuple[str, str, str]]:
    return [(event, work.name, work.outcome) for event, work in look.events()]


def test_what_begins_goes_on_and_ends_is_seen_in_one_look_each(cli: Cli) -> None:
    library = open_library(str(cli.folder))
    looking = RunMonitor(library, clock=lambda: NOW)
    with opened(cli) as store:
        assert _events(looking.look()) == []
        number, taken = _harvest(store), _job(cli, store)
        assert _events(looking.look()) == [("began", "nightly", "running"), ("began", "theseus", "running")]
        assert _events(looking.look()) == []
        with store.writing() as connection:
            runs.progress(connection, number, Counters(seen=900), 1000)
        assert _events(looking.look()) == [("progress", "theseus", "running")]
        with store.writing() as connection:
            runs.end(connection, number, outcome=Outcome.PARTIAL, now=BEGAN)
            jobs.finish(connection, taken, JobOutcome.FAILED, NextAttempt(None, None), now=NOW, summary="no")
        assert _events(looking.look()) == [("ended", "nightly", "failed"), ("ended", "theseus", "partial")]
        assert _events(looking.look()) == []
    library.close()


def test_a_job_gets_further_with_each_line_that_it_prints(cli: Cli) -> None:
    library = open_library(str(cli.folder))
    looking = RunMonitor(library, clock=lambda: NOW)
    with opened(cli) as store:
        taken = _job(cli, store)
        looking.look()
        assert _events(looking.look()) == []
        open_log(cli.folder, "nightly", taken.run)(b"exporting: 7 of 9\n")
        look = looking.look()
        assert _events(look) == [("progress", "nightly", "running")]
        assert list(look.lines.values()) == ["exporting: 7 of 9"]
        assert _events(looking.look()) == []
    library.close()


def test_a_harvest_whose_process_is_gone_is_not_under_way(cli: Cli) -> None:
    with opened(cli) as store:
        with store.writing() as connection:
            source = sources.ensure(connection, "theseus", "http://127.0.0.1:9/oai")
            runs.start(connection, source.id, "harvest", now=BEGAN, arguments={})
        library = open_library(str(cli.folder))
        assert not RunMonitor(library, clock=lambda: NOW).look().running
        library.close()


def test_where_nothing_runs_it_ends_at_once_if_told_to(cli: Cli) -> None:
    result = cli("run", "watch", "--until-done")
    assert (result.code, result.out) == (0, "")


def test_lines_tell_of_beginnings_and_ends_and_now_and_then_of_the_way(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines, work = (
        PlainRunReport(),
        Activity(HARVEST, 3, "theseus", "harvest", BEGAN, done=500, total=1000, added=480),
    )
    for event, now in (("began", NOW), ("progress", NOW + 5), ("progress", NOW + 11), ("progress", NOW + 12)):
        lines.print(event, work, RunSnapshot(now, {}, {work.key: work}, [], {}))
    lines.print(
        "ended",
        Activity(HARVEST, 3, "theseus", "harvest", BEGAN, "ok", 1000),
        RunSnapshot(NOW, {}, {}, [], {}),
    )
    assert capsys.readouterr().out.splitlines() == [
        "harvest of theseus, run 3: running since 12:00:00 UTC",
        "harvest of theseus, run 3: 500 of 1,000 entries, 480 new",
        "harvest of theseus, run 3: ok; 1,000 entries",
    ]


def test_a_screen_shows_bars_speeds_and_last_lines_and_fits(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setenv("LINES", "12")
    library = open_library(str(cli.folder))
    with opened(cli) as store:
        _harvest(store)
        _job(cli, store)
        looking = RunMonitor(library, clock=lambda: NOW)
        looking.look()
        look = looking.look()
    library.close()
    ended = [Activity(HARVEST, n, "x\x1b[31m" * 30, "harvest", BEGAN, "ok") for n in range(40)]
    lines = render_screen(look, ended).removeprefix("\x1b[H").removesuffix("\x1b[J").split("\x1b[K\r\n")[:-1]
    assert lines[0] == "2026-03-01 12:00:20 UTC   2 running   Ctrl-C ends"
    assert lines[2].endswith("exporting: 5 of 9")
    assert f"{'━' * 6}{'─' * 6}" in lines[3]
    assert "500 of 1,000 entries, 25/s, 20 s left, 480 new, 1 bad" in lines[3]
    assert len(lines) == 11
    assert all(len(line) <= 110 and "\x1b" not in line for line in lines)


def _watching(cli: Cli, *flags: str, **options: object) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "windrow",
        "--library",
        str(cli.folder),
        "run",
        "watch",
        "--every",
        "0.1",
    ]
    return subprocess.Popen([*command, *flags], **options)  # type: ignore[call-overload, no-any-return]


def test_a_program_gets_a_line_for_each_event_until_ctrl_c(cli: Cli) -> None:
    with opened(cli) as store:
        number = _harvest(store)
        watching = _watching(cli, "--json", stdout=subprocess.PIPE)
        assert watching.stdout is not None
        began = json.loads(watching.stdout.readline())
        assert (began["event"], began["run"], began["done"], began["total"]) == ("began", number, 500, 1000)
        with store.writing() as connection:
            runs.end(connection, number, outcome=Outcome.OK, now=BEGAN)
        ended = json.loads(watching.stdout.readline())
        assert (ended["event"], ended["outcome"]) == ("ended", "ok")
        watching.send_signal(signal.SIGINT)
        assert watching.wait(30) == 0
        watching.stdout.close()


def test_a_terminal_gets_a_screen_and_its_own_back(cli: Cli) -> None:
    with opened(cli) as store:
        number = _harvest(store)
        ours, theirs = pty.openpty()
        watching = _watching(cli, "--until-done", stdout=theirs, stdin=theirs, stderr=theirs)
        os.close(theirs)
        shown = _read_until(ours, b"theseus harvest")
        with store.writing() as connection:
            runs.end(connection, number, outcome=Outcome.OK, now=BEGAN)
        shown += _read_until(ours, b"run 1: ok")
        assert watching.wait(30) == 0
        os.close(ours)
    assert shown.index(b"\x1b[?1049h") < shown.index(b"theseus harvest") < shown.index(b"\x1b[?1049l")


def _read_until(terminal: int, words: bytes) -> bytes:
    found = b""
    waiting = select.poll()
    waiting.register(terminal, select.POLLIN)
    while words not in found:
        assert waiting.poll(30_000), found
        found += os.read(terminal, 4096)
    return found
