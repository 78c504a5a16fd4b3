"""What a child may not do, told to the kernel before the first file comes.

Called once by `child`, and before each file for its time and its memory. What a system does not know is left
out: the limits of time hold on every Unix, that of memory wherever RLIMIT_AS is kept, the bans on Linux.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from contextlib import suppress
from math import ceil
from pathlib import Path

from windrow.extract import bans
from windrow.extract.limits import Limits

DESCRIPTORS = 64
PAGE_BYTES = resource.getpagesize()
STATM = Path("/proc/self/statm")


def confine() -> None:
    """Take from this process what no reader needs, for good."""
    os.umask(0o077)
    _bound(resource.RLIMIT_CORE, 0, 0)
    _bound(resource.RLIMIT_FSIZE, 0, 0)  # pipes, which Ghostscript answers into, are no files
    _bound(resource.RLIMIT_NOFILE, DESCRIPTORS, DESCRIPTORS)
    for number in (signal.SIGXCPU, signal.SIGALRM):  # ends it even within a library that never returns
        signal.signal(number, signal.SIG_DFL)
    if sys.platform == "linux":
        bans.forbid()


def wind(limits: Limits) -> None:
    """Give one file its time and its memory: the kernel ends the process when the time has run down.

    Memory is counted from what the process has by now, libraries that earlier files needed among it.
    """
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    _bound(resource.RLIMIT_CPU, ceil(used + limits.time_seconds), most)
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    _bound(resource.RLIMIT_AS, address_space() + limits.memory_bytes, most)
    # The parent ends us before; this is for a parent that is no more.
    signal.setitimer(signal.ITIMER_REAL, limits.clock_seconds + 1)


def unwind() -> None:
    """Stop the clock: waiting for the next file costs no time."""
    signal.setitimer(signal.ITIMER_REAL, 0)


def address_space() -> int:
    """How much memory this process has asked for, in bytes; 0 where the system does not say."""
    try:
        return int(STATM.read_bytes().split()[0]) * PAGE_BYTES
    except OSError:
        return 0


def _bound(what: int, soft: int, hard: int) -> None:
    _, most = resource.getrlimit(what)
    if most != resource.RLIM_INFINITY:
        hard = most if hard == resource.RLIM_INFINITY else min(hard, most)
        soft = min(soft, hard)
    with suppress(ValueError, OSError):  # macOS keeps no RLIMIT_AS
        resource.setrlimit(what, (soft, hard))
