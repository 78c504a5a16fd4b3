"""Storage of pictures made from files, below the library's `files` folder, by hash of content.

Runs store small pictures, pages store larger ones on request; a lost picture is made again. Copies of a file
share their pictures, and a moved file keeps its own.
"""

from __future__ import annotations

import errno
import os
import re
import tempfile
from collections.abc import Container, Iterator
from contextlib import suppress
from pathlib import Path

from windrow.errors import StoreError, StoreFull
from windrow.permissions import make_folder

SHA256 = re.compile(r"[0-9a-f]{64}")
KIND = re.compile(r"[0-9a-z]{1,20}(?:-[0-9a-z]{1,20}){0,3}")
SUFFIX = ".jpg"  # independent of the content: readers go by the first bytes
PART = ".part"
FULL = (errno.ENOSPC, errno.EDQUOT)


class PictureStore:
    """A folder of pictures.

    `kind` distinguishes those of one file: "320", or "1600-2" for its second page.
    """

    def __init__(self, folder: Path) -> None:
        """`folder` is the library's `files`; the folder of pictures is created with the first picture."""
        self._pictures = folder / "pictures"

    def get(self, sha256: str, kind: str) -> bytes | None:
        try:
            return self._path(sha256, kind).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as exc:
            raise StoreError(f"A picture cannot be read: {exc}") from exc

    def has(self, sha256: str, kind: str) -> bool:
        return self._path(sha256, kind).is_file()

    def put(self, sha256: str, kind: str, picture: bytes) -> None:
        """Store a picture atomically. Raises StoreFull if the disk is full."""
        path = self._path(sha256, kind)
        try:
            make_folder(path.parent, self._pictures.parent.parent)
            _write(path, picture)
        except OSError as exc:
            error = StoreFull if exc.errno in FULL else StoreError
            raise error(f"A picture cannot be kept: {exc}") from exc

    def prune(self, keep: Container[str]) -> int:
        """Remove the pictures of files whose SHA-256 is not in `keep`; return their number.

        Only one process at a time may prune: a picture that another is just writing is removed as well.
        """
        gone = 0
        for path in self._all():
            if path.name[:64] not in keep:
                with suppress(FileNotFoundError):
                    path.unlink()
                    gone += 1
        return gone

    def _all(self) -> Iterator[Path]:
        """Yield every picture, unfinished ones included; unrelated files are ignored."""
        for path in self._pictures.glob("??/*"):
            if SHA256.match(path.name) and path.suffix in (SUFFIX, PART):
                yield path

    def _path(self, sha256: str, kind: str) -> Path:
        if not SHA256.fullmatch(sha256) or not KIND.fullmatch(kind):
            raise ValueError(f"{sha256!r}, {kind!r} name no picture")
        return self._pictures / sha256[:2] / f"{sha256}-{kind}{SUFFIX}"


def _write(path: Path, picture: bytes) -> None:
    handle, aside = tempfile.mkstemp(prefix=f"{path.stem}.", suffix=PART, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(picture)
        os.replace(aside, path)  # not flushed to disk: a picture lost in a power failure is made again
    except BaseException:
        with suppress(OSError):
            os.unlink(aside)
        raise
