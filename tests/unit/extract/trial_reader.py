"""A reader that does to its process what files of strangers might: brought as another package would bring it.

Takes plain text over; the file itself says what is to be done. Copied into a folder of its own by `trials`.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from typing import BinaryIO, NoReturn

from windrow.extract.reading_job import Job, NotInstalled, Unreadable
from windrow.model.document import Heading
from windrow.model.file_content import Extract, Member

media_types = ("text/plain",)


def read(file: BinaryIO, job: Job) -> Extract:
    word, _, rest = file.read().decode().partition(" ")
    deed = globals().get(f"do_{word}")
    if deed is None:
        return Extract("text/plain", text=(word,))
    given = deed(rest)
    return given if isinstance(given, Extract) else Extract("text/plain", text=(str(given),))


def do_everything(_: str) -> Extract:
    return Extract(
        "text/plain",
        said=(("title", "Räksmörgås"), ("creator", "half \ud800 a pair")),
        measured=(("pages", "2"),),
        text=("first ☃", "", "third \udfff"),
        is_paged=True,
        headings=(Heading("One", 1, 1), Heading("Two", 2, None)),
        members=(Member("a/b.txt", 3, 1_700_000_000), Member("c", 0)),
        notes=("a note",),
    )


def do_spin(_: str) -> NoReturn:
    while True:
        pass


def do_spin_unclocked(_: str) -> NoReturn:
    signal.setitimer(signal.ITIMER_REAL, 0)
    do_spin("")


def do_sleep(_: str) -> NoReturn:
    while True:
        time.sleep(1000)


def do_ignore_time(_: str) -> NoReturn:
    for number in (signal.SIGXCPU, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    do_sleep("")


def do_allocate(_: str) -> int:
    return len([b"x" * 50_000_000 for _ in range(1_000)])


def do_bloat(_: str) -> str:
    globals()["kept"] = bytearray(450_000_000)
    return str(os.getpid())


def do_abort(_: str) -> NoReturn:
    os.abort()


def do_segfault(_: str) -> None:
    ctypes.string_at(0)


def do_exit(_: str) -> NoReturn:
    os._exit(7)


def do_leave(_: str) -> NoReturn:
    sys.exit(7)


def do_fail(rest: str) -> NoReturn:
    raise ValueError(rest)


def do_refuse(rest: str) -> NoReturn:
    raise Unreadable(rest)


def do_miss(rest: str) -> NoReturn:
    raise NotInstalled(rest)


def do_recurse(rest: str) -> None:
    do_recurse(rest)


def do_flood(_: str) -> NoReturn:
    while True:
        _line().sendall(b"\xff" * 65536)


def do_say(rest: str) -> None:
    """Send an answer of its own making."""
    _line().sendall(bytes.fromhex(rest))


def do_close(_: str) -> None:
    _line().shutdown(socket.SHUT_RDWR)
    do_sleep("")


def do_fork(_: str) -> str:
    number = os.fork()
    if not number:
        do_sleep("")
    return str(number)


def do_write(rest: str) -> str:
    with open(rest, "wb") as file:
        file.write(b"x")
    return "written"


def do_remove(rest: str) -> str:
    os.unlink(rest)
    return "removed"


def do_start(rest: str) -> str:
    return subprocess.run(["sh", "-c", rest], capture_output=True, check=False).stdout.decode()


def do_connect(rest: str) -> str:
    with socket.create_connection(("127.0.0.1", int(rest))):
        return "connected"


def do_text(rest: str) -> Extract:
    return Extract("text/plain", text=("x" * int(rest), "tail"))


def do_members(rest: str) -> Extract:
    return Extract("text/plain", members=(Member("n" * int(rest), 1),))


def do_look(_: str) -> str:
    """Tell what there is to be seen from here."""
    return json.dumps(
        {
            "pid": os.getpid(),
            "environment": sorted(os.environ),
            "folder": os.getcwd(),
            "descriptors": len(os.listdir("/proc/self/fd")),
            "core": resource.getrlimit(resource.RLIMIT_CORE),
        }
    )


def _line() -> socket.socket:
    """The child's own line to its parent, whose number it was started with."""
    return socket.socket(fileno=os.dup(int(sys.argv[1])))
