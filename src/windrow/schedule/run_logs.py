"""The output of runs, one file each: `logs/JOB/NUMBER.log` in the library.

A file has a maximum size: beyond it, its beginning and, above all, its end are kept. It is complete after
every write, so nothing needs to be closed and a runner can be killed at any time.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from windrow.config.secrets import Mask
from windrow.permissions import create_private, make_folder

LOG_FOLDER = "logs"
LOG_SUFFIX = ".log"
MAX_LOG_BYTES = 1_000_000
KEPT_RUNS = 100
TAIL_BYTES = 64 * 1024
_ONLY_US = 0o600  # output may reveal more than the library's pages do


class RunLog:
    """Receives the output of one run. Call it with bytes, from any thread; with b"" at the end."""

    def __init__(self, path: Path, *, most_bytes: int = MAX_LOG_BYTES, mask: Mask | None = None) -> None:
        self._path = path
        self._most = most_bytes
        self._mask = mask or Mask(())
        self._turn = threading.Lock()  # output and errors may come from different threads
        self._size = 0
        self._head = 0  # bytes at the beginning that are kept
        self._left_out = 0
        self._marked = 0  # bytes of the line that replaces the middle

    def __call__(self, some: bytes) -> None:
        """Append to the file; if it grows too long, cut its middle."""
        with self._turn:
            safe = self._mask.feed(some) if some else self._mask.finish()
            if safe:
                self._append(safe)
            if self._size > self._most:
                self._shorten()

    def _append(self, some: bytes) -> None:
        handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, _ONLY_US)
        with os.fdopen(handle, "ab") as file:
            file.write(some)
        self._size += len(some)

    def _shorten(self) -> None:
        """Keep a quarter of the maximum from the beginning and half of it from the end.

        The remaining quarter fills up before the next cut, which bounds the cost of rewriting.
        """
        with self._path.open("rb") as file:
            if not self._head:
                begin = file.read(self._most // 4)
                self._head = begin.rfind(b"\n") + 1 or len(begin)
                file.seek(0)
            begin = file.read(self._head)
            file.seek(max(self._head + self._marked, self._size - self._most // 2))
            skipped = file.tell() - self._head - self._marked
            end = file.read()
        line = end.find(b"\n") + 1  # start with a whole line
        self._left_out += skipped + line
        said = f"… {self._left_out:,} bytes left out here …\n".encode()
        self._replace(begin + said + end[line:])
        self._marked = len(said)

    def _replace(self, whole: bytes) -> None:
        aside = self._path.with_suffix(".part")
        handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _ONLY_US)
        with os.fdopen(handle, "wb") as file:
            file.write(whole)
        aside.replace(self._path)
        self._size = len(whole)


def log_name(job: str, number: int) -> str:
    """Return the path of a run's log, relative to the library's folder."""
    return f"{LOG_FOLDER}/{job}/{number}{LOG_SUFFIX}"


def open_log(
    library: Path,
    job: str,
    number: int,
    *,
    most_bytes: int = MAX_LOG_BYTES,
    keep: int = KEPT_RUNS,
    mask: Mask | None = None,
) -> RunLog:
    """Create the log of a run; the oldest logs of the job are removed, so that `keep` remain."""
    path = library / log_name(job, number)
    make_folder(path.parent, library)
    path.unlink(missing_ok=True)  # a log of an earlier library may be readable by others
    create_private(path)
    prune_logs(library, job, keep=keep)
    return RunLog(path, most_bytes=most_bytes, mask=mask)


def prune_logs(library: Path, job: str, *, keep: int) -> list[str]:
    """Remove the oldest logs of a job; return their names."""
    folder = library / LOG_FOLDER / job
    gone = sorted(_numbers(folder))[:-keep]
    for number in gone:
        with suppress(OSError):
            (folder / f"{number}{LOG_SUFFIX}").unlink()
    return [log_name(job, number) for number in gone]


def add_note(library: Path, log: str, words: str) -> None:
    """Append a line to the log of a finished run, if it still exists."""
    path = library / log
    if log and path.is_file():
        with suppress(OSError), path.open("ab") as file:
            file.write(f"windrow: {words}\n".encode())


def read_log(library: Path, log: str, *, most_bytes: int | None = None) -> str | None:
    """Return the output of a run, or the end of it; None if it no longer exists."""
    path = library / log
    if not log or not path.is_file():
        return None
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        start = 0 if most_bytes is None else max(0, size - most_bytes)
        file.seek(start)
        found = file.read()
    if start:
        found = found[found.find(b"\n") + 1 :]
    return found.decode("utf-8", "replace")


def last_lines(library: Path, log: str, count: int) -> list[str]:
    """Return the last nonempty lines of the output of a run."""
    text = read_log(library, log, most_bytes=TAIL_BYTES) or ""
    return [line.rstrip() for line in text.splitlines() if line.strip()][-count:]


def _numbers(folder: Path) -> Iterator[int]:
    with suppress(OSError):
        for entry in os.scandir(folder):
            stem, ending = os.path.splitext(entry.name)
            if ending == LOG_SUFFIX and stem.isascii() and stem.isdigit():
                yield int(stem)
