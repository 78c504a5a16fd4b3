"""`windrow source show`: one source from all sides."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.sourcing import Cli, make_cli
from tests.servers.faults.transport import Busy, Failing
from tests.servers.items import make_items
from tests.servers.oai import OaiServer


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return make_cli(tmp_path, monkeypatch, capsys)


def test_a_source_never_harvested_shows_its_settings_and_the_next_step(cli: Cli) -> None:
    cli("source", "add", "fresh", "https://repository.example/oai", "--no-check", "--delay", "2s")
    result = cli("source", "show", "fresh")
    assert result.code == 0
    assert "nothing yet: it was never harvested" in result.out
    assert "oai_dc        from the beginning" in result.out
    assert ["delay", "2s", "windrow.toml"] in [line.split() for line in result.out.splitlines()]
    assert ["attempts", "5", "default"] in [line.split() for line in result.out.splitlines()]
    assert "windrow harvest fresh" in result.err


def test_secrets_are_masked(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDROW_SOURCES_FRESH_PASSWORD", "sesame")
    cli("source", "add", "fresh", "https://repository.example/oai", "--no-check", "--username", "ali")
    for flags in ((), ("--json",)):
        result = cli("source", "show", "fresh", *flags)
        assert "sesame" not in result.out
        assert "WINDROW_SOURCES_FRESH_PASSWORD" in result.out
        assert "********" in result.out


def test_a_harvested_source_shows_identity_holdings_sets_and_runs(cli: Cli) -> None:
    sets = [("art", "Art"), ("art:music", "Music"), ("law", "Law"), ("law2", "Law")]
    with OaiServer(make_items(12), sets=sets) as server:
        cli("source", "add", "some", server.url)
        assert cli("harvest", "some").code == 0
    shown = cli("source", "show", "some")
    assert shown.out.startswith("some: Test\n")
    assert "run by        nobody@test.example" in shown.out
    assert "records       12, and 0 tombstones" in shown.out
    assert "as oai_dc     12" in shown.out
    assert "sets          3" in shown.out
    assert "law2 is law listed again" in shown.out
    assert "from 2024-06-01T12:00:00Z" in shown.out
    told = cli("source", "show", "some", "--json").json
    assert told["identity"]["name"] == "Test"
    assert told["holdings"] == {
        "records": 12,
        "tombstones": 0,
        "quarantined": 0,
        "sets": 3,
        "payloads": {"oai_dc": 12},
    }
    assert {"spec": "art", "name": "Art", "parent": None, "records": 4} in told["sets"]
    assert told["merged_sets"] == [{"spec": "law2", "same_as": "law"}]
    assert told["next"] == [{"format": "oai_dc", "set": None, "from": "2024-06-01T12:00:00Z"}]
    assert [run["outcome"] for run in told["runs"]] == ["ok"]
    assert told["settings"]["url"]["origin"] == "windrow.toml"
    assert told["unfinished"] == []


def test_a_window_that_was_not_finished_is_shown_with_how_far_it_is(cli: Cli) -> None:
    broken = Failing(500, times=None, skip=2, verbs=("ListRecords", "ListIdentifiers"))
    with OaiServer(make_items(30), broken) as server:
        cli("source", "add", "some", server.url, "--mode", "list")
        assert cli("harvest", "some").code == 1
    result = cli("source", "show", "some")
    assert "oai_dc, the beginning to now: 10 of 30 entries so far" in result.out
    told = cli("source", "show", "some", "--json").json["unfinished"]
    assert [(window["seen"], window["claimed"]) for window in told] == [(10, 30)]


def test_a_host_that_asked_to_be_left_alone_is_remembered(cli: Cli) -> None:
    with OaiServer(make_items(3), Busy(503, "86400", times=None)) as server:
        cli("source", "add", "busy", server.url)
        assert cli("harvest", "busy").code == 75
    result = cli("source", "show", "busy")
    assert "not before" in result.out
    assert "asked for it" in result.out
    assert cli("source", "show", "busy", "--json").json["not_before"] is not None


def test_an_unknown_source_is_refused_with_those_there_are(cli: Cli) -> None:
    cli("source", "add", "known", "https://repository.example/oai", "--no-check")
    result = cli("source", "show", "unknown")
    assert result.code == 2
    assert "there is no source 'unknown'" in result.err
    assert "known" in result.err
