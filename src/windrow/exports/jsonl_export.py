"""JSON Lines: one object a record, UTF-8, nothing left out that the Document has."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import IO, Any

from windrow.exports.entries import Entry, as_dict


def write(entries: Iterable[Entry], target: IO[bytes]) -> None:
    """Write each entry as a line."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    for entry in entries:
        # A lone surrogate cannot be UTF-8; no payload holds one, but an identifier column might.
        target.write(encode(line(entry)).encode("utf-8", "replace") + b"\n")


def line(entry: Entry) -> dict[str, Any]:
    """Return what one line says: of a tombstone only who, when and that it is gone."""
    record = entry.record
    values: dict[str, Any] = {
        "identifier": record.identifier,
        "source": record.source,
        "datestamp": record.stamp,
        "sets": list(record.sets),
        "deleted": record.is_deleted,
    }
    if entry.payload is not None:
        values |= {"format": entry.payload.prefix, "document": as_dict(entry.document)}
    if entry.problem:
        values["problem"] = entry.problem
    return values
