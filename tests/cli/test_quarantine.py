"""`windrow quarantine`: records that could not be kept, why, and another try."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.cli.looking import NAME, harvested, opened
from tests.cli.sourcing import Cli
from tests.servers.faults.records import NoIdentifier, NoMetadata
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.model.record import Reject
from windrow.store import leases, runs, sources
from windrow.store.harvests import quarantine_cases


def _keep(cli: Cli, url: str, *rejects: Reject) -> None:
    """Put cases into quarantine as a harvest would."""
    now = datetime(2024, 6, 1, tzinfo=UTC)
    assert cli("source", "add", NAME, url, "--no-check").code == 0
    with opened(cli) as store, store.writing() as connection:
        source = sources.ensure(connection, NAME, url)
        run = runs.start(connection, source.id, "harvest", now=now, arguments={})
        quarantine_cases.put(connection, source.id, run, "oai_dc", rejects, now=now)


def test_an_empty_quarantine_says_so(cli: Cli) -> None:
    assert cli("quarantine", "list").out == "Nothing is in quarantine.\n"
    assert cli("quarantine", "list", "--json").json == []


def test_cases_are_listed_with_their_reasons(cli: Cli) -> None:
    with OaiServer(make_items(5), NoMetadata()) as server:
        harvested(cli, server)
    result = cli("quarantine", "list", NAME)
    case = cli("quarantine", "list", "--json").json[0]
    assert case["identifier"] in result.out
    assert case["reason"] in result.out
    assert "windrow quarantine show 1" in result.err


def test_the_bytes_of_a_case_cannot_command_the_terminal(cli: Cli) -> None:
    raw = "<record>\x1b]0;owned\x07\u202e\r\n\tåäö</record>".encode()
    _keep(cli, "http://127.0.0.1:9/oai", Reject("bad \x1b[31mreason", raw, "oai:x:\x1b1"))
    shown = cli("quarantine", "show", "1").out
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "\u202e" not in shown
    assert "åäö" in shown
    assert "\x1b" not in cli("quarantine", "list").out


def test_raw_gives_the_bytes_as_they_came(cli: Cli) -> None:
    raw = "<record>\x1b åäö</record>"
    _keep(cli, "http://127.0.0.1:9/oai", Reject("bad", raw.encode(), "oai:x:1"))
    assert cli("quarantine", "show", "1", "--raw").out == raw


def test_an_unknown_case_is_not_found(cli: Cli) -> None:
    assert cli("quarantine", "show", "1").code == 2
    assert cli("quarantine", "retry", "1").code == 2


def test_a_record_that_is_whole_by_now_is_stored_and_its_case_closed(cli: Cli) -> None:
    with OaiServer(make_items(5), NoMetadata()) as server:
        harvested(cli, server)
        server.faults.clear()
        result = cli("quarantine", "retry", "--all")
    assert result.code == 0
    assert "stored" in result.out
    assert cli("quarantine", "list", "--json").json == []
    assert cli("run", "list", "--json").json[0]["kind"] == "retry"
    identifier = cli("quarantine", "list", "--all", "--json").json[0]["identifier"]
    assert cli("record", "show", identifier).code == 0


def test_a_record_that_is_still_bad_says_so_and_stays(cli: Cli) -> None:
    with OaiServer(make_items(5), NoMetadata()) as server:
        harvested(cli, server)
        result = cli("quarantine", "retry", "--source", NAME)
    assert result.code == 3
    assert "still bad" in result.out
    assert [case["case"] for case in cli("quarantine", "list", "--json").json] == [1]


def test_a_case_without_an_identifier_waits_for_the_next_harvest(cli: Cli) -> None:
    with OaiServer(make_items(5), NoIdentifier()) as server:
        harvested(cli, server)
        before = len(server.requests)
        result = cli("quarantine", "retry", "1")
        assert len(server.requests) == before
    assert result.code == 3
    assert "the next harvest" in result.out


def test_a_record_that_the_source_no_longer_has_needs_no_case(cli: Cli) -> None:
    with OaiServer(make_items(2)) as server:
        _keep(cli, server.url, Reject("bad", b"<x/>", "oai:gone"))
        result = cli("quarantine", "retry", "1", "--json")
    assert result.code == 0
    assert result.json[0]["verdict"] == "gone"


def test_a_source_that_cannot_be_reached_leaves_its_cases_open(cli: Cli) -> None:
    with OaiServer(make_items(2)) as server:
        _keep(cli, server.url, Reject("bad", b"<x/>", "oai:test.example:0"))
    result = cli("quarantine", "retry", "--all", "--json")
    assert result.code == 3
    assert result.json[0]["verdict"] == "not asked"


def test_a_source_that_is_being_harvested_is_left_alone(cli: Cli) -> None:
    with OaiServer(make_items(2)) as server:
        _keep(cli, server.url, Reject("bad", b"<x/>", "oai:test.example:0"))
        with opened(cli) as store, store.writing() as connection:
            leases.take(connection, leases.lease_name(NAME), leases.own_claim("a test"))
        result = cli("quarantine", "retry", "--all")
        assert not server.requests
    assert result.code == 75


def test_retry_wants_to_know_what(cli: Cli) -> None:
    result = cli("quarantine", "retry")
    assert result.code == 2
    assert "--all" in result.err


@pytest.mark.parametrize("flag", ["--all", "--source=demo"])
def test_retrying_nothing_is_no_mistake(cli: Cli, flag: str) -> None:
    with OaiServer(make_items(2)) as server:
        harvested(cli, server)
        assert cli("quarantine", "retry", flag).code == 0


def test_machine_output_lists_every_case(cli: Cli) -> None:
    rejects = [Reject("bad", b"<record/>", f"oai:x:{number}") for number in range(130)]
    _keep(cli, "http://127.0.0.1:9/oai", *rejects)
    assert len(cli("quarantine", "list", "--json").json) == 130
    shown = cli("quarantine", "list")
    assert (len(shown.out.splitlines()), "30 more wait: --limit 130" in shown.err) == (101, True)


def test_a_dismissed_record_makes_no_later_harvest_partial(cli: Cli) -> None:
    with OaiServer(make_items(5), NoMetadata()) as server:
        harvested(cli, server)
        assert cli("harvest", NAME).code == 3
        assert "dismiss" in cli("run", "show", "2").out
        assert cli("quarantine", "dismiss").code == 2
        assert cli("quarantine", "dismiss", "99").code == 2
        assert cli("quarantine", "dismiss", "--source", NAME).out == "1 case dismissed.\n"
        sent = len(server.requests)
        assert cli("harvest", NAME).code == 0
        assert len(server.requests) - sent == 2, "it is not asked for, and not taken for missing"
        assert cli("quarantine", "list").out == "Nothing is in quarantine.\n"
        assert "dismissed: " in cli("quarantine", "list", "--all").out
        assert cli("source", "list", "--json").json[0]["quarantined"] == 0
        assert cli("quarantine", "dismiss", "1", "--undo").out == "1 case waits again.\n"
        assert cli("harvest", NAME).code == 3
        server.faults = []
        assert cli("quarantine", "dismiss", "1").code == 0
        assert cli("harvest", NAME, "--full").code == 0
    assert cli("quarantine", "list", "--all", "--json").json[0]["resolved"]
