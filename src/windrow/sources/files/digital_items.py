"""Files as digital items, made for one answer: what `derive` hands to the face that answers OAI-PMH.

It opens only what the folder shows at that moment, whatever the library still holds.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import BinaryIO

from pybase64 import b64encode

from windrow import __version__
from windrow.errors import StoreError
from windrow.formats.didl_item import FileItem, write_didl_item
from windrow.formats.extracted import PREFIX as DOCUMENT
from windrow.formats.extracted import without_text
from windrow.formats.http_header import content_type, write_http_header
from windrow.sources.files.describe import modified, stamp_of, type_of
from windrow.sources.files.digests import Digests
from windrow.sources.files.published import PublishedFolder
from windrow.sources.files.walk import FoundFile, Tree, open_visible

PREFIX = "oai_didl"


class FileRenderer:
    """Renders files of one folder. One look: what protects a folder is found out once for all its files."""

    def __init__(
        self,
        folder: PublishedFolder,
        digests: Digests,
        *,
        find_guards: Callable[[str], Collection[str]] = lambda _: (),
        find_path: Callable[[str], str | None] | None = None,
    ) -> None:
        """`find_guards` gives the guards the library knows of a file, `find_path` where it lies."""
        self._folder = folder
        self._digests = digests
        self._find_guards = find_guards
        self._find_path = find_path or folder.path
        self._tree: Tree | None = None

    def render(self, identifier: str, prefix: str, stored: Mapping[str, bytes]) -> bytes | None:
        """Give the file as one XML element; None where it is not visible any more.

        StoreError where the whole folder cannot be seen (no drive, too many open files): the file may still
        be there, and whoever asks is to come back.

        Whoever asks was let through by the guards that the library knows. A file that has come under another
        since is not given to anybody before the library knows of it.
        """
        path = self._find_path(identifier)
        if prefix != PREFIX or path is None:
            return None
        try:
            with self._open(path, identifier) as file:
                status = os.fstat(file.fileno())
                found = FoundFile(path, status.st_size, status.st_mtime_ns, ())
                data = self._content(file, found.size)
                digest = self._digests.digest(found, file, data)
        except OSError as exc:
            if not self._has_folder():
                raise StoreError(f"the folder {self._folder.root} cannot be seen: is it mounted?") from exc
            return None
        kind, second = content_type(stored.get("http_header", b"")) or type_of(found), modified(found)
        header = write_http_header(kind, found.size, second)
        statements = [header, *_descriptions(stored)]
        provenance = (
            f"Made by Windrow {__version__} of the file at this address, modified {stamp_of(second)}."
        )
        content = None if data is None else b64encode(data)
        address = self._folder.address(path)
        return write_didl_item(FileItem(address, kind, provenance, statements, digest, content))

    def _open(self, path: str, identifier: str) -> BinaryIO:
        """Open a file that nothing protects, as nearly all are, or only what the library knows of."""
        if self._tree is None:
            self._tree = Tree.at(self._folder.root, self._folder.rules)
        try:
            return open_visible(self._tree, path, guards=())
        except FileNotFoundError:
            guards = self._find_guards(identifier)
            if not guards:
                raise
            return open_visible(self._tree, path, guards=guards)

    def _has_folder(self) -> bool:
        """Is the folder there, and anything in it? A drive that is not mounted is empty."""
        try:
            with os.scandir(self._folder.root) as listing:
                return next(listing, None) is not None
        except OSError:
            return False

    def _content(self, file: BinaryIO, size: int) -> bytes | None:
        """Give the whole file; None where it is too large, or is being written at this moment."""
        if size > self._folder.by_value:
            return None
        data = file.read(size + 1)
        return data if len(data) == size else None


def _descriptions(stored: Mapping[str, bytes]) -> Iterator[bytes]:
    """What the library says of a file: Dublin Core, and of a document all that was read but its text."""
    if "oai_dc" in stored:
        yield stored["oai_dc"]
    if DOCUMENT in stored:
        yield without_text(stored[DOCUMENT])
