"""From a job that fails to a person who hears of it, and reads why: every part of it real."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.sourcing import Cli, make_cli
from tests.servers.http import Reply, ScriptedServer


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
