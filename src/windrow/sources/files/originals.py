"""A document's file as it lies there now, opened whole: only what everybody may see."""

from __future__ import annotations

import os
from typing import BinaryIO, NamedTuple

from windrow.sources.files.published import PublishedFolder
from windrow.sources.files.walk import Tree, open_visible


class OpenFile(NamedTuple):
    """An open file, with what it is at this moment. Whoever asked for it closes it."""

    file: BinaryIO
    size: int
    mtime_ns: int


def open_public(folder: PublishedFolder, path: str) -> OpenFile | None:
    """Open the file at a path; None where it is not there, or not for everybody (any more)."""
    try:
        file = open_visible(Tree.at(folder.root, folder.rules), path, guards=())
    except OSError:
        return None
    status = os.fstat(file.fileno())
    return OpenFile(file, status.st_size, status.st_mtime_ns)
