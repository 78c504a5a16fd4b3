"""What the library knows of one folder, for whoever renders its files: their guards, and its last look.

Asked while a request waits, so each question is a few rows by an index.
"""

from __future__ import annotations

from windrow.model.stamp import read_stamp
from windrow.store import checkpoints, held_files, sources
from windrow.store.guards import guards_of
from windrow.store.store import Store

FORMAT = "oai_dc"  # its list says when the folder was last looked at


class FolderKnowledge:
    """What the library knows of the folder of one source."""

    def __init__(self, store: Store, name: str) -> None:
        self._store = store
        self._name = name

    def guards(self, identifier: str) -> frozenset[str]:
        """Give the guards under which the library has a file."""
        with self._store.reading() as connection:
            source = sources.find(connection, self._name)
            return guards_of(connection, source.id, identifier) if source else frozenset()

    def path(self, identifier: str) -> str | None:
        """Give where the file of a document lies, which may have moved; None for what is in an archive."""
        with self._store.reading() as connection:
            source = sources.find(connection, self._name)
            row = held_files.find(connection, source.id, identifier) if source else None
        return row.path if row is not None and not row.member else None

    def looked_at(self) -> int | None:
        """Give the Unix second in which the last finished look began; None before the first."""
        with self._store.reading() as connection:
            source = sources.find(connection, self._name)
            cursor = checkpoints.cursor(connection, source.id, FORMAT, "") if source else None
        moment = read_stamp(cursor.next_from or "") if cursor else None
        return None if moment is None else int(moment.timestamp())
