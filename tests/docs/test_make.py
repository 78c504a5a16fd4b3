"""`make` shows what it does while it sets up, with a Python and a pip of the test's own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.fixtures import missing

ROOT = Path(__file__).parents[2]
PYTHON = """#!/bin/sh
case "$1 $2" in
  "-m venv") mkdir -p "$3/bin"; cp "$0" "$3/bin/python" ;;
  "-m pip")
    i=0; while [ $i -lt 25 ]; do i=$((i + 1)); echo "Collecting package$i>=1.0 (from windrow)"; done
    echo "Installing build dependencies: started"
    [ ! -e broken ] || { echo "ERROR: No matching distribution" >&2; exit 1; }
    echo "Installing collected packages: package1, package2" ;;
esac
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder in which `make` sets up."""
    if not shutil.which("make"):
        missing("make")
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "python").write_text(PYTHON, encoding="utf-8")
    (tmp_path / "python").chmod(0o755)
    return tmp_path


def make(folder: Path) -> subprocess.CompletedProcess[str]:
    command = ["make", "PYTHON=./python", ".venv/.ready"]
    outer = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")  # of the `make` that runs the tests
    environ = {name: value for name, value in os.environ.items() if name not in outer}
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)


def test_each_step_of_setting_up_is_a_line(copy: Path) -> None:
    done = make(copy)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "Setting up, once (a minute or two):",
        "  making the virtual environment .venv …",
        "  fetching the packages that Windrow needs …",
        "  20 packages",
        "  installing …",
        "  ready",
    ]
    assert "up to date" in make(copy).stdout


def test_a_set_up_that_failed_is_not_taken_for_done(copy: Path) -> None:
    (copy / "broken").touch()
    done = make(copy)
    assert done.returncode == 2
    assert "No matching distribution" in done.stderr
    assert not (copy / ".venv/.ready").exists()
    (copy / "broken").unlink()
    assert make(copy).returncode == 0
