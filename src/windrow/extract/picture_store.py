"""Pictures made of files, kept below the library's `files` by what the files hold, not by their names.

A run puts the small ones here, a page that wants a larger one puts that; whatever is lost is made again.
Copies of a file share their pictures, and a moved file keeps its own.
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
SUFFIX = ".jpg"  # whatever is inside: browsers and we go by the first bytes
PART = ".part"
FULL = (errno.ENOSPC, errno.EDQUOT)


class PictureStore:
    """A folder of pictures. `kind` tells those of one file apart: "320", or "1600-2" for its second page."""

    def __init__(self, folder: Path) -> None:
        """`folder` is the library's `files`; it is made when the first picture comes."""
        self._pictures = folder / "pictures"

    def get(self, sha256: str, kind: str) -> bytes | None:
        """Return a picture, or None where there is none."""
        try:
            return self._path(sha256, kind).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as exc:
            raise StoreError(f"A picture cannot be read: {exc}") from exc

    def has(self, sha256: str, kind: str) -> bool:
        """Return whether there is such a picture."""
        return self._path(sha256, kind).is_file()

    def put(self, sha256: str, kind: str, picture: bytes) -> None:
        """Keep a picture; nobody ever sees half of it. StoreFull where there is no room."""
        path = self._path(sha256, kind)
        try:
            make_folder(path.parent, self._pictures.parent.parent)
            _write(path, picture)
        except OSError as exc:
            error = StoreFull if exc.errno in FULL else StoreError
            raise error(f"A picture cannot be kept: {exc}") from exc

    def prune(self, keep: Container[str]) -> int:
        """Remove the pictures of files whose SHA-256 is not in `keep`; give how many went.

        Only one process at a time: what another is just writing goes as well.
        """
        gone = 0
        for path in self._all():
            if path.name[:64] not in keep:
                with suppress(FileNotFoundError):
                    path.unlink()
                    gone += 1
        return gone

    def _all(self) -> Iterator[Path]:
        """Every picture of ours, also those that were never finished; what else lies there is left alone."""
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
        os.replace(aside, path)  # not flushed to the disk: a picture that a power cut takes is made again
    except BaseException:
        with suppress(OSError):
            os.unlink(aside)
        raise
