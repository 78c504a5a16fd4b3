"""What the library knows of one folder, for whoever renders its files: their guards and places.

Asked while a request waits, so each question is a few rows by an index.
"""

from __future__ import annotations

from windrow.store import held_files, sources
from windrow.store.guards import guards_of
from windrow.store.store import Store


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
