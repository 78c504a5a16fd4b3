"""What is asked of the reader of one file: the note that goes with the open file into a child process."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Job:
    """One file to be read, or to be drawn."""

    name: str  # the file's own name, without folders: a hint only
    declared: str = ""  # the media type its folder declares, a hint; for a reader, what was found out
    member: str = ""  # inside the archive that the file is; empty: the file itself
    page: int = 1  # of the picture, the first being 1
    size: int = 320  # of the picture: no wider and no higher, in pixels
    most_members: int = 1_000  # of an archive: how many of its files are listed
