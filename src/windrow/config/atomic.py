"""Replacing a small file whole: after a crash it holds the old content or the new, never half of either."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from windrow.errors import StoreError, StoreFull


def replace_file(path: Path, content: bytes) -> None:
    """Give an existing file new content, keeping its mode and, where allowed, its owner.

    A link stays a link: what it points to is replaced.
    """
    target = path.resolve()
    try:
        _replace(target, content, target.stat())
    except OSError as exc:
        kind = StoreFull if exc.errno in {errno.ENOSPC, errno.EDQUOT} else StoreError
        raise kind(f"{path} cannot be written: {exc.strerror}. It is as it was.") from exc


def _replace(target: Path, content: bytes, before: os.stat_result) -> None:
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if hasattr(os, "chown"):
            with suppress(PermissionError):  # only root may give files away
                os.chown(temporary, before.st_uid, before.st_gid)
        Path(temporary).chmod(stat.S_IMODE(before.st_mode))
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, on systems where a folder can be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
