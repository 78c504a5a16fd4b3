"""`metadata.csv`: a line for each file, a column for each name. One of the sidecars.

The column `filename`, `file` or `path` says which file a line is about, else the first one does. Columns may
be repeated, and a cell may have several values with a bar between them.
"""

from __future__ import annotations

import csv
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from io import StringIO

from windrow.sources.files.sidecar_names import fit, is_core, name_of

NAME = "metadata.csv"
MOST_BYTES = 64_000_000
_FILE_COLUMNS = ("filename", "file", "path", "file-name")
_SEPARATORS = (",", ";", "\t")
_STATED = re.compile("sep=([,;|\t])", re.IGNORECASE)  # a first line for a spreadsheet's eyes

Said = list[tuple[str, str]]


class NoSidecar(ValueError):
    """A file of a sidecar's name that describes nothing: a document like any other."""


def read_table(data: bytes) -> dict[str, Said]:
    """Give what the table says of each file, by its path from the table's folder on.

    NoSidecar where no column has a name of Dublin Core; csv.Error where it is no table.
    """
    rows = _rows(data)
    header = next(rows, [])
    place, names = _columns(header)
    if not any(map(is_core, names)):
        raise NoSidecar("no column of it has a name of Dublin Core")
    found: dict[str, Said] = {}
    for row in rows:
        path = _path(row[place]) if place < len(row) else ""
        if path:
            found.setdefault(path, []).extend(_values(names, row))
    return found


def _rows(data: bytes) -> Iterator[list[str]]:
    text = _decoded(data)
    line, _, behind = text.partition("\n")
    stated = _STATED.fullmatch(line.strip("\r"))
    separator = stated[1] if stated else max(_SEPARATORS, key=line.count)
    return csv.reader(StringIO(behind if stated else text, newline=""), delimiter=separator)


def _decoded(data: bytes) -> str:
    """Decode a table as spreadsheets write it: in UTF-8, as Unicode text, or as Windows has always done."""
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _columns(header: Sequence[str]) -> tuple[int, list[str]]:
    """Give which column names the file, and what the others mean; nothing for that one."""
    names = [name_of(written) for written in header]
    place = next((number for number, name in enumerate(names) if name in _FILE_COLUMNS), 0)
    return place, ["" if number == place else name for number, name in enumerate(names)]


def _values(names: Sequence[str], row: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name, cell in zip(names, row, strict=False):
        for value in cell.split("|") if name else ():
            if fit(value):
                yield name, fit(value)


def _path(written: str) -> str:
    """Give a path as this library writes them; tables from Windows have the other slash."""
    return written.strip().replace("\\", "/").removeprefix("./").lstrip("/")
