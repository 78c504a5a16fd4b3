"""SHA-256 of files, remembered while they stay the same. `rendering` puts them into digital items."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from typing import BinaryIO

from windrow.sources.files.describe import modified
from windrow.sources.files.walk import FoundFile

MOST_DIGESTS = 20_000  # remembered
# Larger files go without a digest: a page that names a hundred of them must not take minutes.
MOST_DIGESTED_BYTES = 16 * 1000 * 1000
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
        """Give the digest of an open file, of which `data` is all if anything; None: it takes too long."""
        if data is None and found.size > MOST_DIGESTED_BYTES:
            return None
        key = (found.path, found.mtime_ns, found.size)
        with self._lock:
            known = self._known.get(key)
        # What was written in this very second may be written again without a trace in its time or size.
        if known is not None and modified(found) < int(time.time()) - 1:
            return known
        made = hashlib.sha256(data).hexdigest() if data is not None else _digest_of(file)
        with self._lock:
            self._known[key] = made
            while len(self._known) > MOST_DIGESTS:
                self._known.popitem(last=False)
        return made


def _digest_of(file: BinaryIO) -> str:
    file.seek(0)
    digest, left = hashlib.sha256(), MOST_DIGESTED_BYTES + 1  # a file that grows meanwhile ends somewhere
    while left > 0 and (chunk := file.read(min(_CHUNK_BYTES, left))):
        digest.update(chunk)
        left -= len(chunk)
    return digest.hexdigest()
