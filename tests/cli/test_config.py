"""`windrow config show`: what is set, and who set it."""

from __future__ import annotations

import pytest

from tests.cli.sourcing import Cli


def _rows(cli: Cli, *flags: str) -> dict[str, tuple[str, str]]:
    return {row["key"]: (row["value"], row["origin"]) for row in cli("config", "show", "--json", *flags).json}


def test_what_was_set_is_shown_with_who_set_it(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli("source", "add", "one", "https://one.example/oai", "--no-check").code == 0
    monkeypatch.setenv("WINDROW_HARVEST_TIMEOUT", "5s")
    rows = _rows(cli)
    assert rows["sources.one.url"] == ("https://one.example/oai", "windrow.toml")
    assert rows["harvest.timeout"] == ("5s", "WINDROW_HARVEST_TIMEOUT")
    assert "harvest.deadline" not in rows


def test_all_shows_the_defaults_too(cli: Cli) -> None:
    assert _rows(cli, "--all")["harvest.deadline"][1] == "default"


def test_secrets_are_not_shown(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli("source", "add", "one", "https://one.example/oai", "--no-check").code == 0
    monkeypatch.setenv("WINDROW_SOURCES_ONE_USERNAME", "me")
    monkeypatch.setenv("WINDROW_SOURCES_ONE_PASSWORD", "hunter2")
    for flags in ((), ("--all",), ("--json",)):
        result = cli("config", "show", *flags)
        assert "hunter2" not in result.out + result.err
        assert "********" in result.out
