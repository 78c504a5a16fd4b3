"""How far a run of a job is, for whoever may know: two numbers out of the last line that it printed.

What a run prints may say anything, so nothing but numbers is taken from it. `job_standing` asks.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

_TAIL_BYTES = 512
_SO_FAR = re.compile(r"[a-z ]{1,40}: (\d[\d,]{0,14}) of (\d[\d,]{0,14}) \(.*", re.ASCII)


def how_far(library: Path, log: str) -> tuple[int, int] | None:
    """Give how many of how many are done; None where its last line does not say so."""
    lines = _tail(library / log).splitlines() if log else []
    found = _SO_FAR.fullmatch(lines[-1]) if lines else None
    return (_number(found[1]), _number(found[2])) if found else None


def _number(digits: str) -> int:
    return int(digits.replace(",", ""))


def _tail(path: Path) -> str:
    """Give the end of a file; nothing where there is none, or it cannot be read."""
    with suppress(OSError), path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
        return file.read(_TAIL_BYTES).decode("utf-8", "replace")
    return ""
