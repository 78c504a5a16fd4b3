"""A folder of real files, copied and taken in as documents: what the library then says of each of them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.flows.harvesting import Shelf, make_shelf
from windrow.config.editor import add_source
from windrow.formats.registry import read
from windrow.formats.windrow_document import PREFIX
from windrow.model.document import Document
from windrow.model.run import Run

NAME = "files"
URL = "https://files.example.org/"
OLD = 1_700_000_000  # a Unix second, long enough ago to be believed


@dataclass(frozen=True)
class TakenIn:
    """A copy of a folder, the library that has it, and the run that took it in."""

    origin: Path
    root: Path
    shelf: Shelf
    run: Run

    def paths(self) -> set[str]:
        """Every file there is."""
        return {str(path.relative_to(self.root)) for path in self.root.rglob("*") if path.is_file()}

    def documents(self) -> dict[str, Document]:
        """What the library has, by path; members of archives are left out."""
        found = {}
        for record in self.shelf.records(name=NAME).values():
            payload = record.payload(PREFIX)
            if payload is not None and not record.is_deleted:
                document = read(payload.data, payload.declarations, PREFIX)
                assert document.file is not None
                if not document.file.member:
                    found[document.file.path] = document
        return found

    def spoil(self) -> None:
        """Put other bytes into every file, which nobody can see without opening it: same size, same time."""
        for path in self.paths():
            place = self.root / path
            status = place.stat()
            place.write_bytes(b"\xff" * status.st_size)
            os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))


def take_in(place: Path, folder: Path, *, is_wanted: Callable[[Path], bool] = lambda _: True) -> TakenIn:
    """Copy the wanted files of a folder, and harvest the copy."""
    root = place / "files"
    for path in sorted(folder.rglob("*")):
        if path.is_file() and is_wanted(path):
            copy = root / path.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
            os.utime(copy, (OLD, OLD))
    shelf = make_shelf(place)
    add_source(shelf.folder, NAME, {"kind": "files", "content": "documents", "folder": str(root), "url": URL})
    return TakenIn(folder, root, shelf, shelf.harvest(name=NAME))
