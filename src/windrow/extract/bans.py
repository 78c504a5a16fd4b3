"""What Linux can forbid a process for good: to open sockets, and to change anything in the file system.

The last lock of `confinement`, behind readers that try neither: it holds even where a broken file makes a
library run what the file says. Other systems, and kernels without these, go without it.
"""

from __future__ import annotations

import ctypes
import os
import struct
from contextlib import suppress
from typing import Any

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
# By the machine: its number in seccomp's eyes, and those of the calls socket and io_uring_setup.
MACHINES = {"x86_64": (0xC000003E, (41, 425)), "aarch64": (0xC00000B7, (198, 425))}
LOAD, IF_EQUAL, IF_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06  # operations of the packet filter
CALL_AT, MACHINE_AT = 0, 4  # where they stand in what the filter sees
X32_CALLS = 0x40000000  # a second table of the same calls
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | 13  # the latter with EACCES

LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446
LANDLOCK_VERSION, LANDLOCK_BENEATH = 1, 1
WRITE_FILE = 1 << 1
# To remove, make and link whatever there is; later versions know moving between folders, and cutting short.
CHANGES = {1: WRITE_FILE | sum(1 << bit for bit in range(4, 13)), 2: 1 << 13, 3: 1 << 14}


def forbid() -> None:
    """Forbid this process, and all that it starts, sockets and changes to files; /dev/null may be written."""
    with suppress(OSError, AttributeError):  # no libc that can be asked
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
