"""What the shell offers after a tab."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.cli.sourcing import Cli

RUN = [sys.executable, "-c", "import sys; sys.argv[0] = 'windrow'; from windrow.cli.main import main; main()"]


def _offered(folder: Path, words: str) -> list[str]:
    environ = os.environ | {"_WINDROW_COMPLETE": "complete_bash", "COMP_WORDS": words}
    environ["COMP_CWORD"] = str(len(words.split(" ")) - 1)
    done = subprocess.run(RUN, cwd=folder, env=environ, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.split()


def test_a_script_for_the_shell_is_printed() -> None:
    done = subprocess.run([*RUN, "--show-completion", "bash"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "_WINDROW_COMPLETE" in done.stdout


def test_names_of_sources_are_offered(cli: Cli) -> None:
    for name in ("alpha", "beta"):
        assert cli("source", "add", name, f"http://127.0.0.1:9/{name}", "--no-check").code == 0
    assert _offered(cli.folder, "windrow harvest ") == ["alpha", "beta"]
    assert _offered(cli.folder, "windrow rebuild b") == ["beta"]
    assert _offered(cli.folder.parent, f"windrow --library {cli.folder} quarantine list a") == ["alpha"]


def test_names_of_jobs_are_offered(cli: Cli) -> None:
    for name in ("nightly", "often"):
        assert cli("schedule", "add", name, "--daily", "index").code == 0
    assert _offered(cli.folder, "windrow schedule show ") == ["nightly", "often"]
    assert _offered(cli.folder, "windrow schedule run o") == ["often"]


def test_without_a_library_nothing_is_offered_and_nothing_fails(tmp_path: Path) -> None:
    assert _offered(tmp_path, "windrow harvest ") == []
    (tmp_path / "windrow.toml").write_text("this is not [ TOML", encoding="utf-8")
    assert _offered(tmp_path, "windrow harvest ") == []
