"""What the faces ask of the folders behind a library. `wiring` hands it in: no face opens a file by itself.

Whether a record may be shown is the face's business: it asks the store first, and Holdings only for records
that are there and for everybody. No path from a request comes this far: a source and an identifier do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO, Protocol

SIZES = (160, 320, 1600)  # pixels of the longer side, the only ones pictures are made in


@dataclass(frozen=True, slots=True)
class Original:
    """A file as it lies there now, open for reading. Whoever asked for it closes it."""

    file: BinaryIO  # at its beginning; it can be sought in
    size: int  # bytes, of this open file and not of what was read some day
    modified: int  # Unix seconds
    media_type: str  # by its content, when it was read
    name: str  # its own, without folders: for whoever saves it
    sha256: str = ""  # of the content; empty where it may have changed since it was read
    charset: str = ""  # of plain text, by its IANA name, where it is known


COVER = 320  # the size of picture that is made when a file is read


class Holdings(Protocol):
    """The files behind the documents of a library. Used by many threads at once; may block."""

    def original(self, source: str, identifier: str) -> Original | None:
        """Open a document's file; None where there is none (any more)."""

    def kept_picture(self, source: str, identifier: str, *, size: int, page: int) -> bytes | None:
        """Give a picture that was made before, quickly; None where it would have to be made.

        `size` is one of SIZES; a picture for the next larger one will do. `page` counts from 1.
        """

    def make_picture(self, source: str, identifier: str, *, size: int, page: int) -> bytes | None:
        """Make a picture (JPEG, PNG or WebP) and keep it; None where the document has none.

        It may take as long as the reading of a file may; the face sees that few are made at once.
        """


def has_cover(holdings: Holdings, source: str, identifier: str) -> bool:
    """Say whether a picture was found in a file when it was read, as in many sound recordings."""
    return holdings.kept_picture(source, identifier, size=COVER, page=1) is not None
