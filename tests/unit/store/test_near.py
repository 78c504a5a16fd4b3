"""Identifiers much like one that is not there."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from windrow.model.record import Record
from windrow.store import runs, sources
from windrow.store.connection import Connection
from windrow.store.records.page_writer import PageWriter
from windrow.store.records.set_hierarchy import SetGroups
from windrow.store.records.similar_identifiers import MAX_SUGGESTIONS, find_similar_identifiers
from windrow.store.store import create_store

NOW = datetime(2024, 6, 1, tzinfo=UTC)
NAMES = [f"oai:Repository.example:1_{number}" for number in range(30)] + ["oai:other.example:100%"]


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    """A store with a few records in it."""
    store = create_store(tmp_path)
    with store.writing() as writing:
        source = sources.ensure(writing, "one", "http://one.example/oai")
        run = runs.start(writing, source.id, "harvest", now=NOW, arguments={})
        format_id = sources.format_id(writing, "oai_dc")
        writer = PageWriter(source.id, format_id, run_id=run, groups=SetGroups(source.id))
        writer.write(writing, [Record(name, "2020", (), is_deleted=False, payload=b"<a/>") for name in NAMES])
    with store.reading() as reading:
        yield reading
    store.close()


def test_the_end_of_an_identifier_finds_it(connection: Connection) -> None:
    assert find_similar_identifiers(connection, "example:1_17") == ["oai:Repository.example:1_17"]


def test_capital_letters_do_not_matter(connection: Connection) -> None:
    assert find_similar_identifiers(connection, "OAI:REPOSITORY.EXAMPLE:1_17") == [
        "oai:Repository.example:1_17"
    ]


def test_a_slip_near_the_end_is_forgiven(connection: Connection) -> None:
    assert "oai:Repository.example:1_17" in find_similar_identifiers(
        connection, "oai:Repository.exampel:1_17"
    )


@pytest.mark.parametrize(
    ("typed", "found"), [("100%", ["oai:other.example:100%"]), ("e:1%7", []), ("_____", [])]
)
def test_signs_with_a_meaning_in_sql_mean_themselves(
    connection: Connection, typed: str, found: list[str]
) -> None:
    assert find_similar_identifiers(connection, typed) == found


def test_only_a_few_are_given(connection: Connection) -> None:
    assert len(find_similar_identifiers(connection, "Repository")) == MAX_SUGGESTIONS


@pytest.mark.parametrize("typed", ["", "o", "zz" * 5000, "\x00\x01\x02"])
def test_nonsense_finds_nothing(connection: Connection, typed: str) -> None:
    assert find_similar_identifiers(connection, typed) == []
