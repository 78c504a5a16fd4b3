"""How much one file may cost: read from the configuration, handed to each child, held there by the kernel."""

from __future__ import annotations

from dataclasses import dataclass

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
