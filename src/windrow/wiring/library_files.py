"""The original files and pictures of a library's documents, for the pages that show them.

Implements `web.documents.document_files.DocumentFiles`. Files are found by the store's data about them and
opened in place. Pictures are drawn in a child process and kept.
"""

from __future__ import annotations

from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO

from windrow.config.schema import DOCUMENT_FORMATS
from windrow.config.source_kinds import FolderSettings
from windrow.extract.reading_job import Job
from windrow.formats.windrow_document import read_file_facts
from windrow.harvest.documents.document_writer import picture_key
from windrow.sources.files.file_description import modified_second
from windrow.sources.files.visible_files import OpenFile, open_public
from windrow.store import sources
from windrow.store.harvests import folder_state
from windrow.store.harvests.folder_state import DROPPED, HIDDEN, KnownFile
from windrow.web.documents.document_files import PICTURE_PIXELS, OriginalFile
from windrow.wiring.folder_source import open_published_folder

if TYPE_CHECKING:
    from windrow.sources.files.published_folder import PublishedFolder
    from windrow.wiring.library import Library


class LibraryHoldings:
    """The documents of all folders of one library. Thread-safe."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._folders = {
            name: open_published_folder(library, each)
            for name, each in library.config.sources.items()
            if isinstance(each, FolderSettings) and each.has_documents and each.folder
        }

    def original(self, source: str, identifier: str) -> OriginalFile | None:
        """Open a document's file; None if there is none any more."""
        folder, row = self._find(source, identifier)
        if folder is None or row is None:
            return None
        charset = self._charset(source, row)
        opened = self._open_member(folder, row) if row.member else open_public(folder, row.path)
        if opened is None:
            return None
        is_same = (opened.size, opened.mtime_ns) == (row.size, row.mtime_ns)
        return OriginalFile(
            opened.file,
            opened.size,
            modified_second(opened),
            row.media_type,
            (row.member or row.path).rpartition("/")[2],
            row.sha256 if is_same and not row.member else "",
            charset,
        )

    def kept_picture(self, source: str, identifier: str, *, size: int, page: int) -> bytes | None:
        """Return a stored picture; None if it would have to be made."""
        _, row = self._find(source, identifier)
        if row is None:
            return None
        key, derived = picture_key(row.sha256, row.member), self._library.derived
        found = (derived.get(key, _picture_kind(each, page)) for each in PICTURE_PIXELS if each >= size)
        return next((picture for picture in found if picture), None)

    def make_picture(self, source: str, identifier: str, *, size: int, page: int) -> bytes | None:
        """Make and store a picture; None if the document has none."""
        folder, row = self._find(source, identifier)
        if folder is None or row is None:
            return None
        key = picture_key(row.sha256, row.member)
        job = Job(_file_name(row), member=row.member, page=page, size=size)
        picture = self._library.pool.picture(partial(_open_original, folder, row.path), job)
        if not isinstance(picture, bytes) or not picture:
            return None
        if not self._library.store.is_read_only:
            self._library.derived.put(key, _picture_kind(size, page), picture)
        return picture

    def _find(self, source: str, identifier: str) -> tuple[PublishedFolder | None, KnownFile | None]:
        folder = self._folders.get(source)
        if folder is None:
            return None, None
        with self._library.store.reading() as connection:
            known = sources.find(connection, source)
            row = folder_state.find_file(connection, known.id, identifier) if known is not None else None
        is_shown = row is not None and row.state not in (HIDDEN, DROPPED)
        return folder, row if is_shown else None

    def _open_member(self, folder: PublishedFolder, row: KnownFile) -> OpenFile | None:
        """Extract a member of an archive in a child process, up to the size limit."""
        job = Job(_file_name(row), member=row.member)
        content = self._library.pool.member(partial(_open_original, folder, row.path), job)
        return OpenFile(BytesIO(content), len(content), row.mtime_ns) if isinstance(content, bytes) else None

    def _charset(self, source: str, row: KnownFile) -> str:
        if not row.media_type.startswith("text/"):
            return ""
        from windrow.store.records.record_reader import RecordReader  # noqa: PLC0415 - only for texts

        with self._library.store.reading() as connection:
            record = next(iter(RecordReader().find(connection, row.identifier, source=source)), None)
        payload = record.payload(DOCUMENT_FORMATS[0]) if record is not None else None
        facts = dict(read_file_facts(payload.data).facts) if payload is not None else {}
        return facts.get("encoding", "")


def _open_original(folder: PublishedFolder, path: str) -> BinaryIO:
    opened = open_public(folder, path)
    if opened is None:
        raise FileNotFoundError(path)
    return opened.file


def _picture_kind(size: int, page: int) -> str:
    return str(size) if page == 1 else f"{size}-{page}"


def _file_name(row: KnownFile) -> str:
    """Return the name of the file to open; for a member, its archive's."""
    return row.path.rpartition("/")[2]
