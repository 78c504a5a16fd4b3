"""Files for the catalogue of the tests: what a harvest would have read out of them."""

from __future__ import annotations

from tests.unit.search.catalogue import Catalogue
from windrow.formats.windrow_document import PREFIX, DocumentLocation, StatedFact, write_extracted
from windrow.model.file_content import Extract

PDF, JPEG, TEXT = "application/pdf", "image/jpeg", "text/plain"


def file_away(
    catalogue: Catalogue,
    path: str,
    *pages: str,
    source: str = "hay",
    media_type: str = PDF,
    size: int = 1234,
    facts: tuple[tuple[str, str], ...] = (),
    given: tuple[tuple[str, str], ...] = (),
) -> str:
    """Let a file come into the library; give its identifier."""
    address = f"https://{source}.example/{path}"
    said = tuple(StatedFact(name, value, "metadata.csv") for name, value in given)
    measured = (("pages", str(len(pages))), *facts) if media_type == PDF else facts
    extract = Extract(media_type, measured=measured, text=pages, is_paged=media_type == PDF)
    place = DocumentLocation(address, path, size, "2024-05-17T10:20:30Z", "ab" * 32)
    payload = write_extracted(place, extract, said, reader="test", version="1")
    catalogue.add(address, source=source, prefix=PREFIX, payload=payload)
    return address
