"""The command line as a process: exit codes, where things are printed, what is imported."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.looking import harvested
from tests.cli.sourcing import Cli
from windrow.cli import main
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer

RUN = [sys.executable, "-c", "import sys; sys.argv[0] = 'windrow'; from windrow.cli.main import main; main()"]


def _run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*RUN, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def test_help_lists_every_command_by_task_in_the_order_of_need(tmp_path: Path) -> None:
    done = _run("--help", folder=tmp_path)
    tasks: dict[str, list[str]] = {}
    for line in done.stdout.partition("--help")[2].splitlines():
        if line.endswith(":") and not line.startswith(" "):
            tasks[line.removesuffix(":")] = []
        elif tasks and line.startswith("  ") and line[2] not in " `":
            tasks[list(tasks)[-1]].append(line.split()[0])
    assert list(tasks)[:3] == ["Begin", "Bring records in", "Keep the library current"]
    assert tasks["Begin"][:2] == ["demo", "init"]
    assert tasks["Bring records in"][:2] == ["source", "harvest"]
    names = [name for commands in tasks.values() for name in commands]
    assert len(names) == len(set(names))
    assert set(names) == set(main._COMMANDS)


@pytest.mark.parametrize("group", ["", "source", "collection", "crawl", "record"])
def test_help_has_a_whole_sentence_for_each_command(tmp_path: Path, group: str) -> None:
    done = _run(*filter(None, [group]), "--help", folder=tmp_path)
    assert done.returncode == 0
    assert "…" not in done.stdout
    assert "..." not in done.stdout.replace("[ARGS]...", "")
    assert max(map(len, done.stdout.splitlines())) <= 80
    commands = done.stdout.partition("Show this message and exit.")[2]
    listed = re.findall(r"^  ([a-z][\w-]*) +(\S.*(?:\n {9,}.*)*)", commands, re.MULTILINE)
    assert len(listed) >= 5
    for name, sentence in listed:
        assert sentence[0].isupper(), name
        assert sentence.endswith("."), name


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
