"""From a job that fails to a person who hears of it, and reads why: every part of it real.

Also where the process that was to tell is killed before it could, or nobody takes the message.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.sourcing import Cli, make_cli
from tests.flows.commanding import WAIT_SECONDS, running, windrow
from tests.flows.harvesting import Shelf, make_shelf
from tests.flows.test_worker import add_due, until
from tests.servers.http import Reply, ScriptedServer
from tests.servers.smtp import Manners, SmtpServer
from windrow.store import outbox
from windrow.store.outbox import OutboxEntry


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Commands in a fresh library."""
    return make_cli(tmp_path, monkeypatch, capsys)


def test_a_job_that_fails_and_recovers_is_told_of_with_its_output_kept(cli: Cli) -> None:
    target = cli.folder / "room"  # where nothing can be written until it is there
    with ScriptedServer(lambda _: Reply(204), path="/secret-key") as hook:
        job = f'run = "export --output \'{target}/all.jsonl\'"\nevery = "yearly"\n'
        text = f'[library]\nname = "Theses"\n[jobs.out]\n{job}[notify]\nwebhook = "{hook.url}"\n'
        (cli.folder / "windrow.toml").write_text(text, encoding="utf-8")
        assert cli("schedule", "run", "out").code == 2
        assert cli("schedule", "run", "out").code == 2
        target.mkdir()
        assert cli("schedule", "run", "out").code == 0
        told = [json.loads(request.body) for request in hook.requests]
    assert [each["title"] for each in told] == [
        "Theses: out failed",
        "Theses: out is ok again after 2 failures",
    ]
    assert "cannot write" in told[0]["summary"]
    assert told[0]["log"] == f"logs/out/{told[0]['run']}.log"
    log = cli("run", "log", str(told[0]["run"]))
    assert "error: cannot write" in log.out
    assert "secret-key" not in log.words


def _waiting(shelf: Shelf) -> list[OutboxEntry]:
    library = shelf.open()
    try:
        with library.store.reading() as connection:
            return outbox.list_entries(connection)
    finally:
        library.close()


def _library(tmp_path: Path, *, host: str = "here") -> Shelf:
    """A library with two jobs: one that fails and one that does not."""
    shelf = make_shelf(tmp_path)
    bad = f"export --output '{tmp_path}/nowhere/all.jsonl'"
    add_due(shelf, "bad", run=bad, host=host)
    add_due(shelf, "good", run="index", host=host)
    toml = shelf.folder / "windrow.toml"
    toml.write_text(toml.read_text(encoding="utf-8") + "[notify]\n", encoding="utf-8")
    return shelf


def _notify(shelf: Shelf, *, mail: int | None = None, hook: str | None = None) -> None:
    """Write by which ways people are told."""
    toml = shelf.folder / "windrow.toml"
    lines = ["[notify]"]
    if mail is not None:
        lines += ['mail_to = ["ada@library.example"]', 'mail_from = "windrow@library.example"']
        lines += ['smtp_host = "127.0.0.1"', f"smtp_port = {mail}", 'tls = "none"']
    if hook is not None:
        lines += [f'webhook = "{hook}"']
    kept = toml.read_text(encoding="utf-8").partition("[notify]")[0]
    toml.write_text(kept + "\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("command", [("worker",), ("worker", "--once"), ("schedule", "run", "bad")])
def test_a_mail_is_sent_by_the_next_process_if_its_own_was_killed(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    is_hosted = command[0] == "schedule"
    shelf = _library(tmp_path, host="cron" if is_hosted else "here")
    with SmtpServer(Manners(never_greets=True)) as deaf:
        _notify(shelf, mail=deaf.port)
        with running(shelf, *command) as process:
            until(lambda: any(entry.message for entry in _waiting(shelf)))
            process.kill()
            process.wait(WAIT_SECONDS)
    with SmtpServer() as server:
        _notify(shelf, mail=server.port)
        following = ("schedule", "run", "good") if is_hosted else ("worker", "--once")
        for _ in range(2):
            windrow(shelf, *following)
        (letter,) = server.letters
        assert "bad failed" in str(letter.mail["Subject"])
    assert _waiting(shelf) == []


def test_a_worker_killed_by_what_tells_people_leaves_the_message_to_the_next(tmp_path: Path) -> None:
    shelf = _library(tmp_path)
    toml = shelf.folder / "windrow.toml"
    script = tmp_path / "kill"
    script.write_text("#!/bin/sh\ncat > /dev/null\nkill -9 $PPID\n", encoding="ascii")
    script.chmod(0o755)
    _notify(shelf)
    toml.write_text(toml.read_text(encoding="utf-8") + f'command = "{script}"\n', encoding="utf-8")
    with running(shelf, "worker") as process:
        assert process.wait(WAIT_SECONDS) == -9
    with ScriptedServer(lambda _: Reply(204)) as hook:
        _notify(shelf, hook=hook.url)
        for _ in range(2):
            assert windrow(shelf, "worker", "--once").returncode == 0
        told = [json.loads(request.body) for request in hook.requests]
    assert [(each["job"], each["occasion"]) for each in told] == [("bad", "failed")]


def test_a_worker_sends_what_a_server_that_was_down_did_not_take(tmp_path: Path) -> None:
    shelf = _library(tmp_path)
    is_up = threading.Event()
    with ScriptedServer(lambda _: Reply(204 if is_up.is_set() else 503)) as hook:
        _notify(shelf, hook=hook.url)
        assert windrow(shelf, "worker", "--once").returncode == 1
        (entry,) = _waiting(shelf)
        assert (entry.attempts, entry.given_up) == (1, None)
        assert "503" in windrow(shelf, "doctor").stdout
        is_up.set()
        _make_due(shelf)
        with running(shelf, "worker"):
            until(lambda: not _waiting(shelf))
        told = [json.loads(request.body)["occasion"] for request in hook.requests]
    assert told == ["failed", "failed"]
    assert "could not be delivered" not in windrow(shelf, "doctor").stdout


def test_a_message_that_was_given_up_is_a_problem_for_the_doctor(tmp_path: Path) -> None:
    shelf = _library(tmp_path)
    with ScriptedServer(lambda _: Reply(503)) as hook:
        _notify(shelf, hook=hook.url)
        windrow(shelf, "worker", "--once")
        with closing(sqlite3.connect(shelf.folder / "windrow.db")) as connection, connection:
            connection.execute("UPDATE outbox SET created = created - 86400 * 30, next_at = 0")
        windrow(shelf, "worker", "--once")
        assert len(hook.requests) == 2
        windrow(shelf, "worker", "--once")
        assert len(hook.requests) == 2, "it was given up"
        address = hook.url
    found = windrow(shelf, "doctor")
    assert found.returncode == 1
    assert "given up" in found.stdout
    assert address not in found.stdout


def _make_due(shelf: Shelf) -> None:
    with closing(sqlite3.connect(shelf.folder / "windrow.db")) as connection, connection:
        connection.execute("UPDATE outbox SET next_at = 0")
