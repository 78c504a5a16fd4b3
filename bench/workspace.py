"""The temporary folder a bench run lives in: sites made and served once, and one harvested library.

Between `nginx` and the parts. Everything in it is gone when the run ends, however it ends.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench import nginx, pages, stock, windrow
from bench.contestants import difference
from bench.errors import ContestantError, SetupError
from bench.measure import run, say

BYTES_PER_RECORD = 2_400
COPIES = 4  # two sets of pages, a peer's flat file and a library, at the same time
LARGE_FACTOR = 10


@dataclass(slots=True)
class Workspace:
    """What the parts share: the folder, how much to do, and what is made on first use."""

    folder: Path
    records: int
    rounds: int
    per_page: tuple[int, ...]
    is_large: bool
    files: int
    _open: ExitStack
    _served: dict[tuple[int, int], nginx.Served] = field(default_factory=dict)
    _library: Path | None = None
    _stocks: dict[int, Path] = field(default_factory=dict)

    def served(self, *, per_page: int | None = None, records: int | None = None) -> nginx.Served:
        """Give a running server with so many records, by default the ones and the page size of this run."""
        key = (records or self.records, per_page or self.per_page[0])
        if key not in self._served:
            self._served[key] = self._serve(*key)
        return self._served[key]

    def library(self) -> Path:
        """Give a library harvested from the default site and found whole, or raise ContestantError."""
        if self._library is None:
            self._library = harvested(self.served(), self.scratch("first"))
        return self._library

    def stocked(self) -> Path:
        """Give a library stocked with as many records and without an index; its folder holds nothing else."""
        if self.records not in self._stocks:
            say(f"a library of {self.records:,} records …")
            library = self.scratch(f"stock-{self.records}") / "library"
            stock.make(library)
            stock.fill(library, self.records)
            self._stocks[self.records] = library
        return self._stocks[self.records]

    def need_room(self, size: int) -> None:
        """Raise ContestantError when so many bytes more do not fit: the other parts may."""
        free = shutil.disk_usage(self.folder).free
        if free < size:
            raise ContestantError(
                f"needs {size / 1e9:.1f} GB under {self.folder.parent}, {free / 1e9:.1f} GB are free"
            )

    def scratch(self, name: str) -> Path:
        """Give an empty folder."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def _serve(self, records: int, per_page: int) -> nginx.Served:
        say(f"making {records:,} records, {per_page:,} a page …")
        name = f"{records}-{per_page}"
        site = pages.write(self.folder / f"site-{name}", records=records, per_page=per_page)
        return self._open.enter_context(nginx.serve(site, self.folder / f"nginx-{name}"))


def harvested(served: nginx.Served, folder: Path) -> Path:
    """Give a library harvested from a site and found whole, or raise ContestantError."""
    library = folder / "library"
    windrow.make(library, served.url)
    usage = run(windrow.command(library, "harvest", "--json"), folder)
    fault = usage.reason or difference(served.site.identifiers(), windrow.identifiers(library))
    if fault:
        raise ContestantError(f"the first harvest: {fault}")
    return library


@contextmanager
def open_workspace(
    *, records: int, rounds: int, per_page: tuple[int, ...], is_large: bool, files: int
) -> Iterator[Workspace]:
    """Make the folder; stop every server and remove it when the block ends."""
    nginx.executable()
    with tempfile.TemporaryDirectory(prefix="windrow-bench-") as name, ExitStack() as servers:
        _check_room(Path(name), records * (1 + LARGE_FACTOR * is_large))
        yield Workspace(Path(name), records, rounds, per_page, is_large, files, servers)


def _check_room(folder: Path, records: int) -> None:
    needed = records * BYTES_PER_RECORD * COPIES
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise SetupError(
            f"This needs about {needed / 1e9:.1f} GB under {folder.parent}, {free / 1e9:.1f} GB are free; "
            "set TMPDIR to a larger disk or ask for fewer --records."
        )
