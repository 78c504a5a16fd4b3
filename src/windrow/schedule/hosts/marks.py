"""How our records are told from all others: by the job, and by a short mark of the library."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

_MARK_LENGTH = 12  # hexadecimal digits


def library_mark(library: Path) -> str:
    """Give the mark of a library: the same for each way to write its path."""
    return hashlib.sha256(os.fsencode(library.resolve())).hexdigest()[:_MARK_LENGTH]
