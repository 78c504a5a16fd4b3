"""The settings of reading documents: how much one file may cost, and how many are read at once.

They hold for all sources with `content = "documents"`; `schema` has them too.
"""

from __future__ import annotations

from dataclasses import dataclass

from windrow.config import kinds
from windrow.config.fields import Settings, optional, setting

FILES_CONTENT, DOCUMENTS = "files", "documents"  # what the files of a folder are taken for
MOST_ARCHIVE_MEMBERS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DocumentSettings(Settings):
    """How documents are read. Each file is read in a process of its own that may not take more than this."""

    workers: int | None = optional(
        kinds.count(1, 64, "processes"),
        "How many files are read at the same time, each in a process of its own.",
        absent="as many as there are processors",
    )
    time_limit: float = setting(
        kinds.duration("1s", "1d"), "30s", "How much time of a processor the reading of one file may take."
    )
    memory_limit: int = setting(
        kinds.size("64 MB", "64 GB"), "1 GB", "How much memory the reading of one file may take."
    )
    largest: int = setting(
        kinds.size("1 kB", "1 TB"),
        "1 GB",
        "Up to which size a file is read; of a larger one only its name, size and time are kept.",
    )
    archive_members: int = setting(
        kinds.count(1, MOST_ARCHIVE_MEMBERS, "files"),
        1_000,
        "How many files of one archive become documents; a run that meets a larger one is partial.",
    )
    text_limit: int = setting(
        kinds.count(1000, 50_000_000, "characters"), 5_000_000, "How much of the text of one file is kept."
    )
