"""File permissions of a library: private to its owner, unless the owner has chosen otherwise.

New files and folders are private regardless of the umask, because settings may hold passwords and the
database may hold records of closed sources. A library that is shared on purpose stays shared: what is
created in it later has the permissions of its database, as SQLite does for its own files beside the
database.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

DATABASE = "windrow.db"
PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
_READ = 0o444


def create_private(path: Path, content: bytes = b"") -> None:
    """Create a file that only its owner can read and write; FileExistsError if it exists."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    with os.fdopen(handle, "wb") as file:
        file.write(content)


def make_folder(folder: Path, library: Path) -> None:
    """Create a folder of a library, and its parents, with the permissions of the library's database."""
    library.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
    mode = folder_mode(library)
    for each in (*reversed(folder.parents), folder):
        if library in each.parents:
            each.mkdir(mode, exist_ok=True)


def folder_mode(library: Path) -> int:
    """Return the permissions for new folders of a library."""
    try:
        mode = (library / DATABASE).stat().st_mode
    except OSError:
        return PRIVATE_FOLDER
    shared = mode & 0o066
    return PRIVATE_FOLDER | shared | (shared & _READ) >> 2  # read permission implies the permission to enter


def readers(path: Path) -> str:
    """Return who can read a file or folder besides its owner: "", "group" or "others".

    The parent folder counts: if others cannot enter it, they cannot read its contents.
    """
    if os.name != "posix":
        return ""
    try:
        mode, around = path.stat().st_mode, path.parent.stat().st_mode
    except OSError:
        return ""
    if mode & stat.S_IROTH and around & stat.S_IXOTH:
        return "others"
    return "group" if mode & stat.S_IRGRP and around & stat.S_IXGRP else ""
