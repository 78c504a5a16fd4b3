"""How much of its files a process has mapped: `live` opens an index anew when it has become much.

Tantivy maps its files into memory, and whenever one page of them is read the kernel maps a dozen others
around it. That is the system's cache and nobody's loss; but a server that was asked enough is as large as its
index.
"""

from __future__ import annotations

import os
from pathlib import Path

MOST_BYTES = 160_000_000  # since the files were opened
_STATM = Path("/proc/self/statm")
_SHARED = 2  # which of its numbers is that of resident pages that lie in files


class Mapped:
    """Says when so much was mapped that it is worth being let go of. Never, where nobody can tell."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._start = 0

    def begin(self) -> None:
        """Note how much there is now: of libraries, of other files, of an index that was just opened."""
        self._start = _resident_bytes()

    def is_much(self) -> bool:
        """Whether a lot has come since then.

        What was opened before is let go of a little after `begin`: the least that is seen is where to start.
        """
        now = _resident_bytes()
        self._start = min(self._start, now)
        return now - self._start > self._most


def _resident_bytes() -> int:
    try:
        pages = _STATM.read_text().split()[_SHARED]
    except OSError:  # not Linux
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
