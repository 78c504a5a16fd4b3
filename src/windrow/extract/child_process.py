"""A child process from its parent's side: start, send files, receive answers, enforce deadlines, replace.

The next file is sent while the child reads the current one, so that it never waits; if it dies, the current
file is the cause.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, BinaryIO

from windrow.errors import WindrowError
from windrow.extract.child_protocol import (
    READY,
    Answer,
    BadMessage,
    Errand,
    Received,
    answer_length,
    pack_errand,
    unpack_answer,
)
from windrow.extract.reading_job import Limits, Refusal

AHEAD = 2  # files a child has: the current one and the next
CHUNK_BYTES = 1 << 18
START_SECONDS = 60.0
# What Python, its libraries and Ghostscript need to be found; a reader needs nothing else.
ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
# One thread per child: several would reserve address space each, which counts as memory.
SINGLE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
KILLED_FOR_TIME = (signal.SIGXCPU, signal.SIGALRM) if sys.platform != "win32" else ()


@dataclass(slots=True, eq=False)
class Order:
    """One file for a child; `key` belongs to the caller."""

    open: Callable[[], BinaryIO]
    errand: Errand
    key: Any = None


Outcome = Answer | Refusal


class Worker:
    """Owns one child, or none before the first order and after a crash."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pending: deque[tuple[Order, bytes, BinaryIO]] = deque()
        self._buffer = bytearray()
        self._socket: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._stop: weakref.finalize[..., Worker] | None = None
        self._is_ready = False
        self._given = 0
        self.deadline = 0.0  # of the current file, by the monotonic clock

    @property
    def load(self) -> int:
        return len(self._pending)

    @property
    def is_idle(self) -> bool:
        """Return whether its child waits for work."""
        return self._socket is not None and not self._pending

    def fileno(self) -> int:
        """Return the descriptor to wait on, which changes with each child."""
        assert self._socket is not None
        return self._socket.fileno()

    def give(self, order: Order) -> Refusal | None:
        """Open the file of an order and send it to the child; returns a Refusal if it cannot be opened."""
        self._given += 1
        order.errand = replace(order.errand, number=self._given)
        try:
            packed = pack_errand(order.errand)
            file = order.open()
        except OSError as exc:
            return Refusal(f"it could not be opened: {exc.strerror or exc}", "gone")
        except BadMessage as exc:
            return Refusal(str(exc), "unreadable")
        self._leave_the_dead()
        is_waiting = self.is_idle
        self._pending.append((order, packed, file))
        if self._socket is None:
            self._start()
            return None
        if is_waiting:  # for an unknown time
            self._wind()
        self._send(packed, file)
        return None

    def hear(self) -> Iterator[tuple[Order, Outcome]]:
        """Yield the outcomes that have arrived; call it when the descriptor is readable."""
        try:
            came = self._socket.recv(CHUNK_BYTES) if self._socket else b""
        except BlockingIOError:
            return
        except OSError:  # it died with an unread order
            came = b""
        if not came:
            yield from self._bury()
            return
        self._buffer += came
        if not self._is_ready:
            self._is_ready = bool(self._buffer[:1] == READY)
            del self._buffer[:1]
            self._wind()
        yield from self._understood()

    def give_up(self) -> Iterator[tuple[Order, Outcome]]:
        """End a child that exceeded its time, and refuse its current file."""
        if not self._is_ready:
            self._fail_to_start()
        yield from self._lose(Refusal(self._limits.time_words, "time"))

    def close(self) -> None:
        """End the child and all its children; the current file is dropped."""
        self._end()
        while self._pending:
            self._pending.popleft()[2].close()

    def _leave_the_dead(self) -> None:
        """Discard a child that died while idle, for which no file is to blame."""
        if self._socket is None or self._pending:
            return
        with suppress(BlockingIOError):
            with suppress(ConnectionError):
                self._socket.recv(1, socket.MSG_PEEK)
            self._end()

    def _understood(self) -> Iterator[tuple[Order, Outcome]]:
        try:
            while received := self._received():
                if received.is_last:
                    order = self._done()
                    self._replace()
                    yield order, received.outcome
                    return
                yield self._done(), received.outcome
        except BadMessage as exc:
            yield from self._lose(Refusal(str(exc), "output"))

    def _received(self) -> Received | None:
        if not self._buffer:
            return None
        if not self._pending:
            raise BadMessage("the reader answered what nobody asked")
        errand = self._pending[0][0].errand
        length = answer_length(self._buffer, errand.what, self._limits)
        if length is None or len(self._buffer) < length:
            return None
        packed = bytes(memoryview(self._buffer)[:length])
        del self._buffer[:length]
        return unpack_answer(packed, errand)

    def _done(self) -> Order:
        order, _, file = self._pending.popleft()
        file.close()
        self._wind()
        return order

    def _wind(self) -> None:
        self.deadline = time.monotonic() + self._limits.clock_seconds

    def _bury(self) -> Iterator[tuple[Order, Outcome]]:
        """Refuse the file that crashed the child, with the reason."""
        if not self._is_ready:
            self._fail_to_start()
        yield from self._lose(self._verdict(self._end()))

    def _verdict(self, status: int) -> Refusal:
        if -status in KILLED_FOR_TIME:
            return Refusal(self._limits.time_words, "time")
        how = f"signal {-status}" if status < 0 else f"exit {status}"
        if -status == signal.SIGABRT:  # libraries abort when an allocation fails
            how += f"; perhaps {self._limits.memory_words}"
        return Refusal(f"the reader crashed ({how})", "crash")

    def _lose(self, refusal: Refusal) -> Iterator[tuple[Order, Outcome]]:
        """Refuse the current file; the next one goes to a new child."""
        self._end()
        if self._pending:
            order, _, file = self._pending.popleft()
            file.close()
            self._replace()
            yield order, refusal

    def _replace(self) -> None:
        self._end()
        if self._pending:
            self._start()

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = _spawned(theirs.fileno(), self._limits)
            except OSError as exc:
                ours.close()
                raise WindrowError(f"The process that reads documents does not start: {exc}") from exc
        ours.setblocking(False)
        self._socket, self._is_ready = ours, False
        self._stop = weakref.finalize(self, _end_process, self._process, ours)
        self.deadline = time.monotonic() + START_SECONDS
        for _, packed, file in self._pending:
            self._send(packed, file)

    def _send(self, packed: bytes, file: BinaryIO) -> None:
        assert self._socket is not None
        with suppress(OSError):  # it has just died, which the end of its answers will show
            socket.send_fds(self._socket, [packed], [file.fileno()])

    def _end(self) -> int:
        """End the child; return its exit status, or 0 if there was none. It is negative after a signal."""
        process, stop = self._process, self._stop
        self._socket = self._process = self._stop = None
        self._buffer.clear()
        if process is None or stop is None:
            return 0
        stop()
        return process.returncode

    def _fail_to_start(self) -> None:
        status = self._end()
        self.close()
        raise WindrowError(
            f"The process that reads documents does not start (exit {status}).",
            hint="See what it says: python -m windrow.extract.child",
        )


