"""A stocked library holds every record once, each with the source it is said to be from."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import stock
from bench.search import corpus

from windrow.store.records import record_reader
from windrow.store.records.record_reader import RecordReader
from windrow.store.store import create_store, open_store

RECORDS = 25


@pytest.fixture
def library(tmp_path: Path) -> Path:
    create_store(tmp_path).close()
    stock.main(str(tmp_path), "1", str(RECORDS), "0")
    return tmp_path


def test_every_record_is_there_once_and_from_its_source(library: Path) -> None:
    store = open_store(library)
    with store.reading() as connection:
        assert record_reader.count_records(connection) == RECORDS
        for number in range(1, RECORDS + 1):
            (found,) = RecordReader().find(connection, corpus.identifier(number))
            assert found.source == stock.source_of(number)
            assert found.payloads[0].data == stock.render(corpus.entry(number))
    store.close()


def test_another_version_changes_the_records_and_adds_none(library: Path) -> None:
    stock.main(str(library), "3", "4", "1")
    store = open_store(library)
    with store.reading() as connection:
        assert record_reader.count_records(connection) == RECORDS
        reader = RecordReader()
        for number in (2, 3, 6, 7):
            (found,) = reader.find(connection, corpus.identifier(number))
            is_changed = 3 <= number < 7
            assert bool(reader.history(connection, found.id)) is is_changed
            assert found.payloads[0].data == stock.render(corpus.entry(number, version=int(is_changed)))
    store.close()
