"""`python -m windrow.demo`: the repository as a program, at an address that people choose."""

from __future__ import annotations

import socket
import subprocess
import sys
from urllib.request import urlopen

import pytest

from windrow.demo.__main__ import main

RUN = [sys.executable, "-m", "windrow.demo", "--records", "30"]


def test_it_prints_its_address_and_ends_with_its_input() -> None:
    with subprocess.Popen(
        [*RUN, "--port", "0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        url = process.stdout.readline().strip()
        with urlopen(f"{url}?verb=Identify") as answer:
            assert b"invented theses" in answer.read()
        process.stdin.close()
        assert process.wait() == 0


def test_a_port_that_is_taken_is_a_sentence_that_says_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run([*RUN, "--port", port], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"port {port} is taken; choose another one with --port" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--port", "70000"])
    assert "from 0 to 65535" in capsys.readouterr().err
