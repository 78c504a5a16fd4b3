"""Confinement of a child by the kernel, applied before the first file.

Applied once by `child`, and for each file with its time and memory. Unsupported restrictions are skipped:
time limits work on every Unix, the memory limit wherever RLIMIT_AS is supported, the bans on Linux.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
import sys
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import Any

from windrow.extract.reading_job import Limits

# On Linux a process can permanently renounce sockets (seccomp) and changes to the file system (Landlock). No
# reader attempts either; these bans also hold if a malicious file makes a library execute code. Other
# systems, and kernels without these features, go without.

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
# By machine: its seccomp architecture number, and the numbers of the calls socket and io_uring_setup.
MACHINES = {"x86_64": (0xC000003E, (41, 425)), "aarch64": (0xC00000B7, (198, 425))}
LOAD, IF_EQUAL, IF_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06  # operations of the packet filter
CALL_AT, MACHINE_AT = 0, 4  # offsets in the data that the filter sees
X32_CALLS = 0x40000000  # a second table of the same calls
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | 13  # the latter with EACCES

LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446
LANDLOCK_VERSION, LANDLOCK_BENEATH = 1, 1
WRITE_FILE = 1 << 1
# Remove, make and link any kind of file; later versions add moving between folders, and truncation.
CHANGES = {1: WRITE_FILE | sum(1 << bit for bit in range(4, 13)), 2: 1 << 13, 3: 1 << 14}


def forbid_sockets_and_writes() -> None:
    """Forbid this process and its children sockets and changes to files; /dev/null stays writable."""
    with suppress(OSError, AttributeError):  # no accessible libc
        system = ctypes.CDLL(None, use_errno=True)
        if system.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
            _forbid_changes(system)
            _forbid_sockets(system)


def _forbid_sockets(system: Any) -> None:
    machine, calls = MACHINES.get(os.uname().machine, (0, ()))
    if not calls or struct.calcsize("P") != 8:
        return
    rules = [(LOAD, 0, 0, MACHINE_AT), (IF_EQUAL, 0, len(calls) + 3, machine), (LOAD, 0, 0, CALL_AT)]
    rules.append((IF_AT_LEAST, len(calls) + 1, 0, X32_CALLS))
    rules += [(IF_EQUAL, len(calls) - place, 0, call) for place, call in enumerate(calls)]
    rules += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE)]
    packed = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))
    program = struct.pack("HxxxxxxP", len(rules), ctypes.addressof(packed))
    system.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0)


def _forbid_changes(system: Any) -> None:
    version = system.syscall(LANDLOCK_CREATE, None, 0, LANDLOCK_VERSION)
    if version < 1:
        return
    changes = struct.pack("Q", sum(bits for since, bits in CHANGES.items() if since <= version))
    rules = system.syscall(LANDLOCK_CREATE, changes, len(changes), 0)
    if rules < 0:
        return
    nowhere = os.open(os.devnull, os.O_RDONLY)
    allowed = struct.pack("=Qi", WRITE_FILE, nowhere)
    system.syscall(LANDLOCK_ADD, rules, LANDLOCK_BENEATH, allowed, 0)
    system.syscall(LANDLOCK_RESTRICT, rules, 0)
    os.close(nowhere)
    os.close(rules)


DESCRIPTORS = 64
PAGE_BYTES = resource.getpagesize()
STATM = Path("/proc/self/statm")


def confine() -> None:
    """Permanently remove rights that no reader needs."""
    os.umask(0o077)
    _bound(resource.RLIMIT_CORE, 0, 0)
    _bound(resource.RLIMIT_FSIZE, 0, 0)  # not pipes, to which Ghostscript writes
    _bound(resource.RLIMIT_NOFILE, DESCRIPTORS, DESCRIPTORS)
    # default actions end the process even in a library that never returns
    for number in (signal.SIGXCPU, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    if sys.platform == "linux":
        forbid_sockets_and_writes()


def wind(limits: Limits) -> None:
    """Set the time and memory limits for one file; the kernel ends the process when the time is over.

    Memory is counted from the present use, which includes libraries that earlier files needed.
    """
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    _bound(resource.RLIMIT_CPU, ceil(used + limits.time_seconds), most)
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    _bound(resource.RLIMIT_AS, address_space() + limits.memory_bytes, most)
    # The parent kills this process earlier; the timer is for a parent that has died.
    signal.setitimer(signal.ITIMER_REAL, limits.clock_seconds + 1)


def unwind() -> None:
    """Stop the timer while waiting for the next file."""
    signal.setitimer(signal.ITIMER_REAL, 0)


def address_space() -> int:
    """Return the address space of this process in bytes; 0 if the system does not report it."""
    try:
        return int(STATM.read_bytes().split()[0]) * PAGE_BYTES
    except OSError:
        return 0


def _bound(what: int, soft: int, hard: int) -> None:
    _, most = resource.getrlimit(what)
    if most != resource.RLIM_INFINITY:
        hard = most if hard == resource.RLIM_INFINITY else min(hard, most)
        soft = min(soft, hard)
    with suppress(ValueError, OSError):  # macOS does not support RLIMIT_AS
        resource.setrlimit(what, (soft, hard))
