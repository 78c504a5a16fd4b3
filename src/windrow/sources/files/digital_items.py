"""Files as digital items (DIDL), rendered on request for OAI-PMH.

Only files that are visible in the folder at that moment are opened, even if the library holds others.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import BinaryIO

from pybase64 import b64encode

from windrow import __version__
from windrow.errors import StoreError
from windrow.formats.didl import NAMESPACE, SCHEMA, FileItem, write_didl_item
from windrow.formats.http_header import content_type, write_http_header
from windrow.formats.windrow_document import PREFIX as DOCUMENT
from windrow.formats.windrow_document import without_text
from windrow.sources.files.apache.htpasswd import satisfies_guard
from windrow.sources.files.file_description import file_media_type, format_second, modified_second
from windrow.sources.files.published_folder import PublishedFolder
from windrow.sources.files.visible_files import FoundFile, Tree, open_visible

# SHA-256 digests of files, cached while size and modification time stay the same.

MAX_DIGESTS = 20_000  # cached digests
# Larger files have no digest: a page that lists a hundred of them must not take minutes.
MAX_DIGESTED_BYTES = 16 * 1000 * 1000
_CHUNK_BYTES = 1 << 20


class Digests:
    """The digests of one folder's files. Thread-safe."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, int, int], str] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._known)

    def digest(self, found: FoundFile, file: BinaryIO, data: bytes | None) -> str | None:
        """Return the digest of an open file, or None if it is too large. `data` is its content, if read."""
        if data is None and found.size > MAX_DIGESTED_BYTES:
            return None
        key = (found.path, found.mtime_ns, found.size)
        with self._lock:
            known = self._known.get(key)
        # A file modified within this second may change again with the same time and size.
        if known is not None and modified_second(found) < int(time.time()) - 1:
            return known
        made = hashlib.sha256(data).hexdigest() if data is not None else _compute_digest(file)
        with self._lock:
            self._known[key] = made
            while len(self._known) > MAX_DIGESTS:
                self._known.popitem(last=False)
        return made


def _compute_digest(file: BinaryIO) -> str:
    file.seek(0)
    digest, left = hashlib.sha256(), MAX_DIGESTED_BYTES + 1  # bounded, as the file may grow meanwhile
    while left > 0 and (chunk := file.read(min(_CHUNK_BYTES, left))):
        digest.update(chunk)
        left -= len(chunk)
    return digest.hexdigest()


PREFIX = "oai_didl"


class FileRenderer:
    """Renders the files of one folder for one response; access rules of a folder are read once."""

    def __init__(
        self,
        folder: PublishedFolder,
        digests: Digests,
        *,
        find_guards: Callable[[str], Collection[str]] = lambda _: (),
        find_path: Callable[[str], str | None] | None = None,
    ) -> None:
        """`find_guards` returns the guards of a file in the library, `find_path` its path."""
        self._folder = folder
        self._digests = digests
        self._find_guards = find_guards
        self._find_path = find_path or folder.path
        self._tree: Tree | None = None

    def render(self, identifier: str, prefix: str, stored: Mapping[str, bytes]) -> bytes | None:
        """Return the file as one XML element; None if it is not visible any more.

        Raises StoreError if the whole folder is unavailable (drive not mounted, too many open files): the
        file may still exist, so the client should try again later.

        The client has satisfied the guards in the library. A file that has since come under another guard is
        withheld until the library has been updated.
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
        kind, second = (
            content_type(stored.get("http_header", b"")) or file_media_type(found),
            modified_second(found),
        )
        header = write_http_header(kind, found.size, second)
        statements = [header, *_descriptions(stored)]
        provenance = (
            f"Made by Windrow {__version__} of the file at this address, modified {format_second(second)}."
        )
        content = None if data is None else b64encode(data)
        address = self._folder.address(path)
        return write_didl_item(FileItem(address, kind, provenance, statements, digest, content))

    def _open(self, path: str, identifier: str) -> BinaryIO:
        """Open a file that has no guards, like nearly all files, or only those in the library."""
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
        """Return whether the folder exists and is not empty: an unmounted drive is an empty folder."""
        try:
            with os.scandir(self._folder.root) as listing:
                return next(listing, None) is not None
        except OSError:
            return False

    def _content(self, file: BinaryIO, size: int) -> bytes | None:
        """Return the whole file; None if it is too large or is being written."""
        if size > self._folder.by_value:
            return None
        data = file.read(size + 1)
        return data if len(data) == size else None


def _descriptions(stored: Mapping[str, bytes]) -> Iterator[bytes]:
    """Yield the stored descriptions: Dublin Core, and the document metadata without its text."""
    if "oai_dc" in stored:
        yield stored["oai_dc"]
    if DOCUMENT in stored:
        yield without_text(stored[DOCUMENT])


# The format that a folder offers beyond those stored: oai_didl, rendered from the file on request. The
# OAI-PMH front end has a deriver for each folder and takes a renderer from it for each response.

FORMATS: Mapping[str, tuple[str, str]] = {PREFIX: (SCHEMA, NAMESPACE)}


class FileDeriver:
    """Offers the files of one folder as digital items, and checks access to them. Thread-safe."""

    def __init__(
        self,
        folder: PublishedFolder,
        *,
        find_guards: Callable[[str], Collection[str]] = lambda _: (),
        find_path: Callable[[str], str | None] | None = None,
    ) -> None:
        """`find_guards` returns the guards of a file in the library.

        `find_path` returns the path of an identifier's file; by default it follows from the address.
        """
        self._folder = folder
        self._find_guards = find_guards
        self._find_path = find_path or folder.path
        self._digests = Digests()

    @property
    def formats(self) -> Mapping[str, tuple[str, str]]:
        return FORMATS

    def renderer(self) -> FileRenderer:
        """Return a renderer for the current files, for one response and one thread."""
        return FileRenderer(
            self._folder, self._digests, find_guards=self._find_guards, find_path=self._find_path
        )

    def may_see(self, guard: str, username: str | None, password: str | None) -> bool:
        return satisfies_guard(self._folder.root, guard, username=username, password=password)
