"""pyoai's provider over the table: `python -m bench.peers.pyoai_server TABLE PER_PAGE WAY`.

Its BatchingServer asks for (cursor, batch_size), which is OFFSET and LIMIT; the index is in that order.
`documented` describes the repository anew for each answer, as its own example does; `tuned` once.
One shim: it decodes tokens with `cgi.parse_qs`, which Python 3.8 took away.
"""

from __future__ import annotations

import cgi
import json
import sqlite3
import sys
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs

cgi.parse_qs = parse_qs  # type: ignore[attr-defined, unused-ignore]

from oaipmh import common, error, metadata, server  # type: ignore[import-untyped, import-not-found, unused-ignore]  # noqa: E402

from bench.peers.front import TUNED, Answer, serve  # noqa: E402

LIST = "SELECT identifier, stamp, sets, fields FROM record ORDER BY stamp, id LIMIT ? OFFSET ?"
ONE = "SELECT identifier, stamp, sets, fields FROM record WHERE identifier = ?"
Record = tuple[Any, Any, None]


class Repository:
    """What pyoai calls IBatchingOAI: the part of it that is asked for here."""

    def __init__(self, path: str, url: str) -> None:
        self._database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self._url = url

    def identify(self) -> Any:
        return self._describe()

    def listRecords(self, *, cursor: int, batch_size: int, **_rest: object) -> list[Record]:  # noqa: N802
        return [_record(row) for row in self._database.execute(LIST, (batch_size, cursor))]

    def getRecord(self, *, identifier: str, **_rest: object) -> Record:  # noqa: N802
        row = self._database.execute(ONE, (identifier,)).fetchone()
        if row is None:
            raise error.IdDoesNotExistError("There is no such record.")
        return _record(row)

    def _describe(self, **options: bool) -> Any:
        earliest, granularity = datetime(2006, 1, 1), "YYYY-MM-DDThh:mm:ssZ"  # noqa: DTZ001 (it takes no zone)
        admins, codings = ["bench@example.org"], ["identity"]
        return common.Identify(
            "Bench", self._url, "2.0", admins, earliest, "persistent", granularity, codings, **options
        )


class Tuned(Repository):
    """What an owner makes of it who has seen that every answer asks for the description."""

    def __init__(self, path: str, url: str) -> None:
        super().__init__(path, url)
        # Its own name and version are looked up among the installed packages: that costs the most.
        self._identify = self._describe(toolkit_description=False)

    def identify(self) -> Any:
        return self._identify


def _record(row: tuple[str, str, str, str]) -> Record:
    identifier, stamp, sets, fields = row
    moment = datetime.fromisoformat(stamp.rstrip("Z"))  # it takes no time zone
    header = common.Header(None, identifier, moment, sets.split(), False)
    return header, common.Metadata(None, json.loads(fields)), None


def main(path: str, per_page: str, way: str) -> None:
    """Serve until told to stop."""

    def make(url: str) -> Answer:
        registry = metadata.MetadataRegistry()
        registry.registerWriter("oai_dc", server.oai_dc_writer)
        repository = (Tuned if way == TUNED else Repository)(path, url)
        oai = server.BatchingServer(repository, registry, resumption_batch_size=int(per_page))
        return oai.handleRequest  # type: ignore[no-any-return, unused-ignore]

    serve(way, make)


if __name__ == "__main__":
    main(*sys.argv[1:])
