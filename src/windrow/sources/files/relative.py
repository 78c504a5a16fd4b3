"""A path inside the folder, taken apart: where every path from outside enters.

Used by `tree`, `walk` and `guards` before anything touches the disk.
"""

from __future__ import annotations

import os

MOST_FOLDERS_DEEP = 64
MOST_CHARACTERS = 16384


def split_path(path: str) -> tuple[str, ...] | None:
    """Give the names along a relative path, none for the folder itself; None where it is no such path.

    `..`, `.`, empty names, an absolute path, NUL, names that are not UTF-8 and paths of absurd length
    are no such path. So is whatever another system's separators would make of a name.
    """
    if not path:
        return ()
    if len(path) > MOST_CHARACTERS or "\0" in path or not is_utf8(path):
        return None
    parts = tuple(path.split("/"))
    if len(parts) > MOST_FOLDERS_DEEP + 1 or any(part in {"", ".", ".."} for part in parts):
        return None
    if os.sep != "/" and any(os.sep in part or ":" in part for part in parts):
        return None
    return parts


def is_utf8(name: str) -> bool:
    """Say whether a name from the disk can be written down: the others come with lone surrogates."""
    if name.isascii():
        return True
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
