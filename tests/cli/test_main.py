"""The command line as a process: exit codes, where things are printed, what is imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.cli.looking import harvested
from tests.cli.sourcing import Cli
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer

RUN = [sys.executable, "-c", "import sys; sys.argv[0] = 'windrow'; from windrow.cli.main import main; main()"]


def _run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*RUN, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def test_help_lists_the_commands_in_the_order_of_need(tmp_path: Path) -> None:
    done = _run("--help", folder=tmp_path)
    listed = done.stdout.partition("Commands:")[2]
    names = [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2] != " "]
    assert names[:4] == ["demo", "init", "source", "harvest"]
    assert {"run", "diff", "record", "trace", "quarantine", "export", "rebuild", "config", "doctor"} < set(
        names
    )


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    heavy = "('lxml', 'urllib3', 'zstandard', 'pyarrow', 'tomlkit', 'windrow.harvest')"
    script = (
        "import sys\nsys.argv = ['windrow', '--help']\nfrom windrow.cli.main import main\n"
        f"try:\n    main()\nfinally:\n    found = [name for name in {heavy} if name in sys.modules]\n"
        "    print(found, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stderr.strip() == "[]"


def test_an_error_goes_to_stderr_with_its_exit_code(tmp_path: Path) -> None:
    done = _run("run", "list", folder=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "windrow init" in done.stderr


def test_an_error_is_json_where_json_was_asked_for(tmp_path: Path) -> None:
    done = _run("run", "list", "--json", folder=tmp_path)
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"] == "LibraryMissing"


def test_the_library_may_be_named_behind_the_verb(cli: Cli, tmp_path: Path) -> None:
    done = _run("run", "list", "--library", str(cli.folder), "--json", folder=tmp_path.parent)
    assert done.returncode == 0
    assert json.loads(done.stdout) == []


def test_a_reader_that_goes_away_is_no_event(cli: Cli) -> None:
    with DemoServer(Repository(400)) as server:
        harvested(cli, server)
    for command in (
        "export --format jsonl",
        "export --format csv",
        "export --format xml",
        "diff 1 --limit 0",
    ):
        line = [*RUN, *command.split()]
        with subprocess.Popen(
            line, cwd=cli.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline()
            process.stdout.close()
            assert process.stderr.read() == "", command
