"""What a running process and all it started have used so far, from Linux's /proc.

Below `servers`: a server is measured from outside, between two moments of its life.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.errors import ContestantError

PROC = Path("/proc")
# The command's name stands in brackets and may hold anything, so fields are counted after the last bracket.
AFTER_NAME = re.compile(r".*\)", re.DOTALL)
PARENT, USER, SYSTEM, DEAD_USER, DEAD_SYSTEM = 1, 11, 12, 13, 14


@dataclass(frozen=True, slots=True)
class Used:
    """CPU of the whole tree, ended children included; memory of its largest process."""

    cpu_seconds: float
    resident_bytes: int
    peak_bytes: int


def used(pid: int) -> Used:
    """Look at a process and its descendants now; ContestantError when it is gone or /proc is not there."""
    tree = list(_tree(pid))
    if not tree:
        raise ContestantError("the server is gone" if PROC.is_dir() else "servers are measured on Linux only")
    ticks = sum(sum(fields[USER : DEAD_SYSTEM + 1]) for _, fields in tree)
    memory = [_memory(number) for number, _ in tree]
    resident, peak = (max(column) for column in zip(*memory, strict=True))
    return Used(ticks / os.sysconf("SC_CLK_TCK"), resident, peak)


def resident(pid: int) -> int:
    """Return what one process holds now, without those that it started; 0 when it is gone."""
    return _memory(pid)[0]


def _tree(pid: int) -> Iterator[tuple[int, list[int]]]:
    everybody = {int(path.name): fields for path in PROC.glob("[0-9]*") if (fields := _fields(path))}
    wanted = [pid]
    while wanted:
        number = wanted.pop()
        if number in everybody:
            yield number, everybody[number]
            wanted += [child for child, fields in everybody.items() if fields[PARENT] == number]


def _fields(path: Path) -> list[int]:
    try:
        text = (path / "stat").read_text(errors="replace")
    except OSError:  # it ended while we looked
        return []
    state, *numbers = AFTER_NAME.sub("", text, count=1).split()
    return [ord(state), *map(int, numbers[: DEAD_SYSTEM + 1])]


def _memory(pid: int) -> tuple[int, int]:
    try:
        status = (PROC / str(pid) / "status").read_text()
    except OSError:
        return 0, 0
    return _kilobytes(status, "VmRSS"), _kilobytes(status, "VmHWM")


def _kilobytes(status: str, name: str) -> int:
    found = re.search(rf"^{name}:\s*(\d+) kB", status, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0
