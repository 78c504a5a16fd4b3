"""The job of reading one file: what is requested, its limits, and its outcome."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal

from windrow.model.file_content import Extract


@dataclass(frozen=True, slots=True)
class Job:
    """One file to be read or drawn."""

    name: str  # file name without folders: a hint only
    declared: str = ""  # media type that the folder declares, a hint; for a reader, the detected type
    member: str = ""  # within the archive that the file is; "": the file itself
    page: int = 1  # of the picture, starting at 1
    size: int = 320  # of the picture: maximum width and height in pixels
    most_members: int = 1_000  # of an archive: maximum number of files that are listed


MEGABYTE = 1_000_000
FACTS_BYTES = 4 * MEGABYTE
MEMBER_BYTES = 64 * MEGABYTE  # of one file from an archive
FAT_BYTES = 400 * MEGABYTE  # twice what all libraries need: a child that keeps more is replaced


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of each file."""

    time_seconds: float = 30.0  # of processor time; twice as much by the clock, for busy machines
    memory_bytes: int = 1_000 * MEGABYTE  # in addition to an idle child
    text_characters: int = 5_000_000  # the rest is left out, with a note
    picture_bytes: int = 2 * MEGABYTE
    member_bytes: int = MEMBER_BYTES
    facts_bytes: int = FACTS_BYTES  # everything about a file except its text
    jobs: int = 2_000  # files per child, after which it is replaced

    @property
    def clock_seconds(self) -> float:
        return 2 * self.time_seconds

    @property
    def time_words(self) -> str:
        return f"it took longer than {self.time_seconds:g} s"

    @property
    def memory_words(self) -> str:
        if self.memory_bytes < 1_000 * MEGABYTE:
            return f"it needed more than {self.memory_bytes / MEGABYTE:g} MB of memory"
        return f"it needed more than {self.memory_bytes / 1_000 / MEGABYTE:g} GB of memory"


# The outcome of reading a file.

Code = Literal["time", "memory", "crash", "output", "unreadable", "missing", "gone"]


@dataclass(frozen=True, slots=True)
class Result:
    """The content of one file, with a small picture if there is one."""

    extract: Extract
    picture: bytes | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a file could not be read. `reason` is a clause after the file's name: "it took longer than 30 s".

    Codes: `time`, `memory` and `output` are exceeded limits; `crash` is a reader that died or failed;
    `unreadable` is the verdict of a reader; `missing` is a package that is not installed; `gone` is a file
    that could not be opened, so that the next scan may find it.
    """

    reason: str
    code: Code


# Missing software is reported by `windrow doctor`, before a harvest needs it.

INSTALL = "pip install 'windrow[documents]'"
GHOSTSCRIPT = "gs"
_LIBRARIES = {
    "pypdfium2": "PDF",
    "PIL": "pictures",
    "tinytag": "audio",
    "olefile": "old Office files",
    "yaml": "the front matter of Markdown",
    "charset_normalizer": "text whose encoding nobody declares",
    "py3langid": "the language of a text",
}


def unread_kinds() -> list[str]:
    """Return the kinds of file that cannot be read because their library is not installed."""
    return [kind for module, kind in _LIBRARIES.items() if find_spec(module) is None]


def has_ghostscript() -> bool:
    """Return whether Ghostscript, which extracts the text of PostScript files, is installed."""
    return shutil.which(GHOSTSCRIPT) is not None


# Readers raise these errors; outside the child they become a Refusal.


class Unreadable(Exception):
    """The file cannot be read. `reason` is a clause for people after the file's name: "it is …"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NotInstalled(Unreadable):
    """The library that reads this kind of file is not installed."""

    def __init__(self, library: str) -> None:
        super().__init__(f"reading it needs {library}: {INSTALL}")