def can_work() -> bool:
    """Return whether this system can pass open files to another process."""
    return hasattr(socket, "send_fds") and hasattr(os, "killpg")


def _spawned(descriptor: int, limits: Limits) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [
            *(sys.executable, "-B", "-P", "-W", "ignore"),
            *("-m", "windrow.extract.child", str(descriptor), json.dumps(asdict(limits))),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(descriptor,),
        # Ctrl-C is handled by the parent; and the child can be killed with its children
        start_new_session=True,
        cwd="/",
        env=child_environment(),
    )


def child_environment() -> dict[str, str]:
    """Return the environment of a confined child: what Python and its libraries need to be found."""
    kept = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    if "PYTHONPATH" in os.environ:  # the working directory is `/`, so paths must be absolute
        folders = os.environ["PYTHONPATH"].split(os.pathsep)
        kept["PYTHONPATH"] = os.pathsep.join(os.path.abspath(folder) for folder in folders)
    return kept | SINGLE


def _end_process(process: subprocess.Popen[bytes], ours: socket.socket) -> None:
    """Kill a child with all its children, at the latest when this process ends."""
    with suppress(ProcessLookupError, PermissionError):  # PermissionError on macOS if the group is empty
        os.killpg(process.pid, signal.SIGKILL)  # the child is not reaped yet, so its number is still its own
    process.wait()
    ours.close()
