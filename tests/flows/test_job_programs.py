"""The owner's programs before and after a job's command, by runners and by the line that cron calls."""

from __future__ import annotations

import json
import signal
import stat
import subprocess
from pathlib import Path

import pytest

from tests.flows.commanding import WAIT_SECONDS, environment, running, windrow
from tests.flows.harvesting import Shelf, make_shelf
from tests.flows.test_worker import add_due, look, until
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.config.editor import add_job, change_job
from windrow.schedule.hosts.host_scheduler import command_line


def program(folder: Path, name: str, *lines: str) -> str:
    """A program of the owner's: a shell script that can be executed."""
    path = folder / name
    path.write_text("\n".join(("#!/bin/sh", *lines, "")))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def log_of(shelf: Shelf, name: str) -> str:
    """What the last run of a job printed."""
    _, (run, *_) = look(shelf, name)
    return (shelf.folder / run.log).read_text()


def _is_running(number: int) -> bool:
    """Say whether a process lives; one that has ended and that nobody has waited for does not."""
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def test_before_and_after_run_around_the_command_and_print_into_its_log(tmp_path: Path) -> None:
    with OaiServer(make_items(12)) as server:
        shelf = make_shelf(tmp_path, server)
        before = program(tmp_path, "fetch", 'echo "fetched $1 in $PWD"', "echo a warning >&2")
        after = program(tmp_path, "copy", "env | grep ^WINDROW_ | sort", "cat")
        add_due(shelf, "nightly", run="harvest test", before=[before, "a b; $HOME"], after=[after])
        done = windrow(shelf, "worker", "--once")
        assert (done.returncode, done.stderr) == (0, "")
    _, (run,) = look(shelf, "nightly")
    assert run.outcome == "ok"
    assert "12 new" in run.summary  # of the command, not of what the programs printed
    lines = [line.strip() for line in log_of(shelf, "nightly").splitlines()]
    fetched = lines.index(f"fetched a b; $HOME in {shelf.folder.resolve()}")
    assert "a warning" in lines[fetched : fetched + 2]
    assert fetched < next(place for place, line in enumerate(lines) if line.startswith("test: ok"))
    assert lines[-6:] == [
        "WINDROW_JOB=nightly",
        "WINDROW_JOB_CODE=0",
        "WINDROW_JOB_OUTCOME=ok",
        f"WINDROW_JOB_RUN={run.id}",
        "WINDROW_JOB_STEP=after",
        f"WINDROW_LIBRARY={shelf.folder.resolve()}",
    ]


@pytest.mark.parametrize("how", [("worker", "--once"), ("schedule", "run", "nightly")])
def test_a_failing_before_fails_the_run_and_the_command_is_not_run(
    tmp_path: Path, how: tuple[str, ...]
) -> None:
    with OaiServer(make_items(3)) as server:
        shelf = make_shelf(tmp_path, server)
        after = program(tmp_path, "after", "touch ran-after")
        before = program(tmp_path, "before", "echo no pictures today", "exit 9")
        add_due(shelf, "nightly", run="harvest test", before=[before], after=[after])
        done = windrow(shelf, *how)
        assert not server.requests
    _, (run,) = look(shelf, "nightly")
    assert (run.outcome, run.code) == ("failed", 1)
    assert run.summary == f"before: {before} ended with exit code 9"
    assert "no pictures today" in log_of(shelf, "nightly")
    assert not (shelf.folder / "ran-after").exists()
    if how[0] == "schedule":
        assert done.returncode == 1
        assert "no pictures today" in done.stdout


def test_a_before_that_ends_with_75_puts_the_run_off(tmp_path: Path) -> None:
    shelf = make_shelf(tmp_path)
    add_due(shelf, "nightly", run="index", before=[program(tmp_path, "before", "exit 75")])
    windrow(shelf, "worker", "--once")
    state, (run,) = look(shelf, "nightly")
    assert run.outcome == "skipped"
    assert run.retry_at is not None
    assert state.failures == 0


def test_after_is_told_of_a_command_that_failed_and_keeps_its_code(tmp_path: Path) -> None:
    shelf = make_shelf(tmp_path)
    after = program(tmp_path, "after", 'echo "$WINDROW_JOB_CODE $WINDROW_JOB_OUTCOME" > told', "exit 5")
    add_due(shelf, "bad", run="harvest nobody", after=[after])
    assert windrow(shelf, "schedule", "run", "bad").returncode == 2
    assert (shelf.folder / "told").read_text() == "2 failed\n"


def test_a_failing_after_fails_a_run_whose_command_was_good(tmp_path: Path) -> None:
    shelf = make_shelf(tmp_path)
    after = program(tmp_path, "after", "exit 5")
    add_due(shelf, "nightly", run="index", after=[after])
    assert windrow(shelf, "schedule", "run", "nightly").returncode == 1
    _, (run,) = look(shelf, "nightly")
    assert (run.outcome, run.summary) == ("failed", f"after: {after} ended with exit code 5")


