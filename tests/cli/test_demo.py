"""`windrow demo`: everything from the repository to the look, and a second time."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.cli.sourcing import Cli
from tests.servers.asgi import ask
from windrow.cli import demo_steps

RUN = [sys.executable, "-c", "import sys; sys.argv[0] = 'windrow'; from windrow.cli.main import main; main()"]


def _outcomes(found: dict[str, list[dict[str, object]]]) -> list[object]:
    return [run["outcome"] for run in found["runs"]]


def test_the_first_time_everything_comes_and_then_only_changes(cli: Cli) -> None:
    found = cli("demo", "--records", "400", "--library", "shown", "--no-serve", "--json").json
    assert _outcomes(found) == ["ok", "ok"]
    first, second = (run["counters"] for run in found["runs"])
    assert first["seen"] == 400
    assert 0 < second["seen"] < 60
    assert found["records"] + found["tombstones"] == 402
    assert sum(found["institutions"].values()) == found["records"] == sum(found["years"].values())
    assert len(found["samples"]) == 3
    assert found["documents"]["outcome"] == "ok"
    assert found["documents"]["counters"]["added"] == 25


def test_a_second_demo_goes_on_where_the_first_ended(cli: Cli) -> None:
    cli("demo", "--records", "400", "--library", "shown", "--json")
    found = cli("demo", "--library", "shown", "--json").json
    assert _outcomes(found) == ["ok"]
    assert found["runs"][0]["counters"]["seen"] < 60, "what is new, and half a page before it"
    assert found["records"] + found["tombstones"] == 404
    assert found["documents"]["counters"]["unchanged"] == 25


def test_the_commands_it_suggests_work(cli: Cli) -> None:
    told = cli("demo", "--records", "60", "--library", "shown", "--no-serve")
    assert told.code == 0
    suggested = told.out.partition("Try these next\n")[2].splitlines()
    assert suggested[0].split() == ["cd", "shown"]
    for line in suggested[1:]:
        words = shlex.split(line)
        arguments = words[words.index("windrow.cli.main") + 1 :] if "-m" in words else words[1:]
        if arguments == ["serve"]:  # which goes on until it is stopped
            arguments = ["serve", "--print-config", "nginx"]
        assert cli("--library", "shown", *arguments).code == 0, line


def test_without_what_reads_documents_it_says_so_and_shows_the_rest(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(demo_steps.NEEDED, "windrow_needs_no_such_module", "Chisel")
    told = cli("demo", "--records", "60", "--library", "shown", "--no-serve")
    assert told.code == 0
    assert (
        "Documents are left out, without Chisel. In the folder of your copy of Windrow: pip install ."
        in told.out
    )
    assert "island" not in (cli.folder / "shown" / "windrow.toml").read_text(encoding="utf-8")
    assert not (cli.folder / "shown" / "documents").exists()


def test_another_number_of_records_needs_another_folder(cli: Cli) -> None:
    cli("demo", "--records", "60", "--library", "shown", "--json")
    told = cli("demo", "--records", "70", "--library", "shown")
    assert told.code == 2
    assert "60 theses" in told.err


def test_a_library_that_is_not_a_demo_is_left_alone(cli: Cli) -> None:
    before = cli.toml
    told = cli("demo", "--library", str(cli.folder))
    assert told.code == 2
    assert "not a demo's" in told.err
    assert cli.toml == before


def test_a_folder_with_other_things_in_it_is_left_alone(cli: Cli) -> None:
    (cli.folder / "mine").mkdir()
    (cli.folder / "mine" / "letter.txt").write_text("Dear …", encoding="utf-8")
    assert cli("demo", "--library", "mine").code == 2
    assert [path.name for path in (cli.folder / "mine").iterdir()] == ["letter.txt"]


def test_an_interrupted_demo_leaves_no_repository_behind_and_goes_on_later(tmp_path: Path) -> None:
    line = [*RUN, "demo", "--records", "30000", "--library", "shown"]
    with subprocess.Popen(
        line, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert "Made the library" in process.stdout.readline()
        assert "harvesting" in process.stdout.readline()
        children = _children(process.pid)
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert process.returncode == 130
    assert not [child for child in children if _is_alive(child)]


def test_it_ends_with_a_page_to_open_and_serves_until_it_is_stopped(tmp_path: Path) -> None:
    line = [*RUN, "demo", "--records", "60", "--library", "shown", "--port", "0", "--no-browser"]
    with subprocess.Popen(
        line, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        told = next(words for words in process.stdout if words.startswith("Open http://"))
        address = urlsplit(told.split()[1])
        assert address.port is not None
        home = ask(address.port, "/")
        named = [next(process.stdout).split()[1] for _ in range(5)]
        places = {
            place: ask(address.port, place.removeprefix(told.split()[1].rstrip("/"))) for place in named
        }
        children = _children(process.pid)
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert home.status == 200
    assert b"<form" in home.body
    assert [place for place, got in places.items() if got.status != 200] == []
    assert places[f"{told.split()[1]}gallery"].body.count(b"<img") == 12
    assert process.returncode == 130
    assert children
    assert not [child for child in children if _is_alive(child)]


def _children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(number) for number in listed.read_text().split()] if listed.exists() else []


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
