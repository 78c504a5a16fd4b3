"""What a folder offers beyond what the library keeps of it: oai_didl, made of the file when it is asked for.

The face that answers OAI-PMH is handed one of these for each folder. It opens only what the folder shows at
that moment, whatever the library still holds.
"""

from __future__ import annotations

import binascii
import hashlib
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from typing import BinaryIO

from windrow import __version__
from windrow.formats.didl import NAMESPACE
from windrow.formats.didl_item import SCHEMA, FileItem, write_didl_item
from windrow.formats.http_header import content_type, write_http_header
from windrow.sources.files.describe import modified, stamp_of, type_of
from windrow.sources.files.guards import is_satisfied
from windrow.sources.files.published import PublishedFolder
from windrow.sources.files.walk import FoundFile, open_visible

PREFIX = "oai_didl"
FORMATS: Mapping[str, tuple[str, str]] = {PREFIX: (SCHEMA, NAMESPACE)}
MOST_DIGESTS = 20_000  # remembered
# Larger files go without a digest: a page that names a hundred of them must not take minutes.
MOST_DIGESTED_BYTES = 16 * 1000 * 1000
_FRESH_SECONDS = 1.0  # how long an answer about freshness may be used again; an older one is never wrong
_CHUNK_BYTES = 1 << 20


class FileDeriver:
    """Renders the files of one folder as digital items, and says who may see which. For any thread."""

    def __init__(
        self,
        folder: PublishedFolder,
        *,
        find_guards: Callable[[str], Collection[str]] = lambda _: (),
        find_fresh: Callable[[], int | None] = lambda: None,
    ) -> None:
        """`find_guards` gives the guards the library knows of a file, `find_fresh` when it last looked."""
        self._folder = folder
        self._find_guards = find_guards
        self._find_fresh = find_fresh
        self._fresh: tuple[float, int | None] = (float("-inf"), None)
        self._digests: OrderedDict[tuple[str, int, int], str] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def formats(self) -> Mapping[str, tuple[str, str]]:
        """The schema and the namespace of each format it renders, by prefix."""
        return FORMATS

    def render(self, identifier: str, prefix: str, stored: Mapping[str, bytes]) -> bytes | None:
        """Give the file as one XML element; None where it is not visible any more.

        Whoever asks was let through by the guards that the library knows. A file that has come under another
        since is not given to anybody before the library knows of it.
        """
        path = self._folder.path(identifier)
        if prefix != PREFIX or path is None:
            return None
        try:
            with self._open(path, identifier) as file:
                status = os.fstat(file.fileno())
                found = FoundFile(path, status.st_size, status.st_mtime_ns, ())
                data = self._content(file, found.size)
                digest = self._digest(found, file, data)
        except OSError:
            return None
        kind, second = content_type(stored.get("http_header", b"")) or type_of(found), modified(found)
        header = write_http_header(kind, found.size, second)
        statements = [header, stored["oai_dc"]] if "oai_dc" in stored else [header]
        provenance = (
            f"Made by Windrow {__version__} of the file at this address, modified {stamp_of(second)}."
        )
        content = None if data is None else binascii.b2a_base64(data, newline=False)
        return write_didl_item(FileItem(identifier, kind, provenance, statements, digest, content))

    def may_see(self, guard: str, username: str | None, password: str | None) -> bool:
        """Say whether these credentials open what a guard protects."""
        return is_satisfied(self._folder.root, guard, username=username, password=password)

    def fresh_until(self) -> int | None:
        """Give the Unix second up to which all changes in the folder are in the library; None: unknown."""
        asked, answer = self._fresh
        if time.monotonic() - asked > _FRESH_SECONDS:
            answer = self._find_fresh()
            self._fresh = (time.monotonic(), answer)
        return answer

    def _open(self, path: str, identifier: str) -> BinaryIO:
        """Open a file that nothing protects, as nearly all are, or only what the library knows of."""
        folder = self._folder
        try:
            return open_visible(folder.root, path, folder.rules, guards=())
        except FileNotFoundError:
            guards = self._find_guards(identifier)
            if not guards:
                raise
            return open_visible(folder.root, path, folder.rules, guards=guards)

    def _content(self, file: BinaryIO, size: int) -> bytes | None:
        """Give the whole file; None where it is too large, or is being written at this moment."""
        if size > self._folder.by_value:
            return None
        data = file.read(size + 1)
        return data if len(data) == size else None

    def _digest(self, found: FoundFile, file: BinaryIO, data: bytes | None) -> str | None:
        """Give the file's SHA-256, remembered while the file stays the same; None where it takes too long."""
        if data is None and found.size > MOST_DIGESTED_BYTES:
            return None
        key = (found.path, found.mtime_ns, found.size)
        with self._lock:
            known = self._digests.get(key)
        # What was written in this very second may be written again without a trace in its time or size.
        if known is not None and modified(found) < int(time.time()) - 1:
            return known
        made = hashlib.sha256(data).hexdigest() if data is not None else _digest_of(file)
        with self._lock:
            self._digests[key] = made
            while len(self._digests) > MOST_DIGESTS:
                self._digests.popitem(last=False)
        return made


def _digest_of(file: BinaryIO) -> str:
    file.seek(0)
    digest, left = hashlib.sha256(), MOST_DIGESTED_BYTES + 1  # a file that grows meanwhile ends somewhere
    while left > 0 and (chunk := file.read(min(_CHUNK_BYTES, left))):
        digest.update(chunk)
        left -= len(chunk)
    return digest.hexdigest()
