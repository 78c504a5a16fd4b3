"""A library with a folder of documents as its source, harvested at times the test sets."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.flows.folders import NAME, Site, make_site
from windrow.config.editor import change_source
from windrow.extract.picture_store import PictureStore
from windrow.extract.pool import Pool
from windrow.formats.registry import read
from windrow.harvest.documents.document_intake import IntakeSettings
from windrow.harvest.documents.document_runs import DocumentsRunner
from windrow.harvest.options import Stopper
from windrow.model.document import Document
from windrow.store import sources
from windrow.store.harvests import folder_state, quarantine_cases
from windrow.store.harvests.folder_state import KnownFile
from windrow.store.harvests.quarantine_cases import QuarantineCase
from windrow.wiring import Library
from windrow.wiring.folder_source import as_folder, make_document_settings, open_published_folder

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
            open_published_folder(library, settings),
            store=library.store,
            means=self.means(library),
            stopper=stopper,
            now=self._clock,
        )

    def means(self, library: Library) -> IntakeSettings:
        """With what it is done, as configured, but for the one pool of all tests here."""
        return replace(make_document_settings(library, as_folder(library.source(NAME))), pool=self._read)

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

    def rows(self) -> dict[str, KnownFile]:
        """What is known of each file, by path and member."""
        with self.opened() as library, library.store.reading() as connection:
            source = sources.find(connection, NAME)
            rows = folder_state.list_files(connection, source.id) if source else []
        return {f"{row.path}#{row.member}" if row.member else row.path: row for row in rows}

    def cases(self) -> list[QuarantineCase]:
        """What waits in quarantine."""
        with self.opened() as library, library.store.reading() as connection:
            return quarantine_cases.list_cases(connection, source=NAME)

    def pictures(self) -> PictureStore:
        """The pictures of the library."""
        return PictureStore(self.shelf.folder / "files")


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
