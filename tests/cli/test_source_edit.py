"""`windrow source edit`: what was asked for changes, and nothing else."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.cli.sourcing import Cli, make_cli

URL = "https://repository.example/oai"


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    made = make_cli(tmp_path, monkeypatch, capsys)
    assert made("source", "add", "some", URL, "--no-check", "--format", "mods", "--set", "law").code == 0
    return made


def table(cli: Cli) -> object:
    return tomllib.loads(cli.toml)["sources"]["some"]


def test_flags_change_settings_and_say_from_what_to_what(cli: Cli) -> None:
    result = cli(
        "source", "edit", "some", "--format", "oai_dc", "--format", "kk", "--disable", "--delay", "2"
    )
    assert result.code == 0
    assert "some: formats was mods, is now oai_dc, kk\n" in result.out
    assert "some: enabled was true, is now false\n" in result.out
    assert table(cli) == {
        "url": URL,
        "formats": ["oai_dc", "kk"],
        "sets": ["law"],
        "delay": "2s",
        "enabled": False,
    }


def test_any_setting_can_be_set_by_its_name(cli: Cli) -> None:
    assert (
        cli("source", "edit", "some", "--set-option", "max_response=1 GB", "--set-option", "sets=a,b").code
        == 0
    )
    assert table(cli) == {"url": URL, "formats": ["mods"], "sets": ["a", "b"], "max_response": "1 GB"}


def test_unset_restores_the_default(cli: Cli) -> None:
    result = cli("source", "edit", "some", "--unset", "sets", "--unset", "formats")
    assert "some: formats was mods, is now oai_dc" in result.out
    assert "some: sets was law, is now not set" in result.out
    assert table(cli) == {"url": URL}


def test_a_new_address_is_to_be_looked_over(cli: Cli) -> None:
    result = cli("source", "edit", "some", "--url", "https://new.example/oai?verb=Identify")
    assert "is now https://new.example/oai\n" in result.out
    assert "windrow source check some" in result.err


def test_json_tells_the_difference_without_secrets(cli: Cli) -> None:
    cli("source", "edit", "some", "--header", "X-Key: first")
    told = cli("source", "edit", "some", "--header", "X-Key: second", "--json")
    assert told.json == {
        "source": "some",
        "changed": {"headers": {"before": "X-Key: ********", "after": "X-Key: ********"}},
    }
    assert "second" in cli.toml


def test_a_change_that_changes_nothing_says_so(cli: Cli) -> None:
    before = cli.toml
    result = cli("source", "edit", "some", "--format", "mods")
    assert result.out == "some is as it was.\n"
    assert cli.toml == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "there is nothing to change"),
        (("--mode", "fast"), "mode must be one of"),
        (("--unset", "formts"), 'Did you mean "formats"?'),
        (("--unset", "url"), "has no url"),
        (("--password-env", "VAR"), "needs a username as well"),
    ],
)
def test_what_makes_no_sense_changes_nothing(cli: Cli, arguments: tuple[str, ...], words: str) -> None:
    before = cli.toml
    result = cli("source", "edit", "some", *arguments)
    assert result.code == 2
    assert words in result.words
    assert cli.toml == before


def test_an_unknown_source_cannot_be_edited(cli: Cli) -> None:
    result = cli("source", "edit", "other", "--disable")
    assert result.code == 2
    assert "there is no source 'other'" in result.err
