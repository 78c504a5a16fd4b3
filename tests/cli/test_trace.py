"""`windrow trace`: where is my record?"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from tests.cli.looking import NAME, harvested
from tests.cli.sourcing import Cli
from tests.servers.faults.transport import Busy
from tests.servers.items import Item, dublin_core, make_items
from tests.servers.oai import NOW, OaiServer

ONE = "oai:test.example:1"
TOMORROW = NOW + timedelta(days=1)


def _verdict(cli: Cli, identifier: str, *flags: str) -> str:
    """The one sentence, as people and as programs get it."""
    told = cli("trace", identifier, *flags)
    last = told.out.splitlines()[-1]
    assert cli("trace", identifier, *flags, "--json").json[0]["verdict"] == last
    return last


def test_a_record_that_is_the_same_in_both_places_needs_nothing(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        told = cli("trace", ONE)
        assert told.code == 0
        assert "the same as in the library" in told.out
        assert "run 1: came in" in told.out
        assert "nothing to do" in _verdict(cli, ONE)


def test_a_newer_version_at_the_source_is_one_harvest_away(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        server.put(Item(ONE, TOMORROW, ("law",), dublin_core("New")))
        assert "`windrow harvest demo` brings it" in _verdict(cli, ONE)


def test_a_change_under_an_old_datestamp_needs_a_full_harvest(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        server.put(replace(server.items[1], payload=dublin_core("Changed in silence")))
        assert "--full" in _verdict(cli, ONE)


def test_a_record_that_changed_only_its_sets_is_not_called_the_same(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        server.put(replace(server.items[1], stamp=TOMORROW, sets=("law",)))
        assert "in other sets at the source" in _verdict(cli, ONE)


def test_a_record_that_vanished_at_the_source_calls_for_reconciling(cli: Cli) -> None:
    with OaiServer(make_items(3), deleted="no") as server:
        harvested(cli, server)
        server.delete(ONE, TOMORROW)
        assert "--reconcile" in _verdict(cli, ONE)


def test_a_deletion_on_its_way_is_one_harvest_away(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        server.delete(ONE, TOMORROW)
        assert "`windrow harvest demo` marks it as deleted" in _verdict(cli, ONE)
        server.now = TOMORROW
        cli("harvest")
        assert "nothing to do" in _verdict(cli, ONE)


def test_a_record_that_came_back_is_one_harvest_away(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        server.delete(ONE, datetime(2021, 1, 1, tzinfo=UTC))
        harvested(cli, server)
        server.put(Item(ONE, TOMORROW, (), dublin_core("Back")))
        assert "brings it back" in _verdict(cli, ONE)


def test_a_record_that_was_never_harvested_is_found_at_the_source(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        assert cli("source", "add", NAME, server.url, "--no-check").code == 0
        assert "was never harvested" in _verdict(cli, ONE)


def test_a_record_outside_the_harvested_sets_says_so(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        assert cli("source", "add", NAME, server.url, "--no-check", "--set", "law").code == 0
        assert cli("harvest").code == 0
        assert "none of the sets that are harvested (law)" in _verdict(cli, "oai:test.example:0")


def test_a_record_in_quarantine_is_traced_to_its_case(cli: Cli) -> None:
    with OaiServer(make_items(3), "no metadata") as server:
        harvested(cli, server)
        identifier = cli("quarantine", "list", "--json").json[0]["identifier"]
        assert "windrow quarantine retry 1" in _verdict(cli, identifier)


def test_an_identifier_that_nobody_knows_ends_with_1_and_near_ones(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        told = cli("trace", "oai:test.example:11")
    assert told.code == 1
    assert "oai:test.example:1" in told.out
    assert "check how it is spelled" in told.out


def test_offline_asks_nobody(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        before = len(server.requests)
        assert "was not asked" in _verdict(cli, ONE, "--offline")
        assert len(server.requests) == before


def test_a_source_that_does_not_answer_leaves_what_the_library_has(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
    told = cli("trace", ONE)
    assert told.code == 0
    assert "gave no answer to use" in told.out.splitlines()[-1]


def test_the_history_of_a_record_is_told(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        server.put(Item(ONE, TOMORROW, ("art:music",), dublin_core("New")))
        server.now = TOMORROW
        cli("harvest")
        history = cli("trace", ONE, "--json").json[0]["history"]
    assert [(entry["run"], entry["kind"]) for entry in history] == [(2, "changed")]


def test_a_library_without_sources_says_what_to_do(cli: Cli) -> None:
    told = cli("trace", ONE)
    assert told.code == 2
    assert "windrow source add" in told.err


def test_a_source_that_asks_for_time_is_waited_for(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        server.faults = [Busy(503, "0.2", times=3, verbs=("GetRecord",))]  # from now on
        assert "the same as at the source" in _verdict(cli, ONE)


def test_where_sru_shows_a_record_is_said(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        assert cli("trace", ONE, "--json").json[0]["sru"]["is_shown"] is False
        assert cli("index").code == 0
        shown = cli("trace", ONE, "--json").json[0]["sru"]
        assert shown["databases"] == ["Default", NAME]
        assert {"dc", "marcxml", "mods", "windrow", "oai_dc"} <= set(shown["schemas"])
        assert cli("search", "--cql", shown["query"]).code == 0
        told = cli("trace", ONE).out
        assert "Over SRU" in told
        assert "in the databases Default" in told
        settings = cli.folder / "windrow.toml"
        settings.write_text(settings.read_text() + "\n[sru]\nenabled = false\n")
        assert "switched off" in cli("trace", ONE).out


def test_where_z3950_shows_a_record_is_said(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        assert cli("trace", ONE, "--json").json[0]["z3950"]["is_shown"] is False
        assert cli("index").code == 0
        shown = cli("trace", ONE, "--json").json[0]["z3950"]
        assert shown["databases"] == ["Default", NAME]
        assert shown["syntaxes"] == ["XML", "MARC 21", "GRS-1", "SUTRS"]
        assert cli("search", "--pqf", shown["query"]).code == 0
        assert "Over Z39.50" in cli("trace", ONE).out
