"""`windrow harvest --dry-run`: what there would be to harvest. Nothing is stored."""

from __future__ import annotations

from datetime import timedelta

from tests.cli.looking import NAME, harvested
from tests.cli.sourcing import Cli
from tests.servers.faults.dates import DatesFail
from tests.servers.faults.transport import Busy
from tests.servers.items import Item, dublin_core, make_items
from tests.servers.oai import NOW, OaiServer
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer


def _preview(cli: Cli, *flags: str) -> dict[str, object]:
    found: dict[str, object] = cli("harvest", "--dry-run", "--json", *flags).json[0]
    return found


def test_the_first_answer_tells_how_much_there_is(cli: Cli) -> None:
    with OaiServer(make_items(25)) as server:
        assert cli("source", "add", NAME, server.url, "--no-check").code == 0
        found = _preview(cli)
        assert (found["promised"], found["page_size"], found["has_more"]) == (25, 10, True)
        assert found["url"] == f"{server.url}?verb=ListRecords&metadataPrefix=oai_dc"
        shown = cli("harvest", "--dry-run")
    assert "25 records, 10 on the first page" in shown.out
    assert shown.code == 0


def test_nothing_is_stored(cli: Cli) -> None:
    with OaiServer(make_items(5)) as server:
        assert cli("source", "add", NAME, server.url, "--no-check").code == 0
        cli("harvest", "--dry-run")
    assert cli("run", "list", "--json").json == []
    assert cli("export").out == ""


def test_after_a_harvest_only_what_is_new_is_looked_at(cli: Cli) -> None:
    with OaiServer(make_items(5)) as server:
        harvested(cli, server)
        assert _preview(cli)["promised"] == 0
        server.put(Item("oai:new", NOW + timedelta(hours=1), (), dublin_core("New")))
        found = _preview(cli)
        assert (found["promised"], found["since"]) == (1, "2024-06-01T12:00:00Z")
        assert _preview(cli, "--full")["promised"] == 6


def test_each_list_is_looked_at_by_itself(cli: Cli) -> None:
    with DemoServer(Repository(30)) as server:
        assert (
            cli("source", "add", NAME, server.url, "--no-check", "--format", "oai_dc", "--format", "kk").code
            == 0
        )
        found = cli("harvest", "--dry-run", "--json").json
    assert [(item["format"], item["promised"]) for item in found] == [("oai_dc", 30), ("kk", 30)]


def test_a_repository_that_does_not_tell_its_size_is_not_guessed_at(cli: Cli) -> None:
    with OaiServer(make_items(25), "no sizes") as server:
        assert cli("source", "add", NAME, server.url, "--no-check").code == 0
        assert _preview(cli)["promised"] is None


def test_a_list_that_is_refused_ends_with_1(cli: Cli) -> None:
    with OaiServer(make_items(5)) as server:
        assert cli("source", "add", NAME, server.url, "--no-check", "--format", "mods").code == 0
        shown = cli("harvest", "--dry-run")
    assert shown.code == 1
    assert "cannotDisseminateFormat" in shown.out


def test_windows_are_told(cli: Cli) -> None:
    with OaiServer(make_items(5)) as server:
        assert cli("source", "add", NAME, server.url, "--no-check", "--window", "year").code == 0
        found = _preview(cli)
    assert int(str(found["windows"])) > 1
    assert str(found["until"]).startswith("2020-12-31")


def test_a_repository_that_asks_for_time_is_waited_for_and_the_wait_is_shown(cli: Cli) -> None:
    with OaiServer(make_items(5), Busy(503, "1", times=1), Busy(503, "0.1", times=6, skip=1)) as server:
        assert cli("source", "add", NAME, server.url, "--no-check").code == 0
        shown = cli("harvest", "--dry-run")
    assert shown.code == 0
    assert "waiting 1 s: the server asked to come back later" in shown.err
    assert "5 records, on one page" in shown.out


def test_dates_that_a_harvest_found_to_fail_are_left_out(cli: Cli) -> None:
    with OaiServer(make_items(5)) as server:
        harvested(cli, server)
        server.faults = [DatesFail()]
        assert cli("harvest").code == 0
        found = _preview(cli)
    assert (found["promised"], found["since"], found["problem"]) == (5, None, "")
