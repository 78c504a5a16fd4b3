"""The stylesheets of a library: `xslt/FORMAT.xsl` in its folder, looked for anew at each request.

Before `styling`, which has them run. What is not there is shown by the stylesheets that Windrow has.
"""

from __future__ import annotations

import hashlib
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

FOLDER = "xslt"
MOST_BYTES = 512 * 1024
# Stricter than metadata formats may be called: what reaches the file system is a plain name.
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}(?:\.[A-Za-z0-9_-]{1,20}){0,3}")
_Seen = tuple[int, int, int, int]  # when it was written and changed, how long it is, which file it is


@dataclass(frozen=True, slots=True)
class Sheet:
    """One stylesheet as it is now. Without text it cannot be used; `problem` says why."""

    name: str
    text: bytes
    digest: str
    written: int  # Unix seconds
    problem: str = ""


class Stylesheets:
    """Finds the stylesheets of one library. Used by many threads at once."""

    def __init__(self, library: Path) -> None:
        self._folder = library / FOLDER
        self._known: dict[str, tuple[_Seen, Sheet]] = {}
        self._turn = Lock()

    def find(self, prefix: str) -> Sheet | None:
        """Give the library's own stylesheet for a format; None where there is none."""
        if _NAME.fullmatch(prefix) is None:
            return None
        path = self._folder / f"{prefix}.xsl"
        try:
            status = path.stat()
        except (OSError, ValueError):
            with self._turn:
                self._known.pop(prefix, None)
            return None
        # A copy may keep the date of what it is a copy of; when a file became what it is, the system tells.
        seen = status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
        with self._turn:
            known = self._known.get(prefix)
        if known is None or known[0] != seen:
            is_file = stat.S_ISREG(status.st_mode)
            known = seen, _read(path, int(max(status.st_mtime, status.st_ctime)), is_file=is_file)
            with self._turn:
                self._known[prefix] = known
        return known[1]

    def touched(self) -> int:
        """Give when a stylesheet was last put there or taken away, Unix seconds; 0 without the folder."""
        try:
            return int(self._folder.stat().st_mtime)
        except OSError:
            return 0


def _read(path: Path, written: int, *, is_file: bool) -> Sheet:
    name = f"{FOLDER}/{path.name}"
    text, problem = b"", ""
    if not is_file:
        problem = "it is not a file"
    else:
        try:
            with path.open("rb") as file:
                text = file.read(MOST_BYTES + 1)
        except OSError as exc:
            problem = f"it cannot be read: {exc.strerror}"
    if len(text) > MOST_BYTES:
        text, problem = b"", f"it has more than {MOST_BYTES:,} bytes"
    digest = hashlib.sha256(text or problem.encode()).hexdigest()[:20]
    return Sheet(name, text, digest, written, problem)
