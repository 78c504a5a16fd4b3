"""`windrow source edit`: what was asked for changes, and nothing else."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.cli.sourcing import Cli, make_cli
from tests.servers.items import make_items
from tests.servers.oai import OaiServer

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


def test_a_repository_that_moved_is_harvested_on_from_where_it_was(cli: Cli) -> None:
    with OaiServer(make_items(5)) as old, OaiServer(make_items(5)) as new:
        assert cli("source", "add", "hay", old.url).code == 0
        assert cli("harvest", "hay").code == 0
        other = cli("source", "edit", "hay", "--url", new.url)
        assert "The next harvest asks for everything again" in other.err
        assert "add --moved" in other.err
        same = cli("source", "edit", "hay", "--url", new.url, "--moved")
        assert "harvests go on where they were" in same.err
        assert cli("harvest", "hay").code == 0
        assert [request.arguments.get("from") for request in new.requests] == ["2024-05-29T12:00:00Z", None]


def test_the_address_of_a_permanent_redirect_is_known_to_be_the_same_repository(cli: Cli) -> None:
    with OaiServer(make_items(5), "moved permanently") as server:
        added = cli("source", "add", "hay", server.url)
        new = server.url.replace("/oai", "/oai/request")
        assert f"It has moved permanently: windrow source edit hay --url {new}" in added.err
        assert cli("harvest", "hay").code == 0
        assert f"moved to      {new}" in cli("source", "show", "hay").out
        checked = cli("source", "check", "hay")
        assert f"it has moved permanently to {new}" in checked.words
        assert f"windrow source edit hay --url {new}" in checked.err
        taken = cli("source", "edit", "hay", "--url", new, "--json")
        assert taken.json["harvested_anew"] is False
        server.requests.clear()
        assert cli("harvest", "hay").code == 0
        assert len(server.requests) == 2, "what is new, and the size of the list"


def test_moved_needs_a_new_address(cli: Cli) -> None:
    result = cli("source", "edit", "some", "--moved", "--format", "mods")
    assert result.code == 2
    assert "--moved goes with a new address" in result.err


def test_credentials_of_an_old_address_are_kept_for_the_new_one_and_not_shown(cli: Cli) -> None:
    cli("source", "edit", "some", "--url", "https://ali:sesame@repository.example/oai")
    result = cli("source", "edit", "some", "--url", "https://repository.example/oai/request")
    assert "sesame" not in result.words
    assert 'password = "sesame"' in cli.toml


@pytest.mark.parametrize("written", ["ali:sesame@", "t0ken-as-name@", ":sesame@", ""])
@pytest.mark.parametrize("query", ["?key=K3Y-of-mine", ""])
def test_secrets_written_in_the_address_stay_with_the_source_at_its_new_one(
    cli: Cli, written: str, query: str
) -> None:
    """An address with secrets in windrow.toml is allowed; the command that we print must not lose them."""
    with OaiServer(make_items(5), "moved permanently") as server:
        old = server.url.replace("://", f"://{written}") + query
        toml = cli.toml + f'[sources.hay]\nurl = "{old}"\n'
        (cli.folder / "windrow.toml").write_text(toml, encoding="utf-8")
        assert cli("harvest", "hay").code == 0
        new = server.url.replace("/oai", "/oai/request")
        credentials = server.requests[0].headers.get("authorization")
        edited = cli("source", "edit", "hay", "--url", new)
        assert edited.code == 0, edited.words
        assert "harvests go on where they were" in edited.err
        assert "sesame" not in edited.words
        assert "K3Y-of-mine" not in edited.words
        server.requests.clear()
        assert cli("harvest", "hay").code == 0
        assert {request.headers.get("authorization") for request in server.requests} == {credentials}
        assert {request.arguments.get("key") for request in server.requests} == {
            "K3Y-of-mine" if query else None
        }
        assert {request.target.partition("?")[0] for request in server.requests} == {"/oai/request"}


def test_secrets_given_with_a_new_address_replace_those_written_in_the_old_one(cli: Cli) -> None:
    toml = cli.toml + '[sources.hay]\nurl = "https://ali:sesame@a.example/oai?key=old-key"\n'
    (cli.folder / "windrow.toml").write_text(toml, encoding="utf-8")
    place = "https://a.example/new?key=new-key"
    edited = cli("source", "edit", "hay", "--url", place, "--username", "eve", "--password-env", "PW")
    assert edited.code == 0, edited.words
    assert tomllib.loads(cli.toml)["sources"]["hay"] == {
        "url": "https://a.example/new",
        "username": "eve",
        "password_env": "PW",
        "secret_query": "key=new-key",
    }
    assert cli("source", "edit", "hay", "--url", "https://bob:other@b.example/oai").code == 0
    hay = tomllib.loads(cli.toml)["sources"]["hay"]
    assert (hay["username"], hay["password"], hay["secret_query"]) == ("bob", "other", "key=new-key")
