"""What a process used, seen from outside."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from bench import process_tree
from bench.errors import ContestantError

# The parent does nothing itself: what is found is the child's.
WORK = (
    "import sys; sum(range(6_000_000)); data = b'x' * 40_000_000; print('done', flush=True); sys.stdin.read()"
)
FAMILY = f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', {WORK!r}]))"


def test_the_work_and_the_memory_of_a_child_are_counted_with_its_parent() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", FAMILY], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"done\n"
        used = process_tree.used(parent.pid)
        parent.stdin.close()
    assert used.cpu_seconds > 0
    assert used.peak_bytes >= used.resident_bytes > 40_000_000


def test_our_own_use_only_grows() -> None:
    before = process_tree.used(os.getpid())
    after = process_tree.used(os.getpid())
    assert after.cpu_seconds >= before.cpu_seconds > 0


def test_a_process_that_is_gone_has_no_numbers() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    with pytest.raises(ContestantError, match="gone"):
        process_tree.used(process.pid)
