"""The command line run as `main` runs it, in this process, on a library of the test's own."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from windrow.cli.main import main


@dataclass(frozen=True, slots=True)
class Result:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed for programs."""
        return json.loads(self.out)

    @property
    def words(self) -> str:
        """Everything printed, folded to one line."""
        return " ".join((self.out + " " + self.err).split())


@dataclass(frozen=True, slots=True)
class Cli:
    """Runs commands in a folder that is not a library until `init` made it one."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def __call__(self, *arguments: str) -> Result:
        self.monkeypatch.setattr(sys, "argv", ["windrow", *arguments])
        self.capsys.readouterr()
        with interpreter_kept(), pytest.raises(SystemExit) as ended:
            main()
        printed = self.capsys.readouterr()
        code = ended.value.code
        return Result(code if isinstance(code, int) else int(code is not None), printed.out, printed.err)

    @property
    def toml(self) -> str:
        """The library's configuration."""
        return (self.folder / "windrow.toml").read_text(encoding="utf-8")


@contextmanager
def interpreter_kept() -> Iterator[None]:
    """Put back what a command does to its interpreter, which it takes for its own.

    Some let no more cycles be searched for: in this process that would keep every file open that is in one.
    """
    thresholds, switching = gc.get_threshold(), sys.getswitchinterval()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.enable()
        gc.set_threshold(*thresholds)
        sys.setswitchinterval(switching)


def make_cli(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    is_library: bool = True,
) -> Cli:
    """Give the command line in a folder, with a library in it unless told otherwise. Tries follow at once."""
    monkeypatch.delenv("WINDROW_LIBRARY", raising=False)
    monkeypatch.setenv("WINDROW_HARVEST_BACKOFF", "0s")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(folder)
    cli = Cli(folder, monkeypatch, capsys)
    if is_library:
        assert cli("init").code == 0
    return cli
