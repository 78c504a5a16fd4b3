"""Parquet: one row per record, with lists as lists, for notebooks and column stores. Needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import islice
from typing import IO, Any

from windrow.errors import UsageError, install_hint
from windrow.exports.entries import COLUMNS, NUMBERS, SINGLE, Entry, as_cells

ROWS = 2000  # in memory at a time: one row group


def write(entries: Iterable[Entry], target: IO[bytes]) -> None:
    arrow, parquet = load()
    schema = _schema(arrow)
    rows = map(_row, entries)
    with parquet.ParquetWriter(target, schema, compression="zstd") as writer:
        for group in _groups(rows):
            writer.write_batch(arrow.RecordBatch.from_pylist(group, schema=schema))


def load() -> tuple[Any, Any]:
    """Return pyarrow and its Parquet module; the error names the package to install."""
    try:
        # An optional dependency, slow to import and without type information.
        pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as exc:
        raise UsageError(
            "Parquet needs pyarrow, which is not installed.",
            hint=f"{install_hint('analytics')}. Or choose --format jsonl or csv.",
        ) from exc
    return pyarrow, parquet


def _schema(arrow: Any) -> Any:
    text, texts, number = arrow.string(), arrow.list_(arrow.string()), arrow.int32()
    head = [("identifier", text), ("source", text), ("datestamp", text), ("deleted", arrow.bool_())]
    body = [(name, number if name in NUMBERS else text if name in SINGLE else texts) for name in COLUMNS]
    return arrow.schema([*head, ("sets", texts), ("format", text), *body])


def _row(entry: Entry) -> dict[str, Any]:
    record = entry.record
    head = {
        "identifier": record.identifier,
        "source": record.source,
        "datestamp": record.stamp,
        "deleted": record.is_deleted,
        "sets": list(record.sets),
        "format": entry.payload.prefix if entry.payload else None,
    }
    return head | as_cells(entry.document)


def _groups(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    iterator = iter(rows)
    while group := list(islice(iterator, ROWS)):
        yield group
