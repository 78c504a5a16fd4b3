"""CSV: one row per record, the values of a field joined, and no cell that a spreadsheet would execute."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import IO

from windrow.exports.entries import COLUMNS, SEPARATOR, Cell, Entry, as_cells

HEADER = ("identifier", "source", "datestamp", "deleted", "sets", "format", *COLUMNS)
# Spreadsheets treat cells with these prefixes as formulas; a leading apostrophe makes them text.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def write(entries: Iterable[Entry], target: IO[bytes]) -> None:
    text = io.TextIOWrapper(target, encoding="utf-8", errors="replace", newline="", write_through=True)
    writer = csv.writer(text, lineterminator="\r\n")
    try:
        writer.writerow(HEADER)
        writer.writerows(map(row, entries))
    finally:
        text.detach()  # the caller closes the stream


def row(entry: Entry) -> list[str]:
    record = entry.record
    head = (record.identifier, record.source, record.stamp, "yes" if record.is_deleted else "no")
    body = as_cells(entry.document).values() if entry.payload is not None else [None] * len(COLUMNS)
    prefix = entry.payload.prefix if entry.payload else ""
    return [cell(value) for value in (*head, list(record.sets), prefix, *body)]


def cell(value: Cell) -> str:
    """Return a value as one harmless line."""
    if value is None:
        return ""
    text = SEPARATOR.join(value) if isinstance(value, list) else str(value)
    text = " ".join(text.split())
    return f"'{text}" if text.startswith(_FORMULA) else text
