"""The source commands as people meet them: on a terminal of eighty columns, and with Ctrl-C at hand."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers.faults.transport import Silent
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer

COMMAND = (sys.executable, "-c", "from windrow.cli.main import main; main()")
COLUMNS = 80
_STYLE = re.compile(r"\x1b\[[0-9;]*[mK]")


def on_a_terminal(folder: Path, *arguments: str) -> list[str]:
    """What a command shows on a terminal, line by line, without colours."""
    pty, termios = pytest.importorskip("pty"), pytest.importorskip("termios")
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, COLUMNS))
    environ = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "WINDROW_LIBRARY")}
    with subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=folder,
        env=environ,
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    ) as process:
        os.close(theirs)
        shown = b""
        while piece := _read(ours):
            shown += piece
    os.close(ours)
    assert process.returncode == 0
    return _STYLE.sub("", shown.decode()).replace("\r\n", "\n").splitlines()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # how Linux says that the other side has gone
        return b""


def run(folder: Path, *arguments: str) -> None:
    subprocess.run([*COMMAND, *arguments], cwd=folder, check=True, capture_output=True)


def test_no_line_is_wider_than_the_terminal(tmp_path: Path) -> None:
    with DemoServer(Repository(30)) as server:
        url = server.url
        run(tmp_path, "init")
        run(tmp_path, "source", "add", "theses", server.url)
        run(tmp_path, "harvest", "theses")
        shown = {
            verb: on_a_terminal(tmp_path, "source", verb, *names)
            for verb, names in {
                "list": (),
                "show": ("theses",),
                "check": ("theses",),
                "compare": ("theses",),
            }.items()
        }
    assert {verb for verb, lines in shown.items() if max(map(len, lines)) > COLUMNS} == set()
    assert shown["list"][1].split()[:5] == ["theses", "30", "0", "0", "ok"]
    assert shown["list"][2] == f"  oai_dc from {url}"
    assert any(line.startswith("good     dates") for line in shown["check"])


# Who starts the tests in the background has them ignore SIGINT, and so would the command.
HEARING = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "


@pytest.mark.skipif(os.name != "posix", reason="a signal as a terminal sends it")
def test_ctrl_c_ends_a_check_at_once(tmp_path: Path) -> None:
    with (
        OaiServer(make_items(5), Silent(times=None, verbs=("Identify",))) as server,
        subprocess.Popen(
            [*COMMAND[:2], HEARING + COMMAND[2], "source", "check", server.url],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process,
    ):
        server.wait_for_requests(1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 130
    assert b"interrupted" in said
    assert b"Traceback" not in said
