"""Memory that a harvest frees is there for its next page."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

# How many pages of memory the system has to hand over for the second of two large pieces.
COUNT = """
import resource
from windrow.cli.sources.harvest_command import keep_freed_memory
keep_freed_memory()
for _ in range(2):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    size = len(b"x" * 24_000_000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is told to keep it")
def test_a_large_piece_is_not_asked_of_the_system_again() -> None:
    done = subprocess.run([sys.executable, "-c", COUNT], capture_output=True, check=True)
    assert int(done.stdout) < 100  # else some 5,900
