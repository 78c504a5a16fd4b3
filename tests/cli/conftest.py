"""What the tests of the commands share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.sourcing import Cli, make_cli


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Commands in a fresh library."""
    return make_cli(tmp_path, monkeypatch, capsys)
