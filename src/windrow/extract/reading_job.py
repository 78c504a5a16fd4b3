"""How much one file may cost: read from the configuration, handed to each child, held there by the kernel."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal

from windrow.errors import install_hint
from windrow.model.file_content import Extract

# What is asked of the reader of one file: the note that goes with the open file into a child process.


@dataclass(frozen=True, slots=True)
class Job:
    """One file to be read, or to be drawn."""

    name: str  # the file's own name, without folders: a hint only
    declared: str = ""  # the media type its folder declares, a hint; for a reader, what was found out
    member: str = ""  # inside the archive that the file is; empty: the file itself
    page: int = 1  # of the picture, the first being 1
    size: int = 320  # of the picture: no wider and no higher, in pixels
    most_members: int = 1_000  # of an archive: how many of its files are listed


MEGABYTE = 1_000_000
FACTS_BYTES = 4 * MEGABYTE
MEMBER_BYTES = 64 * MEGABYTE  # of one file taken out of an archive
FAT_BYTES = 400 * MEGABYTE  # twice what all libraries take: whoever keeps so much is replaced


@dataclass(frozen=True, slots=True)
class Limits:
    """For each file by itself, whatever came before it."""

    time_seconds: float = 30.0  # of the processor; twice as much by the clock, for machines with other work
    memory_bytes: int = 1_000 * MEGABYTE  # beyond what an idle child has
    text_characters: int = 5_000_000  # what is beyond is left out, and a note says so
    picture_bytes: int = 2 * MEGABYTE
    member_bytes: int = MEMBER_BYTES
    facts_bytes: int = FACTS_BYTES  # all that is said of a file but its text
    jobs: int = 2_000  # that one child does before another takes its place

    @property
    def clock_seconds(self) -> float:
        """How long a file may take by the clock."""
        return 2 * self.time_seconds

    @property
    def time_words(self) -> str:
        """The time limit for a person."""
        return f"it took longer than {self.time_seconds:g} s"

    @property
    def memory_words(self) -> str:
        """The memory limit for a person."""
        if self.memory_bytes < 1_000 * MEGABYTE:
            return f"it needed more than {self.memory_bytes / MEGABYTE:g} MB of memory"
        return f"it needed more than {self.memory_bytes / 1_000 / MEGABYTE:g} GB of memory"


# What comes of handing a file to a reader: what it gave, or why there is nothing.
# Made by `worker` out of what a child answers, handed on by `pool`.

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


# What this machine lacks for reading documents: told by `windrow doctor`, before a harvest meets them.

GHOSTSCRIPT = "gs"
_LIBRARIES = {
    "pypdfium2": "PDF",
    "PIL": "pictures",
    "tinytag": "audio",
    "charset_normalizer": "text whose encoding nobody declares",
    "py3langid": "the language of a text",
}


def unread_kinds() -> list[str]:
    """Return what cannot be read because its library is not installed."""
    return [kind for module, kind in _LIBRARIES.items() if find_spec(module) is None]


def has_ghostscript() -> bool:
    """Return whether the text of PostScript files can be had."""
    return shutil.which(GHOSTSCRIPT) is not None


# The one way a reader says that it cannot read a file: raised by readers, a Refusal outside of the child.


class Unreadable(Exception):
    """The file cannot be read. `reason` tells a person why, as a clause after the file's name: "it is …"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NotInstalled(Unreadable):
    """A library that reads this kind of file is not installed."""

    def __init__(self, library: str) -> None:
        super().__init__(f"reading it needs {library}. {install_hint()}")
