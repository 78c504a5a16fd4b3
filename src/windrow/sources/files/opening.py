"""A file opened by its names, one after the other, so that no link can slip in on the way.

Used by `walk.open_visible` after `tree` has decided on the names.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from typing import BinaryIO

_FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)


def open_beneath(root: str, names: Sequence[str]) -> BinaryIO:
    """Open the file that these names lead to from a folder; an OSError where one of them is a link."""
    if os.open not in os.supports_dir_fd:
        return open_checked(root, names)
    folder = os.open(root, _FOLDER)
    try:
        for name in names[:-1]:
            inner = os.open(name, _FOLDER | _NO_LINK, dir_fd=folder)
            os.close(folder)
            folder = inner
        return _as_file(os.open(names[-1], _FILE | _NO_LINK, dir_fd=folder))
    finally:
        os.close(folder)


def open_checked(root: str, names: Sequence[str]) -> BinaryIO:
    """Open by the whole path where the system offers nothing better, and look for links afterwards."""
    path = os.path.join(root, *names)
    file = _as_file(os.open(path, _FILE))
    if os.path.normcase(os.path.realpath(path)) == os.path.normcase(path):
        return file
    file.close()
    raise FileNotFoundError(path)


def _as_file(descriptor: int) -> BinaryIO:
    """Give the open file. It must be a regular one: a folder or a pipe may have taken its place."""
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return open(descriptor, "rb")
    os.close(descriptor)
    raise FileNotFoundError("not a regular file")
