"""The bench's records as an SQLite table, the way an institution that runs a peer's provider would keep them.

After `pages`, before the servers in `peers`. Each peer finds the form its own interface wants: fields as
JSON for the one that writes Dublin Core itself, the finished element for the one that takes XML.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from pathlib import Path

from bench import pages

TABLE = """
CREATE TABLE record (
    id INTEGER PRIMARY KEY,
    identifier TEXT NOT NULL UNIQUE,
    stamp TEXT NOT NULL,
    sets TEXT NOT NULL,
    fields TEXT NOT NULL,
    element BLOB NOT NULL
)
"""
ORDER = "CREATE INDEX record_stamp ON record (stamp, id)"
INSERT = "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?)"
XSI = ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
FIELD = re.compile(r"<dc:(\w+)[^>]*>([^<]*)</dc:\w+>")


def write(path: Path, records: int) -> Path:
    """Write so many records into a new database, ordered as a repository hands them out; give its path."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(TABLE)
        database.executemany(INSERT, _rows(records))
        database.execute(ORDER)
    return path


def _rows(records: int) -> Iterator[tuple[int, str, str, str, str, bytes]]:
    for number in range(records):
        text = pages.render_record(number)
        header, element = text.split("</header><metadata>", 1)
        element = element.removesuffix("</metadata></record>\n")
        fields: dict[str, list[str]] = {}
        for name, value in FIELD.findall(element):
            fields.setdefault(name, []).append(unescape(value))
        yield (
            number,
            pages.identifier(number),
            header.partition("<datestamp>")[2].partition("<")[0],
            " ".join(re.findall("<setSpec>([^<]*)", header)),
            json.dumps(fields, ensure_ascii=False),
            # Alone, the element must declare what the page around it declared before.
            element.replace("<oai_dc:dc", f"<oai_dc:dc{XSI}", 1).encode(),
        )
