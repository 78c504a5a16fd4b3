"""`windrow run`: what was done, when, and how it went."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.cli.looking import NAME, harvested, opened
from tests.cli.sourcing import Cli
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from windrow.model.run import Outcome
from windrow.store import leases, runs, sources

NOW = datetime(2024, 6, 1, tzinfo=UTC)


def _open_run(cli: Cli, *, is_claimed: bool) -> int:
    with opened(cli) as store, store.writing() as connection:
        source = sources.ensure(connection, NAME, "http://127.0.0.1:9/oai")
        if is_claimed:
            leases.take(connection, leases.lease_name(NAME), leases.own_claim("a test"))
        return runs.start(connection, source.id, "harvest", now=NOW, arguments={})


def test_runs_are_listed_newest_first(cli: Cli) -> None:
    with OaiServer(make_items(12)) as server:
        harvested(cli, server)
        cli("harvest")
    lines = cli("run", "list").out.splitlines()
    assert [line.split()[0] for line in lines] == ["run", "2", "1"]
    assert lines[2].split()[-4:] == ["12", "0", "0", "0"]


def test_a_list_is_cut_to_the_limit(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        cli("harvest")
    assert [run["run"] for run in cli("run", "list", "--limit", "1", "--json").json] == [2]


def test_runs_of_one_source_are_listed_alone(cli: Cli) -> None:
    with OaiServer(make_items(3)) as one, OaiServer(make_items(4)) as other:
        harvested(cli, one, name="one")
        harvested(cli, other, name="other")
    assert [run["source"] for run in cli("run", "list", "--source", "other", "--json").json] == ["other"]


def test_a_library_without_runs_says_what_to_do(cli: Cli) -> None:
    result = cli("run", "list")
    assert result.code == 0
    assert "windrow harvest" in result.err


def test_a_run_shows_its_problems_with_the_page_it_kept(cli: Cli) -> None:
    with OaiServer(make_items(5), "raw control character") as server:
        harvested(cli, server)
        result = cli("run", "show", "1")
        assert server.url in result.out
    assert "demo: partial" in result.out
    assert f"the page as it came: {cli.folder}/files/kept-pages/run-1-page-1.xml" in result.out
    assert cli("run", "show", "1", "--json").json["problems"][0]["kept"]


def test_a_run_tells_what_was_asked_of_it(cli: Cli) -> None:
    with OaiServer(make_items(5)) as server:
        harvested(cli, server)
        cli("harvest", "--full", "--limit", "2")
    assert "asked for: full: True, limit: 2" in cli("run", "show", "2").out


def test_a_run_whose_process_is_gone_is_shown_as_killed(cli: Cli) -> None:
    number = _open_run(cli, is_claimed=False)
    assert cli("run", "show", str(number), "--json").json["state"] == "killed"
    assert "windrow harvest demo" in cli("run", "show", str(number)).err


def test_a_run_under_way_is_shown_as_running(cli: Cli) -> None:
    number = _open_run(cli, is_claimed=True)
    assert cli("run", "list", "--json").json[0]["state"] == "running"
    later = _open_run(cli, is_claimed=False)  # the claim belongs to the newer of two
    assert [run["state"] for run in cli("run", "list", "--json").json] == ["running", "killed"]
    assert later > number


def test_an_unknown_run_names_the_newest(cli: Cli) -> None:
    _open_run(cli, is_claimed=False)
    result = cli("run", "show", "7")
    assert result.code == 2
    assert "The newest is 1" in result.err


def test_machine_output_lists_every_run(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        url = server.url
    with opened(cli) as store, store.writing() as connection:
        source = sources.ensure(connection, NAME, url)
        for _ in range(30):
            number = runs.start(connection, source.id, "harvest", now=NOW, arguments={})
            runs.end(connection, number, outcome=Outcome.OK, now=NOW)
    assert len(cli("run", "list", "--json").json) == 31
    shown = cli("run", "list")
    assert (len(shown.out.splitlines()), "There are more: --limit 40" in shown.err) == (21, True)
    source_shown = cli("source", "show", NAME, "--json").json
    assert (len(source_shown["runs"]), source_shown["more_runs"]) == (5, True)
