"""Memory kept for the next page of a harvest, instead of going back to the system after each.

Used by commands that end when their work is done. A page of a list takes some megabytes, and as much again is
taken a moment later; the C library gives such pieces back at once, and the system has to clear the new ones.
"""

from __future__ import annotations

import sys
from contextlib import suppress

# glibc's numbers for what `mallopt` sets; see malloc.h.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
KEPT_BYTES = 256 * 1024 * 1024  # free at the end of the heap before it shrinks
LARGE_BYTES = 32 * 1024 * 1024  # what is larger goes back at once; glibc takes no more than this


def keep_memory() -> None:
    """Let this process keep what it frees. Where the C library is not glibc, nothing changes."""
    if sys.platform != "linux":
        return
    with suppress(ImportError, OSError, AttributeError):
        from ctypes import CDLL

        library = CDLL(None)
        library.mallopt(_MMAP_THRESHOLD, LARGE_BYTES)
        library.mallopt(_TRIM_THRESHOLD, KEPT_BYTES)
