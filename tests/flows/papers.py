"""A library with a folder of documents as its source, harvested at times the test sets."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.flows.folders import NAME, Site, make_site
from windrow.config.edit import change_source
from windrow.extract.derived import Derived
from windrow.extract.pool import Pool
from windrow.formats.registry import read
from windrow.harvest.document_taking import DocumentMeans
from windrow.harvest.documents import DocumentsRunner
from windrow.harvest.stopping import Stopper
from windrow.model.document import Document
from windrow.store import cases, held_files, sources
from windrow.store.cases import Case
from windrow.store.held_files import HeldRow
from windrow.wiring import Library
from windrow.wiring.documents import make_means
from windrow.wiring.folders import as_folder, published

DOCUMENT = "windrow_document"


@dataclass
class Papers(Site):
    """A folder of documents and its library. `reads` counts the rounds in which anything was read."""

    pool: Pool = field(default_factory=lambda: Pool(1))
    reads: int = 0
    on_read: Callable[[], None] = lambda: None

    def runner(self, library: Library, *, stopper: Stopper | None = None) -> Any:
        """What harvests the folder: reads it, unless it was told otherwise."""
        settings = library.source(NAME)
        if not settings.has_documents:
            return super().runner(library, stopper=stopper)
        return DocumentsRunner(
            published(library, settings),
            store=library.store,
            means=self.means(library),
            stopper=stopper,
            now=self._clock,
        )

    def means(self, library: Library) -> DocumentMeans:
        """With what it is done, as configured, but for the one pool of all tests here."""
        return replace(make_means(library, as_folder(library.source(NAME))), pool=self._read)

    def _read(self) -> Pool:
        self.reads += 1
        self.on_read()
        return self.pool

    def set(self, **settings: object) -> None:
        """Change settings of the source."""
        change_source(self.shelf.folder, NAME, settings, environ={})

    def document(self, path: str) -> Document:
        """The document of a file, by its identifier."""
        payload = self.record(path).payload(DOCUMENT)
        assert payload is not None
        return read(payload.data, payload.declarations, DOCUMENT)

    def rows(self) -> dict[str, HeldRow]:
        """What is known of each file, by path and member."""
        with self.opened() as library, library.store.reading() as connection:
            source = sources.find(connection, NAME)
            rows = held_files.rows(connection, source.id) if source else []
        return {f"{row.path}#{row.member}" if row.member else row.path: row for row in rows}

    def cases(self) -> list[Case]:
        """What waits in quarantine."""
        with self.opened() as library, library.store.reading() as connection:
            return cases.listed(connection, source=NAME)

    def pictures(self) -> Derived:
        """The pictures of the library."""
        return Derived(self.shelf.folder / "files")


def make_papers(place: Path, pool: Pool, **settings: object) -> Papers:
    """A new library with an empty folder of documents."""
    site = make_site(place, content="documents", **settings)
    return Papers(site.root, site.shelf, pool=pool)


def zipped(members: Mapping[str, str]) -> bytes:
    """An archive with these texts in it, the same each time."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), text)
    return made.getvalue()
