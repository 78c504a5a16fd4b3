"""The target of an export: stdout, or a file that is written completely or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from windrow.errors import UsageError, unwritable

STDOUT = "-"


@contextmanager
def open_output(name: str) -> Iterator[IO[bytes]]:
    """Yield a stream to write to. A file is replaced only when everything has been written."""
    if name == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(name)
    try:
        if path.exists() and not path.is_file():  # /dev/null or a pipe: cannot be renamed
            with path.open("wb") as stream:
                yield stream
            return
        with _replacing(path) as stream:
            yield stream
    except OSError as exc:
        if isinstance(exc, BrokenPipeError):
            raise
        raise unwritable(name, exc, UsageError) from exc


@contextmanager
def open_output_file(name: str) -> Iterator[Path]:
    """Yield the path of an empty file, for formats that need more than a stream."""
    path = Path(name)
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{name} is no file", hint="Choose another name.")
        with _replacing(path) as stream:
            yield Path(stream.name)
    except OSError as exc:
        raise unwritable(name, exc, UsageError) from exc


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    path = path.resolve()  # follow links, so that a link stays a link
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    handle, aside = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".part", dir=path.parent)
    try:
        os.close(handle)
        with Path(aside).open("r+b") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        Path(aside).chmod(mode)
        Path(aside).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(aside).unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
