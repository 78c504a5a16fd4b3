"""`windrow source remove`: says what goes, asks first, takes both or neither."""

from __future__ import annotations

import sys
from io import StringIO
from pathlib import Path

import pytest

from tests.cli.sourcing import Cli, make_cli
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.store import leases
from windrow.store.store import open_store


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    made = make_cli(tmp_path, monkeypatch, capsys)
    with OaiServer(make_items(5)) as server:
        server.delete("oai:test.example:4", server.now)
        assert made("source", "add", "some", server.url).code == 0
        assert made("harvest", "some").code == 0
    return made


def held(cli: Cli) -> dict[str, int]:
    return {line["source"]: line["records"] for line in cli("source", "list", "--json").json}


class _Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_a_dry_run_says_how_many_records_would_go_and_takes_none(cli: Cli) -> None:
    before = cli.toml
    result = cli("source", "remove", "some", "--dry-run")
    assert (result.code, result.out) == (0, "Would remove the source some with 4 records and 1 tombstone.\n")
    assert (cli.toml, held(cli)) == (before, {"some": 4})


def test_without_a_terminal_it_takes_a_yes(cli: Cli) -> None:
    result = cli("source", "remove", "some")
    assert result.code == 2
    assert "--yes" in result.err
    assert held(cli) == {"some": 4}


def test_yes_removes_the_source_and_its_records(cli: Cli) -> None:
    result = cli("source", "remove", "some", "--yes")
    assert (result.code, result.out) == (0, "Removed the source some with 4 records and 1 tombstone.\n")
    assert held(cli) == {}
    assert "[sources.some]" not in cli.toml


@pytest.mark.parametrize(("answer", "code", "left"), [("y\n", 0, {}), ("n\n", 2, {"some": 4})])
def test_on_a_terminal_a_person_is_asked(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, answer: str, code: int, left: dict[str, int]
) -> None:
    monkeypatch.setattr(sys, "stdin", _Terminal(answer))
    result = cli("source", "remove", "some")
    assert result.code == code
    assert "Remove the source some with 4 records and 1 tombstone?" in result.err
    assert held(cli) == left


def test_records_can_be_kept_and_removed_later(cli: Cli) -> None:
    result = cli("source", "remove", "some", "--keep-records", "--yes", "--json")
    assert result.json == {
        "source": "some",
        "is_removed": True,
        "is_kept": True,
        "records": 4,
        "tombstones": 1,
        "quarantined": 0,
    }
    assert "[sources.some]" not in cli.toml
    assert held(cli) == {"some": 4}
    assert cli("source", "remove", "some", "--keep-records", "--yes").code == 2
    assert cli("source", "remove", "some", "--yes").code == 0
    assert held(cli) == {}


def test_a_source_never_harvested_is_removed_too(cli: Cli) -> None:
    cli("source", "add", "fresh", "https://repository.example/oai", "--no-check")
    result = cli("source", "remove", "fresh", "--yes")
    assert result.out == "Removed the source fresh, of which nothing was harvested.\n"
    assert set(held(cli)) == {"some"}


def test_a_source_that_is_being_harvested_is_left_alone(cli: Cli) -> None:
    store = open_store(cli.folder)
    with store.writing() as connection:
        leases.take(connection, "source some", leases.own_claim("windrow harvest"))
    store.close()
    before = cli.toml
    result = cli("source", "remove", "some", "--yes")
    assert result.code == 75
    assert "windrow harvest" in result.err
    assert (cli.toml, held(cli)) == (before, {"some": 4})


def test_jobs_that_name_a_removed_source_are_told_of(cli: Cli) -> None:
    cli("schedule", "add", "nightly", "--daily", "harvest", "some")
    cli("schedule", "add", "every", "--daily", "harvest", "--set", "some")
    result = cli("source", "remove", "some", "--yes")
    assert result.code == 0
    assert "The job nightly names it" in result.err
    assert "The job every" not in result.err


def test_an_unknown_source_cannot_be_removed(cli: Cli) -> None:
    result = cli("source", "remove", "other", "--yes")
    assert result.code == 2
    assert "there is no source 'other'" in result.err
