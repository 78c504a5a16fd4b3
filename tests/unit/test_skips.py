"""The end of a run counts what was skipped by reason, also where workers ran the tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.skips import ADVICE, describe_skips

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = """
import pytest

@pytest.mark.parametrize("number", range(3))
def test_a(number):
    pytest.skip("no barn")

@pytest.mark.skip(reason="no hay")
def test_b():
    pass

def test_c():
    pass
"""


def test_skips_are_counted_by_reason_the_commonest_first() -> None:
    reasons = ["Skipped: no hay", *["Skipped: no barn"] * 10]
    assert describe_skips(reasons) == [f"11 tests were skipped. {ADVICE}", "10  no barn", " 1  no hay"]
    assert describe_skips(["no hay"]) == [f"1 test was skipped. {ADVICE}", "1  no hay"]


def test_a_run_without_skips_says_so() -> None:
    assert describe_skips([]) == ["No test was skipped."]


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_run_prints_the_count_at_its_end(tmp_path: Path, workers: str) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_terminal_summary\n")
    (tmp_path / "test_example.py").write_text(EXAMPLE)
    command = [sys.executable, "-m", "pytest", "-n", workers, "-p", "no:cacheprovider", "--rootdir", "."]
    done = subprocess.run(
        [*command, "-c", "/dev/null"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert f"4 tests were skipped. {ADVICE}\n3  no barn\n1  no hay\n" in done.stdout
