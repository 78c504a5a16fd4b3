"""A library with a folder as its source `www`, harvested at times the test sets."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.flows.harvesting import Shelf, make_shelf
from windrow.config.editor import add_source
from windrow.harvest.folder.file_listing import FilesRunner
from windrow.harvest.options import HarvestOptions, Stopper
from windrow.model.run import Run
from windrow.store.records.record_reader import StoredRecord
from windrow.wiring import Library
from windrow.wiring.folder_source import open_published_folder

NAME = "www"
URL = "https://www.example.org/"
DAY = 86_400
NOW = 1_800_000_000  # a Unix second; tests count from here
OLD = NOW - 10 * DAY


@dataclass
class Site:
    """A folder and the library that publishes it. `now` is what the clock says."""

    root: Path
    shelf: Shelf
    now: int = NOW

    def write(self, path: str, content: str | bytes = "content", *, at: int = NOW - 10 * DAY) -> None:
        """Make a file, last modified at a Unix second."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
        os.utime(place, (at, at))

    def remove(self, path: str) -> None:
        """Take a file away."""
        (self.root / path).unlink()

    @contextmanager
    def opened(self) -> Iterator[Library]:
        """The library, open for a while."""
        library = self.shelf.open()
        try:
            yield library
        finally:
            library.close()

    def runner(self, library: Library, *, stopper: Stopper | None = None) -> FilesRunner:
        """What harvests the folder, by the test's clock."""
        folder = open_published_folder(library, library.source(NAME))
        return FilesRunner(folder, store=library.store, stopper=stopper, now=self._clock)

    def harvest(self, *, at: int | None = None, **options: Any) -> Run:
        """Harvest once, at a Unix second."""
        self.now = self.now if at is None else at
        with self.opened() as library:
            return self.runner(library).run(HarvestOptions(**options))

    def refresh(self, *paths: str, at: int | None = None) -> Run | None:
        """Look at these paths, or at everything."""
        self.now = self.now if at is None else at
        with self.opened() as library:
            return self.runner(library).refresh(list(paths) or None)

    def record(self, path: str) -> StoredRecord:
        """What the library has of a file."""
        return self.shelf.records(name=NAME)[URL + path]

    def live(self) -> set[str]:
        """The paths of the files that the library has."""
        return {identifier.removeprefix(URL) for identifier in self.shelf.live(name=NAME)}

    def _clock(self) -> datetime:
        return datetime.fromtimestamp(self.now, UTC)


def make_site(place: Path, **settings: object) -> Site:
    """A new library, and beside it an empty folder that is its source."""
    root = place / "site"
    root.mkdir()
    shelf = make_shelf(place)
    add_source(shelf.folder, NAME, {"kind": "files", "folder": str(root), "url": URL, **settings})
    return Site(root, shelf)


def stamp(second: int) -> str:
    """A Unix second as a datestamp."""
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
