"""`windrow source check`: a line a finding, and whether it can be harvested."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.sourcing import Cli, make_cli
from tests.servers.faults.transport import Busy
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.cli.sources.source_check import StepDisplay
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer
from windrow.errors import UpstreamBusy
from windrow.net.client import ASKED_TO_WAIT
from windrow.net.politeness import Wait


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return make_cli(tmp_path, monkeypatch, capsys)


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return make_cli(tmp_path, monkeypatch, capsys, is_library=False)


def test_a_repository_is_checked_without_a_library(bare: Cli) -> None:
    with DemoServer(Repository(500)) as server:
        result = bare("source", "check", server.url)
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[-1].startswith("It can be harvested: ")
    assert any(
        line.startswith("good     tokens") and "→ Windrow goes on where it was" in line for line in lines
    )
    assert "500 records as oai_dc, 200 a page" in result.out
    assert "Identify …" in result.err
    assert list(bare.folder.iterdir()) == []


def test_findings_are_data_for_programs(bare: Cli) -> None:
    with OaiServer(make_items(25), "XML as text/html") as server:
        result = bare("source", "check", server.url, "--json")
        told = result.json
        assert told["url"] == server.url
        assert told["requests"] == len(server.requests)
    assert (told["is_harvestable"], told["reason"], told["format"]) == (True, None, "oai_dc")
    assert {
        "topic": "media-type",
        "grade": "note",
        "found": "XML is sent as text/html",
        "windrow": "looks at the answer, not at its label",
        "facts": {"types": ["text/html"]},
    } in told["findings"]
    assert result.err == ""


@pytest.mark.parametrize(
    ("fault", "words", "advice"),
    [
        ("HTML page", 'an HTML page titled "Welcome" instead of OAI-PMH', "It often ends in /oai"),
        ("bot wall", "a page against robots (Cloudflare)", "Ask its operators to let harvesting through"),
    ],
)
def test_what_cannot_be_harvested_ends_with_the_reason(
    bare: Cli, fault: str, words: str, advice: str
) -> None:
    with OaiServer(make_items(5), fault) as server:
        result = bare("source", "check", server.url)
        told = bare("source", "check", server.url, "--json")
    assert result.code == told.code == 1
    assert "It cannot be harvested: " in result.out
    assert words in result.out
    assert advice in result.err
    assert told.json["is_harvestable"] is False
    assert words in told.json["reason"]
    assert advice in told.json["hint"]


def test_a_wrong_path_is_a_404_in_words(bare: Cli) -> None:
    with DemoServer(Repository(1)) as server:
        result = bare("source", "check", f"{server.url}/not/here")
    assert result.code == 1
    assert "HTTP 404 Not Found" in result.out


def test_an_address_nobody_listens_at_is_unreachable(bare: Cli) -> None:
    with OaiServer([]) as server:
        url = server.url
    result = bare("source", "check", url)
    assert result.code == 1
    assert "the connection was refused" in result.out


def test_a_repository_that_wants_to_rest_is_tried_later(bare: Cli) -> None:
    with OaiServer(make_items(5), Busy(429, "86400", times=None, verbs=("Identify",))) as server:
        result = bare("source", "check", server.url)
    assert result.code == 75
    assert "asked to be left alone until" in result.out


def test_a_source_is_checked_by_name_with_its_own_settings(cli: Cli) -> None:
    with OaiServer(make_items(5), formats=("oai_dc", "mods")) as server:
        cli("source", "add", "some", server.url, "--format", "mods", "--header", "X-Key: secret")
        result = cli("source", "check", "some", "--json")
        assert result.json["format"] == "mods"
        assert {request.headers.get("x-key") for request in server.requests} == {"secret"}


def test_the_address_of_a_source_is_checked_with_its_settings_too(cli: Cli) -> None:
    with OaiServer(make_items(5)) as server:
        cli("source", "add", "some", server.url, "--header", "X-Key: secret")
        cli("source", "check", server.url)
        assert {request.headers.get("x-key") for request in server.requests} == {"secret"}


def test_a_format_can_be_named(cli: Cli) -> None:
    with OaiServer(make_items(5), formats=("oai_dc", "mods")) as server:
        assert "as mods" in cli("source", "check", server.url, "--format", "mods").out
        refused = cli("source", "check", server.url, "--format", "marcxml")
    assert refused.code == 1
    assert "it does not offer marcxml; it offers oai_dc, mods" in refused.out


def test_an_address_copied_from_a_browser_is_understood(bare: Cli) -> None:
    with OaiServer(make_items(5)) as server:
        assert bare("source", "check", f"{server.url}?verb=Identify").code == 0


def test_the_contact_of_the_library_is_sent(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDROW_LIBRARY_CONTACT", "someone@library.example")
    with OaiServer(make_items(5)) as server:
        cli("source", "check", server.url)
        assert "someone@library.example" in server.requests[0].headers["user-agent"]


def test_a_word_that_is_neither_address_nor_source_is_refused(cli: Cli) -> None:
    result = cli("source", "check", "repository.example/oai")
    assert result.code == 2
    assert "An address begins with https://; the sources of this library: none yet." in result.words


def test_a_library_that_was_named_must_be_there(bare: Cli) -> None:
    result = bare("--library", "nowhere", "source", "check", "https://repository.example/oai")
    assert result.code == 2
    assert "nowhere" in result.err


def test_a_repository_that_asks_for_time_again_and_again_is_checked_all_the_same(bare: Cli) -> None:
    with OaiServer(make_items(5), Busy(503, "0.2", times=4, verbs=("Identify",))) as server:
        result = bare("source", "check", server.url)
    assert result.code == 0, result.out
    assert "it asked us 4 times to wait" in result.words


def test_waiting_for_one_command_has_an_end() -> None:
    steps = StepDisplay(is_quiet=True, max_waited_seconds=10)
    for _ in range(2):
        steps.wait(Wait(5.0, ASKED_TO_WAIT, 1, "https://hay.example/oai"))
    steps.wait(Wait(600.0, "delay between requests", 0, "https://hay.example/oai"))
    with pytest.raises(UpstreamBusy, match="asks for 5 s more, 15 s in all"):
        steps.wait(Wait(5.0, ASKED_TO_WAIT, 1, "https://hay.example/oai"))
