"""Replacing a small file whole: after a crash it holds the old content or the new, never half of either."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from windrow.errors import StoreError, StoreFull, explain_write


def replace_file(path: Path, content: bytes) -> None:
    """Give an existing file new content, keeping its mode and, where allowed, its owner and group.

    Where its group cannot be kept, no group may read it: another one was not meant. A link stays a link: what
    it points to is replaced.
    """
    target = path.resolve()
    try:
        _replace(target, content, target.stat())
    except OSError as exc:
        words, hint = explain_write(exc, target)
        kind = StoreFull if exc.errno in {errno.ENOSPC, errno.EDQUOT} else StoreError
        raise kind(f"{path} cannot be written: {words}. It is as it was.", hint=hint) from exc


def _replace(target: Path, content: bytes, before: os.stat_result) -> None:
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        mode = stat.S_IMODE(before.st_mode)
        if hasattr(os, "chown"):
            mode &= ~(0 if _is_given(temporary, before) else stat.S_IRWXG)
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _is_given(path: str, before: os.stat_result) -> bool:
    """Give a file the owner and group of another; return whether its group is the same now."""
    for owner in (before.st_uid, -1):  # only root may give files away; a group of one's own may be chosen
        with suppress(PermissionError):
            os.chown(path, owner, before.st_gid)
            return True
    return os.stat(path).st_gid == before.st_gid


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, on systems where a folder can be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
