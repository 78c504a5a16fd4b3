"""Files as digital items, made for one answer: what `derive` hands to the face that answers OAI-PMH.

It opens only what the folder shows at that moment, whatever the library still holds.
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

# SHA-256 of files, remembered while they stay the same. `rendering` puts them into digital items.

MAX_DIGESTS = 20_000  # remembered
# Larger files go without a digest: a page that names a hundred of them must not take minutes.
MAX_DIGESTED_BYTES = 16 * 1000 * 1000
_CHUNK_BYTES = 1 << 20


class Digests:
    """The digests of one folder's files. For any thread."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, int, int], str] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """How many are remembered."""
        return len(self._known)

    def digest(self, found: FoundFile, file: BinaryIO, data: bytes | None) -> str | None:
        """Return the digest of an open file, of which `data` is all if anything; None: it takes too long."""
        if data is None and found.size > MAX_DIGESTED_BYTES:
            return None
        key = (found.path, found.mtime_ns, found.size)
        with self._lock:
            known = self._known.get(key)
        # What was written in this very second may be written again without a trace in its time or size.
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
    digest, left = hashlib.sha256(), MAX_DIGESTED_BYTES + 1  # a file that grows meanwhile ends somewhere
    while left > 0 and (chunk := file.read(min(_CHUNK_BYTES, left))):
        digest.update(chunk)
        left -= len(chunk)
    return digest.hexdigest()


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
        """Return the file as one XML element; None where it is not visible any more.

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
        """Return the whole file; None where it is too large, or is being written at this moment."""
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


# What a folder offers beyond what the library keeps of it: oai_didl, made of the file when it is asked
# for.
# The face that answers OAI-PMH is handed one of these for each folder, and takes a renderer for each
# answer.

FORMATS: Mapping[str, tuple[str, str]] = {PREFIX: (SCHEMA, NAMESPACE)}


class FileDeriver:
    """Offers the files of one folder as digital items, and says who may see which. For any thread."""

    def __init__(
        self,
        folder: PublishedFolder,
        *,
        find_guards: Callable[[str], Collection[str]] = lambda _: (),
        find_path: Callable[[str], str | None] | None = None,
    ) -> None:
        """`find_guards` gives the guards the library knows of a file.

        `find_path` gives where the file of an identifier lies; without it, that is where its address says.
        """
        self._folder = folder
        self._find_guards = find_guards
        self._find_path = find_path or folder.path
        self._digests = Digests()

    @property
    def formats(self) -> Mapping[str, tuple[str, str]]:
        """The schema and the namespace of each format it renders, by prefix."""
        return FORMATS

    def renderer(self) -> FileRenderer:
        """Return what renders files as they are from now on; for one answer, and one thread."""
        return FileRenderer(
            self._folder, self._digests, find_guards=self._find_guards, find_path=self._find_path
        )

    def may_see(self, guard: str, username: str | None, password: str | None) -> bool:
        """Return whether these credentials open what a guard protects."""
        return satisfies_guard(self._folder.root, guard, username=username, password=password)
