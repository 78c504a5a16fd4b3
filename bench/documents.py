"""A folder of mixed documents: so many of each kind, in folders of a hundred, always the same.

After `document_kinds`; what the part `documents` reads, once in a plain loop and once as a library.
"""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from bench import document_kinds

FILES = 2_000
PER_FOLDER = 100
FIRST_MODIFIED = 1_500_000_000  # long before any harvest: nobody need wonder whether it still changes
# Shares of a folder as offices and archives have them: papers and pictures, the rest beside them.
KINDS: dict[str, tuple[float, Callable[[int], bytes]]] = {
    "pdf": (0.30, document_kinds.pdf),
    "jpg": (0.35, document_kinds.jpeg),
    "txt": (0.10, document_kinds.text),
    "html": (0.10, document_kinds.html),
    "docx": (0.08, document_kinds.docx),
    "wav": (0.07, document_kinds.wav),
}


def plan(files: int) -> Iterator[tuple[int, str]]:
    """Give number and suffix of every file."""
    kinds = Random(2_000).choices(list(KINDS), [share for share, _ in KINDS.values()], k=files)
    return enumerate(kinds)


def write(folder: Path, files: int) -> int:
    """Write so many files; give how many bytes they have."""
    size = 0
    for number, suffix in plan(files):
        path = folder / f"{number // PER_FOLDER:03}" / f"document-{number:05}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        size += path.write_bytes(KINDS[suffix][1](number))
        os.utime(path, (FIRST_MODIFIED + number, FIRST_MODIFIED + number))
    return size


def write_archive(path: Path, files: int) -> None:
    """Write so many small texts, the same as `write_small` writes, into one archive."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            for number in range(files):
                packed.writestr(f"note-{number:05}.txt", document_kinds.note(number))
    else:
        with tarfile.open(path, "w:gz") as tar:
            for number in range(files):
                info, data = tarfile.TarInfo(f"note-{number:05}.txt"), document_kinds.note(number)
                info.size, info.mtime = len(data), FIRST_MODIFIED
                tar.addfile(info, io.BytesIO(data))
    os.utime(path, (FIRST_MODIFIED, FIRST_MODIFIED))


def write_small(folder: Path, files: int) -> None:
    """Write so many small texts, no two the same: for what costs the same whatever is inside."""
    for number in range(files):
        path = folder / f"{number // PER_FOLDER:03}" / f"note-{number:05}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(document_kinds.note(number))
        os.utime(path, (FIRST_MODIFIED, FIRST_MODIFIED))
