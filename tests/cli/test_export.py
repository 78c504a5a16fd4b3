"""`windrow export`: records out of the library, in a format others read."""

from __future__ import annotations

import csv
import io
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from lxml import etree

from tests.cli.looking import harvested
from tests.cli.sourcing import Cli
from tests.fixtures import missing
from tests.servers.items import Item, dublin_core, make_items
from tests.servers.oai import NOW, OaiServer
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer

STAMP = datetime(2024, 1, 1, tzinfo=UTC)


def _lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def _with_a_tombstone(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        server.delete("oai:test.example:1", NOW)
        harvested(cli, server)


def test_json_lines_hold_one_object_a_record(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
    first = _lines(cli("export").out)[0]
    assert first == {
        "identifier": "oai:test.example:0",
        "source": "demo",
        "datestamp": "2020-01-01T00:00:00Z",
        "sets": ["art"],
        "deleted": False,
        "format": "oai_dc",
        "document": {
            "titles": [{"value": "Title 0"}],
            "creators": [{"name": "Höök, Åsa"}],
            "dates": [{"text": "2020", "kind": "date"}],
            "year": 2020,
            "institution": "The set art",
            "units": [{"institution": "The set art"}],
        },
    }


def test_tombstones_come_only_when_asked_for(cli: Cli) -> None:
    _with_a_tombstone(cli)
    assert len(_lines(cli("export").out)) == 2
    deleted = [line for line in _lines(cli("export", "--deleted").out) if line["deleted"]]
    assert [line["identifier"] for line in deleted] == ["oai:test.example:1"]
    assert "document" not in deleted[0]


def test_sources_are_chosen_by_name(cli: Cli) -> None:
    with OaiServer(make_items(2)) as one, OaiServer(make_items(3)) as other:
        harvested(cli, one, name="one")
        harvested(cli, other, name="other")
    assert {line["source"] for line in _lines(cli("export", "--source", "other").out)} == {"other"}
    assert len(_lines(cli("export", "--source", "other", "--source", "one").out)) == 5
    assert cli("export", "--source", "nobody").code == 2


def test_the_metadata_format_is_chosen_by_its_prefix(cli: Cli) -> None:
    with DemoServer(Repository(5)) as server:
        harvested(cli, server, "oai_dc", "kk")
    assert {line["format"] for line in _lines(cli("export", "--metadata", "kk").out)} == {"kk"}
    result = cli("export", "--metadata", "mods")
    assert result.out == ""
    assert "not held in mods" in result.err


def test_csv_has_a_header_and_joins_values(cli: Cli) -> None:
    payload = dublin_core('A, "quoted" title').replace(
        "</dc:creator>", "</dc:creator><dc:creator>Ek, Bo</dc:creator><dc:date>2001</dc:date>"
    )
    with OaiServer([Item("oai:x:1", STAMP, ("a", "b"), payload)]) as server:
        harvested(cli, server)
    row = next(csv.DictReader(io.StringIO(cli("export", "--format", "csv").out)))
    assert row["title"] == 'A, "quoted" title'
    assert row["creators"] == "Höök, Åsa | Ek, Bo"
    assert row["year"] == "2001"
    assert row["sets"] == "a | b"
    assert row["deleted"] == "no"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "＝"])
def test_no_cell_of_a_csv_is_a_formula(cli: Cli, start: str) -> None:
    with OaiServer([Item("oai:x:1", STAMP, (), dublin_core(f"{start}cmd|' /C calc'!A0"))]) as server:
        harvested(cli, server)
    row = next(csv.DictReader(io.StringIO(cli("export", "--format", "csv").out)))
    assert row["title"].startswith(f"'{start}")


def test_xml_holds_the_payloads_as_they_came(cli: Cli) -> None:
    _with_a_tombstone(cli)
    root = etree.fromstring(cli("export", "--format", "xml", "--deleted").out.encode())
    records = {record.get("identifier"): record for record in root}
    assert root.tag == "records"
    assert records["oai:test.example:0"][0].tag == "{http://www.openarchives.org/OAI/2.0/oai_dc/}dc"
    assert records["oai:test.example:0"].get("source") == "demo"
    assert records["oai:test.example:0"].get("datestamp") == "2020-01-01T00:00:00Z"
    assert records["oai:test.example:1"].get("deleted") == "true"
    assert len(records["oai:test.example:1"]) == 0


def test_a_file_is_written_whole_and_nothing_is_left_beside_it(cli: Cli, tmp_path: Path) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
    target = tmp_path / "out" / "records.jsonl"
    target.parent.mkdir()
    result = cli("export", "--output", str(target), "--json")
    assert result.json == {"output": str(target), "written": 3, "lacking": 0, "unmapped": 0}
    assert len(_lines(target.read_text(encoding="utf-8"))) == 3
    assert [path.name for path in target.parent.iterdir()] == ["records.jsonl"]


def test_a_file_that_cannot_be_made_is_an_error_that_names_it(cli: Cli, tmp_path: Path) -> None:
    result = cli("export", "--output", str(tmp_path / "nowhere" / "x.jsonl"))
    assert result.code == 2
    assert "nowhere/x.jsonl" in result.err


def test_json_on_stdout_would_mix_with_the_records(cli: Cli) -> None:
    assert cli("export", "--json").code == 2


def test_parquet_keeps_lists_as_lists(cli: Cli, tmp_path: Path) -> None:
    try:
        from pyarrow import parquet  # type: ignore[import-untyped]
    except ImportError:
        missing("pyarrow is not installed")
    _with_a_tombstone(cli)
    target = tmp_path / "x.parquet"
    assert cli("export", "--format", "parquet", "--deleted", "--output", str(target)).code == 0
    rows = {row["identifier"]: row for row in parquet.read_table(target).to_pylist()}
    assert rows["oai:test.example:0"]["creators"] == ["Höök, Åsa"]
    assert rows["oai:test.example:0"]["title"] == "Title 0"
    assert rows["oai:test.example:1"]["deleted"] is True
    assert rows["oai:test.example:1"]["title"] is None


def test_without_pyarrow_parquet_names_the_extra_to_install(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # how Python marks what cannot be imported
    result = cli("export", "--format", "parquet", "--output", str(tmp_path / "x.parquet"))
    assert result.code == 2
    assert "pip install '.[analytics]'" in result.err
    assert not (tmp_path / "x.parquet").exists()


def test_a_query_chooses_what_is_written(cli: Cli) -> None:
    with OaiServer(make_items(30)) as server:
        harvested(cli, server)
    refused = cli("export", "--query", "title:7")
    assert (refused.code, "windrow index" in refused.err) == (2, True)
    cli("index")
    everything = {line["identifier"] for line in _lines(cli("export").out)}
    assert {line["identifier"] for line in _lines(cli("export", "--query", "*").out)} == everything
    hits = cli("search", "7", "--json").json["hits"]
    assert hits
    found = [str(line["identifier"]) for line in _lines(cli("export", "--query", "7").out)]
    assert sorted(found) == sorted(hit["identifier"] for hit in hits)
    assert cli("export", "--query", "7 xyzzyxyzzy").out == ""  # a search would show partial matches
    assert cli("export", "--query", "year:soon").code == 2
    assert cli("export", "--query", "7", "--deleted").code == 2


def test_an_empty_library_exports_nothing_and_says_so(cli: Cli) -> None:
    result = cli("export")
    assert result.code == 0
    assert result.out == ""
    assert "0 records" in result.err
