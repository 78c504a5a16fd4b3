"""The bytes of a small configuration file. Used by `scope` (.htaccess) and `htpasswd`.

Whoever may write an .htaccess may also name a pipe or a device in it, so only regular files are read.
"""

from __future__ import annotations

import os
import stat

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def read_regular(path: str, *, most_bytes: int, needs_public_read: bool = False) -> bytes:
    """Give the bytes of a regular file; an OSError where it is none, is too large or cannot be read.

    With `needs_public_read` also where not everybody on the machine may read it.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise OSError("not a regular file")
        if needs_public_read and not mode & stat.S_IROTH:
            raise OSError("not everybody may read it; see needs_public_read")
        data = _read_up_to(descriptor, most_bytes + 1)
    finally:
        os.close(descriptor)
    if len(data) > most_bytes:
        raise OSError(f"more than {most_bytes} bytes")
    return data


def _read_up_to(descriptor: int, size: int) -> bytes:
    pieces: list[bytes] = []
    while size > 0 and (piece := os.read(descriptor, min(size, 1 << 16))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
