"""`windrow source compare`: fields down, formats across."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.sourcing import Cli, make_cli
from tests.servers.faults.transport import Busy
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return make_cli(tmp_path, monkeypatch, capsys)


def test_formats_stand_side_by_side_and_the_fullest_is_named(cli: Cli) -> None:
    with DemoServer(Repository(50)) as server:
        cli("source", "add", "demo", server.url)
        result = cli("source", "compare", "demo", "--sample", "10")
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0].startswith("10 records")
    assert lines[2].split() == ["oai_dc", "kk", "marcxml", "qdc"]
    assert next(line for line in lines if line.startswith("department")).split() == [
        "department",
        "–",
        "100%",
        "×1.0",
        "–",
        "–",
    ]
    assert any(line.startswith("kk fills most: ") for line in lines)
    assert "windrow source edit demo --format kk" in result.err


def test_many_formats_are_wrapped_into_tables_of_eighty_columns(cli: Cli) -> None:
    formats = [f"private_format_{number}" for number in range(9)]
    with OaiServer(make_items(3), formats=formats) as server:
        result = cli("source", "compare", server.url)
    tables = result.out.count("bytes a record")
    assert tables > 1
    body = result.out.split("\n\n")[1 : tables + 1]
    assert all(len(line) <= 80 for table in body for line in table.splitlines())
    assert all(f"private_format_{number}" in result.out for number in range(9))


def test_a_format_without_a_reader_is_named(cli: Cli) -> None:
    with OaiServer(make_items(3), formats=("oai_dc", "private")) as server:
        result = cli("source", "compare", server.url)
    assert "private has no reader of its own" in result.out


def test_json_has_shares_and_means(cli: Cli) -> None:
    with OaiServer(make_items(30)) as server:
        told = cli("source", "compare", server.url, "--sample", "4", "--json").json
    assert told["best"] == "oai_dc"
    assert len(told["identifiers"]) == 4
    only = told["formats"][0]
    assert (only["format"], only["reader"], only["records"], only["trouble"]) == ("oai_dc", "oai_dc", 4, None)
    assert only["fields"]["title"] == {"share": 1.0, "values": 1.0}
    assert only["fields"]["abstract"] == {"share": 0.0, "values": 0.0}


def test_the_sets_of_a_source_are_where_the_sample_comes_from(cli: Cli) -> None:
    with OaiServer(make_items(9)) as server:
        cli("source", "add", "some", server.url, "--set", "law")
        told = cli("source", "compare", "some", "--json").json
    assert told["identifiers"] == ["oai:test.example:2", "oai:test.example:5", "oai:test.example:8"]


def test_a_repository_without_records_cannot_be_compared(cli: Cli) -> None:
    with OaiServer([]) as server:
        result = cli("source", "compare", server.url)
    assert result.code == 2
    assert "there are no records to compare" in result.err
    assert "noRecordsMatch" in result.err


def test_a_format_that_is_not_offered_is_refused(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        result = cli("source", "compare", server.url, "--format", "mods")
    assert result.code == 2
    assert "It offers: oai_dc." in result.words


def test_a_repository_that_asks_for_time_again_and_again_is_compared_all_the_same(cli: Cli) -> None:
    busy = Busy(429, "0.2", times=4, verbs=("ListMetadataFormats", "ListRecords"))
    with OaiServer(make_items(5), busy, formats=("oai_dc",)) as server:
        assert cli("source", "compare", server.url).code == 0
