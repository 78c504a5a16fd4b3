"""Who may read the files of a library: its owner alone, unless the owner has chosen otherwise.

New files and folders are private whatever the umask is, as settings may hold passwords and the database
holds what closed sources gave us. A library that is shared on purpose stays shared: what is made in it later
has the permissions of its database, as the files that SQLite keeps beside the database have.
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
    """Make a file that its owner alone may read and write; FileExistsError where there is one."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    with os.fdopen(handle, "wb") as file:
        file.write(content)


def make_folder(folder: Path, library: Path) -> None:
    """Make a folder of a library, and those it lies in, as open as the library's database is."""
    library.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
    mode = folder_mode(library)
    for each in (*reversed(folder.parents), folder):
        if library in each.parents:
            each.mkdir(mode, exist_ok=True)


def folder_mode(library: Path) -> int:
    """Return the permissions that new folders of a library have."""
    try:
        mode = (library / DATABASE).stat().st_mode
    except OSError:
        return PRIVATE_FOLDER
    shared = mode & 0o066
    return PRIVATE_FOLDER | shared | (shared & _READ) >> 2  # who may read may enter


def readers(path: Path) -> str:
    """Return who can read a file or folder besides its owner: "", "group" or "others".

    The folder that it lies in counts: where others cannot enter, they cannot read what is in it.
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
