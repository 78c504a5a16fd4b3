"""What comes of handing a file to a reader: what it gave, or why there is nothing.

Made by `worker` out of what a child answers, handed on by `pool`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from windrow.model.extract import Extract

Code = Literal["time", "memory", "crash", "output", "unreadable", "missing", "gone"]


@dataclass(frozen=True, slots=True)
class Result:
    """What one file gave, and a small picture of it where there is one."""

    extract: Extract
    picture: bytes | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a file gave nothing. `reason` is a clause after the file's name: "it took longer than 30 s".

    Codes: `time`, `memory` and `output` are limits it went over; `crash` is a reader that died or failed;
    `unreadable` is what a reader says of the file; `missing` is a package that is not installed; `gone` is a
    file that could not be opened, so that the next look may find it.
    """

    reason: str
    code: Code
