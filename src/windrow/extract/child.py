"""`python -m windrow.extract.child SOCKET LIMITS`: reads the files that a `worker` sends, one after another.

The far end of `extract`: here, and nowhere else, the bytes of strangers meet the libraries that read them.
Each file comes as an open descriptor with an errand, each gets one answer. It ends when its parent has gone,
when it has done its share, or when it has grown fat; what holds it while it works is in `confinement`.
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
    find_reader("")  # plug-ins are looked for once, before the first file's time begins
    confinement.confine()
    with line, suppress(OSError):  # the parent has gone
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
        confinement.unwind()  # a parent that is busy elsewhere may let us wait for long
        line.sendall(packed)
        if is_last:
            return


def _next(line: socket.socket) -> tuple[Errand, int] | None:
    """Wait for an errand and the descriptor of its file; None: there will be no more."""
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
    """Do an errand, come what may: this is the one place where a reader may fail in any way it likes."""
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
    except (Exception, SystemExit) as exc:  # noqa: BLE001 - a bug in a reader costs one file as well
        return Refusal(f"the reader failed: {type(exc).__name__}: {exc}", "crash")


def _packed(outcome: Answer | Refusal, number: int, limits: Limits, *, is_last: bool) -> list[bytes]:
    """Write the answer; one that is too large would cost the parent's trust and this process."""
    pieces = pack_answer(outcome, number, is_last=is_last)
    if facts_length(pieces) <= limits.facts_bytes:
        return pieces
    refusal = Refusal("it says more of itself than may be kept", "output")
    return pack_answer(refusal, number, is_last=is_last)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
