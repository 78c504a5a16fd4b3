"""One at a time at windrow.toml: what is read, changed and written back must not cross with another's edit.

`edit` takes its turn for each edit, and whoever does more than that under one turn may take it around.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

_ours = threading.local()  # the folders that this thread has its turn at


@contextmanager
def turn_at(file: Path) -> Iterator[None]:
    """Wait until nobody else edits this file; inside a turn of our own, go on at once.

    The folder is what is locked, so that no file is left behind; where that cannot be, as on some shared
    disks, edits go on as if alone.
    """
    folder = file.resolve().parent
    held: set[Path] = _ours.__dict__.setdefault("held", set())
    if folder in held:
        yield
        return
    with ExitStack() as stack:
        _lock(folder, stack)
        held.add(folder)
        try:
            yield
        finally:
            held.discard(folder)


def _lock(folder: Path, stack: ExitStack) -> None:
    try:
        import fcntl  # noqa: PLC0415 - not there on Windows
    except ImportError:
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        stack.callback(os.close, handle)
        fcntl.flock(handle, fcntl.LOCK_EX)
