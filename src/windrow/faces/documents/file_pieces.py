"""An open file on its way to a client, piece by piece: read in threads, at the client's own pace."""

from __future__ import annotations

from typing import BinaryIO

from windrow.faces.documents.ranges import Part

PIECE_BYTES = 128 * 1024


class FilePieces:
    """The bytes of one part of a file. Closes the file in the end."""

    def __init__(self, file: BinaryIO, part: Part) -> None:
        self._file = file
        self._first = part.first
        self._left = part.size
        self._has_begun = False

    def __iter__(self) -> FilePieces:
        return self

    def __next__(self) -> bytes:
        """Give the next piece. A file that became shorter meanwhile ends the connection, not the answer."""
        if not self._left:
            raise StopIteration
        if not self._has_begun:
            self._file.seek(self._first)
            self._has_begun = True
        piece = self._file.read(min(PIECE_BYTES, self._left))
        if not piece:  # half a file must not look like a whole one
            raise ConnectionAbortedError("the file became shorter while it was sent")
        self._left -= len(piece)
        return piece

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
