"""`python -m windrow.extract.child SOCKET LIMITS`: a child process that reads files for `child_process`.

Untrusted bytes meet the libraries that read them only here. Each file arrives as an open descriptor with an
errand, and gets one answer. The child ends when its parent is gone, after its number of files, or when it
uses too much memory; `confinement` restricts it meanwhile.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from contextlib import suppress
from dataclasses import replace

from windrow.extract import confinement
from windrow.extract.child_protocol import (
    ERRAND_LENGTH,
    READY,
    Answer,
    Errand,
    facts_length,
    pack_answer,
    unpack_errand,
)
from windrow.extract.file_reading import bound_extract, process_errand
from windrow.extract.reader_registry import find_reader
from windrow.extract.reading_job import FAT_BYTES, Limits, NotInstalled, Refusal, Unreadable

CLOSE_ON_EXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)


def main(arguments: list[str]) -> int:
    """Serve the socket until its other end closes."""
    if len(arguments) != 2:
        sys.stderr.write("This reads documents for Windrow, which starts it by itself.\n")
        return 2
    line = socket.socket(fileno=int(arguments[0]))
    line.set_inheritable(False)
    limits = Limits(**json.loads(arguments[1]))
    find_reader("")  # load plug-ins now, before the time of the first file starts
    confinement.confine()
    with line, suppress(OSError):  # the parent is gone
        line.sendall(READY)
        _serve(line, limits)
    return 0


def _serve(line: socket.socket, limits: Limits) -> None:
    most = confinement.address_space() + FAT_BYTES
    for number in range(1, limits.jobs + 1):
        received = _next(line)
        if received is None:
            return
        confinement.wind(limits)
        outcome = _outcome(*received, limits)
        is_fat = isinstance(outcome, Refusal) and outcome.code == "memory"
        is_last = is_fat or number == limits.jobs or confinement.address_space() > most
        packed = b"".join(_packed(outcome, received[0].number, limits, is_last=is_last))
        confinement.unwind()  # a busy parent may not read the answer for a long time
        line.sendall(packed)
        if is_last:
            return


def _next(line: socket.socket) -> tuple[Errand, int] | None:
    """Receive an errand and the descriptor of its file; None: there are no more."""
    begun, descriptors, _, _ = socket.recv_fds(line, ERRAND_LENGTH.size, 1, CLOSE_ON_EXEC)
    if not begun:
        return None
    begun += _exactly(line, ERRAND_LENGTH.size - len(begun))
    packed = _exactly(line, ERRAND_LENGTH.unpack(begun)[0])
    return unpack_errand(packed), descriptors[0]


def _exactly(line: socket.socket, size: int) -> bytes:
    came = b""
    while len(came) < size:
        more = line.recv(size - len(came))
        if not more:
            raise ConnectionError
        came += more
    return came


def _outcome(errand: Errand, descriptor: int, limits: Limits) -> Answer | Refusal:
    """Process an errand; a reader may fail here in any way."""
    try:
        with os.fdopen(descriptor, "rb") as file:
            given = process_errand(errand, file)
        if given.extract is None:
            return given
        return replace(given, extract=bound_extract(given.extract, limits.text_characters))
    except NotInstalled as exc:
        return Refusal(exc.reason, "missing")
    except Unreadable as exc:
        return Refusal(exc.reason, "unreadable")
    except MemoryError:
        return Refusal(limits.memory_words, "memory")
    except RecursionError:
        return Refusal("it is nested too deeply", "unreadable")
    except (Exception, SystemExit) as exc:  # noqa: BLE001 - a bug in a reader costs only one file
        return Refusal(f"the reader failed: {type(exc).__name__}: {exc}", "crash")


def _packed(outcome: Answer | Refusal, number: int, limits: Limits, *, is_last: bool) -> list[bytes]:
    """Pack the answer; one that is too large is replaced, because the parent would kill this process."""
    pieces = pack_answer(outcome, number, is_last=is_last)
    if facts_length(pieces) <= limits.facts_bytes:
        return pieces
    refusal = Refusal("it says more of itself than may be kept", "output")
    return pack_answer(refusal, number, is_last=is_last)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
