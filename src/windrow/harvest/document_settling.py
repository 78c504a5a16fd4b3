"""What is to be done with a file that may have changed: nothing, describe it anew, or read it.

By its SHA-256, the last of the signs after size and time. So a file that was moved is known again, and one
with a new time and the same content is not read twice. Between `document_look` and `document_reading`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from enum import Enum
from io import BufferedReader
from typing import NamedTuple, cast

from windrow.harvest.document_look import READING, Candidate, DocumentLook, joined
from windrow.model.run import Weight
from windrow.sources.files.sidecars import given_digest
from windrow.sources.files.walk import FoundFile, open_visible
from windrow.store.held_files import DROPPED, REFUSED, HeldRow


class Deed(Enum):
    """What is to be done with a file."""

    NOTE = "note"  # its time, its place: the record stays as it is
    DESCRIBE = "describe"  # again, from what was read before
    READ = "read"


class Step(NamedTuple):
    """A file, what is to be done with it, and what is to be known of it afterwards."""

    deed: Deed
    row: HeldRow
    file: FoundFile
    former: HeldRow | None  # what was known of it, perhaps at another place


class Settler:
    """Settles the candidates of one look. `gone` are the files that the folder no longer shows."""

    def __init__(self, look: DocumentLook, gone: Iterable[HeldRow], *, now: Callable[[], int]) -> None:
        self._look = look
        self._now = now
        self._left: dict[str, list[HeldRow]] = {}
        for row in (*gone, *look.known.absent):
            self._left.setdefault(row.sha256, []).append(row)
        self.moved: set[str] = set()  # the paths from which files were moved

    def settle(self, candidate: Candidate) -> Step | None:
        """Say what is to be done with a file; None where it cannot be opened, which is told."""
        started, sha256 = self._now(), self._content(candidate)
        if sha256 is None:
            return None
        former = candidate.held or self._moved_here(sha256)
        row = self._row(candidate, former, sha256, started)
        return Step(self._deed(row, former), row, candidate.file, former)

    def _content(self, candidate: Candidate) -> str | None:
        """Give the SHA-256 of a file; it is not opened where nothing speaks for a change."""
        file = candidate.file
        if candidate.is_trusted and candidate.held is not None:
            return candidate.held.sha256
        try:
            with open_visible(self._look.tree, file.path) as opened:
                sha256 = hashlib.file_digest(cast("BufferedReader", opened), "sha256").hexdigest()
                status = os.fstat(opened.fileno())
        except OSError as exc:
            self._look.tell("unreadable", f"{file.path} could not be opened ({exc.strerror or 'it is gone'})")
            return None
        if (status.st_size, status.st_mtime_ns) == (file.size, file.mtime_ns):
            return sha256
        words = f"{file.path} is being written; the next harvest looks at it again"
        self._look.tell("changing", words, Weight.NOTE)
        return None

    def _moved_here(self, sha256: str) -> HeldRow | None:
        """Give what is known of a file that had this content, and is not where it was."""
        left = self._left.get(sha256, [])
        row = next((row for row in left if self._look.tree.look_up(row.path) is None), None)
        if row is not None:
            left.remove(row)
            self.moved.add(row.path)
        return row

    def _row(self, candidate: Candidate, former: HeldRow | None, sha256: str, now: int) -> HeldRow:
        file = candidate.file
        row = former or HeldRow(file.path, "", self._look.folder.address(file.path), 0, 0, "")
        return row._replace(
            path=file.path,
            size=file.size,
            mtime_ns=file.mtime_ns,
            sha256=sha256,
            guards=joined(file.guards),
            beside=candidate.beside,
            given=given_digest(self._look.given(file.path)),
            looked_at=former.looked_at if candidate.is_trusted and former is not None else now,
        )

    def _deed(self, row: HeldRow, former: HeldRow | None) -> Deed:
        if former is None:
            return Deed.READ
        if former.state == DROPPED:
            return Deed.NOTE
        if self._look.is_full or former.reader != READING or former.sha256 != row.sha256:
            return Deed.READ
        if former.state == REFUSED:
            return Deed.NOTE
        compared = ("path", "mtime_ns", "guards", "given")
        is_same = all(getattr(row, name) == getattr(former, name) for name in compared)
        return Deed.NOTE if is_same else Deed.DESCRIBE