def test_a_program_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    shelf = make_shelf(tmp_path)
    before = program(tmp_path, "before", "echo began", "exec sleep 600")
    add_due(shelf, "nightly", run="index", before=[before], program_limit="1s")
    windrow(shelf, "worker", "--once")
    _, (run,) = look(shelf, "nightly")
    assert (run.outcome, run.summary) == ("failed", f"before: {before} was stopped after 1s, its time limit")
    assert "began" in log_of(shelf, "nightly")


def test_a_program_that_cannot_be_started_fails_the_run_and_doctor_names_it(tmp_path: Path) -> None:
    shelf = make_shelf(tmp_path)
    add_due(shelf, "nightly", run="index", before=["/nowhere/fetch"])
    windrow(shelf, "worker", "--once")
    _, (run,) = look(shelf, "nightly")
    assert run.summary == "before: /nowhere/fetch cannot be started: No such file or directory"
    found = json.loads(windrow(shelf, "doctor", "--json").stdout)
    assert "there is no program /nowhere/fetch" in str(found)


def test_stopping_the_runner_stops_the_program(tmp_path: Path) -> None:
    shelf = make_shelf(tmp_path)
    before = program(tmp_path, "before", "echo $$ > pid.new", "mv pid.new pid", "exec sleep 600")
    add_due(shelf, "nightly", run="index", before=[before])
    with running(shelf, "worker") as worker:
        until((shelf.folder / "pid").exists)
        number = int((shelf.folder / "pid").read_text())
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(WAIT_SECONDS) == 0
    until(lambda: not _is_running(number))
    _, (run, *_) = look(shelf, "nightly")
    assert run.outcome == "interrupted"


def test_secrets_of_the_library_are_masked_in_what_programs_print(tmp_path: Path) -> None:
    shelf = make_shelf(tmp_path)
    settings = shelf.folder / "windrow.toml"
    settings.write_text(
        settings.read_text().replace("[harvest]\n", '[harvest]\npassword = "correct-horse"\n', 1)
    )
    before = program(
        tmp_path, "before", "printf 'it is correct-'", "echo 'horse, is it not'", "printf correct"
    )
    add_due(shelf, "nightly", run="index", before=[before, "--key=correct-horse"])
    done = windrow(shelf, "schedule", "run", "nightly")
    printed = done.stdout + done.stderr + log_of(shelf, "nightly")
    assert "horse" not in printed
    assert "it is ********, is it not" in printed
    assert printed.count("    correct\n") == 2  # the beginning of a secret is none


def test_the_flags_write_lists_and_a_line_is_not_for_a_shell(tmp_path: Path) -> None:
    shelf = make_shelf(tmp_path)
    words = ("--before", "fetch 'a b' '$HOME;'", "--after", "copy", "--program-limit", "5m")
    assert windrow(shelf, "schedule", "add", "n", "--daily", *words, "index").returncode == 0
    text = (shelf.folder / "windrow.toml").read_text()
    assert 'before = ["fetch", "a b", "$HOME;"]' in text
    shown = json.loads(windrow(shelf, "schedule", "show", "n", "--json").stdout)
    assert shown["settings"]["after"] == "copy"
    assert windrow(shelf, "schedule", "edit", "n", "--unset", "before").returncode == 0
    assert "before =" not in (shelf.folder / "windrow.toml").read_text()
    wrong = windrow(shelf, "schedule", "edit", "n", "--after", "copy 'open")
    assert wrong.returncode == 2
    assert "--after" in wrong.stderr


def test_a_job_changed_while_runners_look_has_its_new_programs(tmp_path: Path) -> None:
    shelf = make_shelf(tmp_path)
    add_due(shelf, "nightly", run="index", before=["/nowhere/fetch"])
    change_job(shelf.folder, "nightly", {"before": [program(tmp_path, "new", "echo new one")]})
    assert windrow(shelf, "schedule", "run", "nightly").returncode == 0
    assert "new one" in log_of(shelf, "nightly")


def test_the_environment_has_what_the_runner_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWNERS_OWN", "value")
    assert environment()["OWNERS_OWN"] == "value"
    shelf = make_shelf(tmp_path)
    add_due(shelf, "nightly", run="index", before=["printenv", "OWNERS_OWN"])
    assert windrow(shelf, "schedule", "run", "nightly").returncode == 0
    assert "    value\n" in log_of(shelf, "nightly")


def test_the_line_that_a_host_s_scheduler_calls_runs_them_in_its_short_environment(tmp_path: Path) -> None:
    shelf = make_shelf(tmp_path)
    after = program(tmp_path, "after", 'echo "$WINDROW_JOB_STEP $WINDROW_JOB_OUTCOME" > told')
    add_job(
        shelf.folder, "nightly", {"run": "index", "every": "yearly", "before": ["true"], "after": [after]}
    )
    done = subprocess.run(
        command_line("nightly", shelf.folder),
        env={"PATH": "/usr/bin:/bin"},  # what cron has
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
        cwd="/",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (shelf.folder / "told").read_text() == "after ok\n"
    _, (run,) = look(shelf, "nightly")
    assert run.outcome == "ok"
