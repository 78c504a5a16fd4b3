"""What the library keeps of one document: three formats, its sets, and the row of its file.

Made of what was read (`of_extract`), or of what was read before where only its place or its description by
others changed (`of_payload`).
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from windrow.extract.kinds import MODULES
from windrow.formats.document_dc import write_document_dc
from windrow.formats.extracted import Facts, Given, Place, facts_of, rewrite_extracted, write_extracted
from windrow.formats.http_header import write_http_header
from windrow.harvest.document_look import READING, identifier_of, parted
from windrow.model.extract import Extract
from windrow.sources.files.describe import modified, stamp_of
from windrow.sources.files.mime_sets import set_of
from windrow.sources.files.published import PublishedFolder
from windrow.store.guards import HIDDEN_BY_HAND, guard_set
from windrow.store.held_files import HIDDEN, HeldRow


class Finding(NamedTuple):
    """One document as it is to be stored."""

    row: HeldRow
    is_new: bool
    sets: tuple[str, ...]
    document: bytes
    description: bytes
    header: bytes


class Scribe:
    """Describes the documents of one folder."""

    def __init__(self, folder: PublishedFolder) -> None:
        self._folder = folder

    def of_extract(self, row: HeldRow, extract: Extract, given: Sequence[Given], *, is_new: bool) -> Finding:
        """Give what is kept of a document that was just read."""
        row = row._replace(media_type=extract.media_type, reader=READING)
        reader = MODULES.get(extract.media_type, "")
        document = write_extracted(self._place(row), extract, given, reader=reader, version=READING)
        facts = Facts(extract.media_type, (*extract.said, *extract.measured))
        return self._finding(row, document, facts, given, is_new=is_new)

    def of_payload(self, row: HeldRow, payload: bytes, given: Sequence[Given]) -> Finding:
        """Give what is kept of a document of which everything was read before."""
        document = rewrite_extracted(payload, self._place(row), given)
        return self._finding(row, document, facts_of(payload), given, is_new=False)

    def _finding(
        self, row: HeldRow, document: bytes, facts: Facts, given: Sequence[Given], *, is_new: bool
    ) -> Finding:
        archive = self._folder.address(row.path) if row.member else ""
        description = write_document_dc(self._place(row), facts, given, archive=archive)
        header = write_http_header(row.media_type, row.size, modified(row))
        return Finding(row, is_new, sets_of(row), document, description, header)

    def _place(self, row: HeldRow) -> Place:
        address = identifier_of(self._folder, row)
        content = "" if row.member else row.sha256  # a member's row has its archive's
        return Place(address, row.path, row.size, stamp_of(modified(row)), content, row.member)


def sets_of(row: HeldRow) -> tuple[str, ...]:
    """Give the sets that a document is in, those for its guards too."""
    guards = (*parted(row.guards), *((HIDDEN_BY_HAND,) if row.state == HIDDEN else ()))
    return (set_of(row.media_type), *map(guard_set, guards))


def picture_key(digest: str, member: str) -> str:
    """Give what the pictures of a document are kept by: its content, or its place in an archive's."""
    return sha256(f"{digest}\0{member}".encode()).hexdigest() if member else digest
