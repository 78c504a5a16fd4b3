"""JSON Lines: one object per record in UTF-8, with all fields of the Document."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import IO, Any

from windrow.exports.entries import Entry, as_dict


def write(entries: Iterable[Entry], target: IO[bytes]) -> None:
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    for entry in entries:
        # UTF-8 has no lone surrogates; payloads cannot contain one, but an identifier column might.
        target.write(encode(line(entry)).encode("utf-8", "replace") + b"\n")


def line(entry: Entry) -> dict[str, Any]:
    """Return the object of one line; a tombstone has only its identity, its date and its status."""
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
