"""`windrow rebuild`: every record mapped again, without harvesting."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime

from tests.cli.looking import NAME, harvested, opened
from tests.cli.sourcing import Cli
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer
from windrow.model.record import Record
from windrow.store import leases, runs, sources
from windrow.store.records.page_writer import PageWriter
from windrow.store.records.set_hierarchy import SetGroups

NOW = datetime(2024, 6, 1, tzinfo=UTC)


def test_every_payload_becomes_a_document_and_nothing_is_asked(cli: Cli) -> None:
    with DemoServer(Repository(300)) as server:
        harvested(cli, server, "oai_dc", "kk")
    result = cli("rebuild", "--json")  # the server is gone
    assert result.code == 0
    found = result.json[0]
    live = cli("source", "list", "--json").json[0]["records"]
    assert found["documents"] == 2 * live
    assert found["formats"]["kk"]["filled"]["titles"] == live
    assert found["formats"]["kk"]["filled"]["institution"] == live
    assert found["failed"] == 0


def test_a_rebuild_is_a_run_of_its_own_kind(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
    cli("rebuild")
    newest = cli("run", "list", "--json").json[0]
    assert (newest["kind"], newest["outcome"], newest["counters"]["seen"]) == ("rebuild", "ok", 3)


def test_without_an_index_nothing_of_it_is_loaded(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
    code = (
        "import sys; from windrow.cli.main import app; app(['rebuild'], standalone_mode=False); "
        "sys.exit('tantivy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=cli.folder, capture_output=True, check=False)
    assert (done.returncode, b"3 documents made" in done.stdout) == (0, True)


def test_fill_rates_are_told_for_people(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
    out = cli("rebuild").out
    assert "3 documents made" in out
    assert ["titles", "100", "%"] in [line.split() for line in out.splitlines()]


def test_more_than_one_batch_is_read_to_the_end(cli: Cli) -> None:
    with DemoServer(Repository(1500)) as server:
        harvested(cli, server, "oai_dc", "kk")
    live = cli("source", "list", "--json").json[0]["records"]
    assert cli("rebuild", "--json").json[0]["documents"] == 2 * live


def _spoil(cli: Cli, identifier: str) -> None:
    """Give a stored record a payload that no reader can read, as a damaged disk might."""
    with opened(cli) as store, store.writing() as connection:
        source = sources.find(connection, NAME)
        assert source is not None
        run = runs.start(connection, source.id, "harvest", now=NOW, arguments={})
        format_id = sources.format_id(connection, "oai_dc")
        writer = PageWriter(source.id, format_id, run_id=run, groups=SetGroups(source.id))
        spoilt = Record(identifier, "2020-01-02T00:00:00Z", (), is_deleted=False, payload=b"<dc><title>")
        writer.write(connection, [spoilt])


def test_a_record_that_cannot_be_mapped_goes_to_quarantine_until_it_can(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        _spoil(cli, "oai:test.example:1")
        assert cli("rebuild").code == 3
        case = cli("quarantine", "list", "--json").json[0]
        assert case["identifier"] == "oai:test.example:1"
        assert case["reason"].startswith("mapping: ")
        cli("harvest", "--full")
    assert cli("rebuild").code == 0
    assert cli("quarantine", "list", "--json").json == []


def test_a_record_that_cannot_be_mapped_can_be_fetched_again(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        _spoil(cli, "oai:test.example:1")
        cli("rebuild")
        assert cli("quarantine", "retry", "--all").code == 0
    found = cli("rebuild", "--json").json[0]
    assert (found["documents"], found["failed"]) == (3, 0)


def test_a_record_that_still_cannot_be_mapped_is_counted_once(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
    _spoil(cli, "oai:test.example:1")
    for _ in range(2):
        assert cli("rebuild").code == 3
    assert [case["case"] for case in cli("quarantine", "list", "--json").json] == [1]


def test_only_the_named_sources_are_mapped(cli: Cli) -> None:
    with OaiServer(make_items(2)) as one, OaiServer(make_items(3)) as other:
        harvested(cli, one, name="one")
        harvested(cli, other, name="other")
    assert [(item["source"], item["documents"]) for item in cli("rebuild", "other", "--json").json] == [
        ("other", 3)
    ]
    assert {item["source"] for item in cli("rebuild", "--json").json} == {"one", "other"}


def test_a_source_without_records_says_what_to_do(cli: Cli) -> None:
    assert cli("source", "add", NAME, "http://127.0.0.1:9/oai", "--no-check").code == 0
    result = cli("rebuild", NAME)
    assert result.code == 2
    assert "windrow harvest demo" in result.err
    assert cli("rebuild").code == 0


def test_the_claim_on_the_mapping_is_given_back(cli: Cli) -> None:
    with OaiServer(make_items(2)) as server:
        harvested(cli, server)
    cli("rebuild")
    with opened(cli) as store, store.reading() as connection:
        assert leases.list_holders(connection) == {}
