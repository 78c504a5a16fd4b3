"""`windrow source list`: a line a source, whatever became of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.sourcing import Cli, make_cli
from tests.servers.items import make_items
from tests.servers.oai import OaiServer


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return make_cli(tmp_path, monkeypatch, capsys)


def test_an_empty_library_says_what_to_do(cli: Cli) -> None:
    result = cli("source", "list")
    assert result.code == 0
    assert "There are no sources yet." in result.out
    assert "windrow source add NAME URL" in result.err
    assert cli("source", "list", "--json").json == []


def test_a_source_never_harvested_says_so(cli: Cli) -> None:
    cli("source", "add", "later", "https://repository.example/oai", "--no-check")
    lines = cli("source", "list").out.splitlines()
    assert lines[0].split() == [
        *(
            "source",
            "records",
            "tombstones",
            "quarantined",
            "last",
            "run",
            "when",
            "(UTC)",
            "formats",
            "address",
        )
    ]
    assert lines[1].split() == ["later", "0", "0", "0", "never", "oai_dc", "https://repository.example/oai"]


def test_a_harvested_source_shows_its_numbers_and_how_the_last_run_went(cli: Cli) -> None:
    with OaiServer(make_items(12), "no header") as server:
        server.delete("oai:test.example:11", server.now)
        cli("source", "add", "some", server.url)
        assert cli("harvest", "some").code == 3
        url = server.url
    line = cli("source", "list").out.splitlines()[1].split()
    assert line[:5] == ["some", "10", "1", "1", "partial"]
    assert line[-2:] == ["oai_dc", url]
    told = cli("source", "list", "--json").json
    assert told[0]["last_run"]["outcome"] == "partial"
    assert (told[0]["records"], told[0]["tombstones"], told[0]["quarantined"]) == (10, 1, 1)


def test_a_disabled_source_is_marked(cli: Cli) -> None:
    cli("source", "add", "off", "https://repository.example/oai", "--no-check")
    cli("source", "edit", "off", "--disable")
    assert "oai_dc; disabled" in cli("source", "list").out
    assert cli("source", "list", "--json").json[0]["is_enabled"] is False


def test_a_password_in_an_address_is_not_shown(cli: Cli) -> None:
    cli("source", "add", "locked", "https://ali:sesame@repository.example/oai", "--no-check")
    result = cli("source", "list")
    assert "sesame" not in result.out
    assert "https://repository.example/oai" in result.out


def test_records_that_outlived_their_source_are_listed(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        cli("source", "add", "left", server.url)
        cli("harvest", "left")
    assert cli("source", "remove", "left", "--keep-records", "--yes").code == 0
    result = cli("source", "list")
    assert "records kept, no longer in windrow.toml" in result.out
    told = cli("source", "list", "--json").json[0]
    assert (told["is_configured"], told["records"]) == (False, 3)
