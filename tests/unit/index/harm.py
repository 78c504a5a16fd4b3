"""What bad disks and bad hands do to the files of an index."""

from __future__ import annotations

from pathlib import Path

GARBAGE = b"garbage"  # too short for what Tantivy ends its files with, which it takes for granted
PARTS = ("fast", "fieldnorm", "idx", "pos", "store", "term")


def files(generation: Path, part: str = "*") -> list[Path]:
    """The files of its segments."""
    return sorted(path for path in generation.glob(f"*.{part}") if path.suffix[1:] in PARTS)


def replace(generation: Path, part: str = "*") -> None:
    """Put something else in the place of files; who has them open does not notice."""
    for path in files(generation, part):
        path.unlink()
        path.write_bytes(GARBAGE)


def overwrite(generation: Path, part: str = "*") -> None:
    """Change what files say, also for who has them open."""
    for path in files(generation, part):
        with path.open("r+b") as file:
            file.write(b"\xa5" * (path.stat().st_size - 120))  # how they end stays
