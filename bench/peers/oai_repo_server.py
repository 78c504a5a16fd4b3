"""oai_repo's provider over the table: `python -m bench.peers.oai_repo_server TABLE PER_PAGE WAY`.

Its interface gives a running number only, so lists are paged by OFFSET. `documented` fills in what its
documentation asks for, one record at a time; `tuned` also the optional methods for a page at a time.
"""

from __future__ import annotations

import sqlite3
import sys
from typing import Any

import oai_repo  # type: ignore[import-untyped, import-not-found, unused-ignore]
from lxml import etree

from bench.peers.front import TUNED, Answer, serve

OAI_DC = (
    "oai_dc",
    "http://www.openarchives.org/OAI/2.0/oai_dc.xsd",
    "http://www.openarchives.org/OAI/2.0/oai_dc/",
)
LIST = "SELECT identifier FROM record ORDER BY stamp, id LIMIT ? OFFSET ?"
PAGE = "SELECT identifier, stamp, sets, element FROM record ORDER BY stamp, id LIMIT ? OFFSET ?"
ONE = "SELECT identifier, stamp, sets, element FROM record WHERE identifier = ?"
Row = tuple[str, str, str, bytes]


class Repository(oai_repo.DataInterface):  # type: ignore[misc, no-any-unimported, unused-ignore]
    """Its data interface, as far as it is asked for here."""

    def __init__(self, path: str, url: str, limit: int) -> None:
        self.limit = limit
        self._database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self._size: int = self._database.execute("SELECT count(*) FROM record").fetchone()[0]
        self._url = url

    def get_identify(self) -> Any:
        admins, granularity = ["bench@example.org"], "YYYY-MM-DDThh:mm:ssZ"
        return oai_repo.Identify(
            "Bench", self._url, admins, "2006-01-01T00:00:00Z", "persistent", granularity
        )

    def get_metadata_formats(self, _identifier: str | None = None) -> list[Any]:
        return [oai_repo.MetadataFormat(*OAI_DC)]

    def is_valid_identifier(self, identifier: str) -> bool:
        return self._database.execute(ONE, (identifier,)).fetchone() is not None

    def list_identifiers(self, *arguments: Any) -> tuple[list[str], int, None]:
        *_filters, cursor = arguments
        found = self._database.execute(LIST, (self.limit, cursor))
        return [identifier for (identifier,) in found], self._size, None

    def get_record_header(self, identifier: str) -> Any:
        _, stamp, sets, _ = self._database.execute(ONE, (identifier,)).fetchone()
        return oai_repo.RecordHeader(identifier, stamp, sets.split())

    def get_record_metadata(self, identifier: str, _prefix: str) -> Any:
        return etree.fromstring(self._database.execute(ONE, (identifier,)).fetchone()[3])

    def get_record_abouts(self, _identifier: str) -> list[Any]:
        return []


class Tuned(Repository):
    """What an owner makes of it who knows the optional methods: each row is read once and kept at hand."""

    def __init__(self, path: str, url: str, limit: int) -> None:
        super().__init__(path, url, limit)
        self._identify = super().get_identify()
        self._formats = super().get_metadata_formats()
        self._rows: dict[str, Row] = {}

    def get_identify(self) -> Any:
        return self._identify

    def get_metadata_formats(self, _identifier: str | None = None) -> list[Any]:
        return self._formats

    def is_valid_identifier(self, identifier: str) -> bool:
        self._rows = {row[0]: row for row in self._database.execute(ONE, (identifier,))}
        return bool(self._rows)

    def list_identifiers(self, *arguments: Any) -> tuple[list[str], int, None]:
        *_filters, cursor = arguments
        self._rows = {row[0]: row for row in self._database.execute(PAGE, (self.limit, cursor))}
        return list(self._rows), self._size, None

    def get_records_header(self, identifiers: list[str]) -> list[Any]:
        rows = map(self._rows.__getitem__, identifiers)
        return [oai_repo.RecordHeader(identifier, stamp, sets.split()) for identifier, stamp, sets, _ in rows]

    def get_records_metadata(self, identifiers: list[str], _prefix: str) -> list[Any]:
        return [etree.fromstring(self._rows[identifier][3]) for identifier in identifiers]

    def get_records_abouts(self, identifiers: list[str]) -> list[list[Any]]:
        return [[] for _ in identifiers]


def main(path: str, per_page: str, way: str) -> None:
    """Serve until told to stop."""

    def make(url: str) -> Answer:
        kind = Tuned if way == TUNED else Repository
        repository = oai_repo.OAIRepository(kind(path, url, int(per_page)))
        return lambda arguments: bytes(repository.process(arguments))

    serve(way, make)


if __name__ == "__main__":
    main(*sys.argv[1:])
