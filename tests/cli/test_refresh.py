"""`windrow refresh`: what waits is asked for now, and how it went is said as for a harvest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.cli.looking import NAME, harvested, opened
from tests.cli.sourcing import Cli
from tests.flows.test_refresh import Robots, rules
from tests.servers.items import dublin_core, make_items
from tests.servers.oai import OaiServer
from windrow.store import leases, sources
from windrow.store.harvests import refresh_requests
from windrow.store.records.record_reader import RecordReader

FIRST = "oai:test.example:0"
LATER_SECONDS = 60


def wish(cli: Cli, *names: str) -> None:
    """Let these records wait, from a minute from now."""
    with opened(cli) as store, store.writing() as connection:
        state = sources.find(connection, NAME)
        assert state is not None
        numbers = [RecordReader().find(connection, name)[0].id for name in names]
        now = int(store.clock()) + LATER_SECONDS
        assert refresh_requests.request_refresh(connection, state.id, numbers, now=now) == len(names)


@pytest.mark.parametrize("names", [(), (NAME,)])
def test_what_waits_is_asked_for_and_told(cli: Cli, names: tuple[str, ...]) -> None:
    with OaiServer(make_items(3), Robots()) as server:
        harvested(cli, server)
        server.put(replace(server.items[0], payload=dublin_core("Better")))
        wish(cli, FIRST)
        done = cli("refresh", *names)
        assert done.code == 0, done.words
        assert "1 changed" in done.out
        assert cli("record", "show", FIRST).out.startswith("Better")
        again = cli("refresh", *names)
        assert (again.code, again.out) == (0, "")
        assert "Nothing waits" in again.err


def test_programs_get_the_run(cli: Cli) -> None:
    with OaiServer(make_items(3), Robots()) as server:
        harvested(cli, server)
        assert cli("refresh", "--json").json == []
        wish(cli, FIRST)
        (run,) = cli("refresh", "--json").json
        assert (run["kind"], run["outcome"], run["counters"]["unchanged"]) == ("refresh", "ok", 1)
        listed = cli("run", "list", "--json").json[0]
        assert (listed["run"], listed["kind"]) == (run["run"], "refresh")


def test_the_exit_code_says_how_it_went(cli: Cli) -> None:
    with OaiServer(make_items(3), Robots(rules("User-agent: *\nDisallow: /"))) as server:
        harvested(cli, server)
        wish(cli, FIRST)
        done = cli("refresh")
        assert (done.code, "robots.txt" in done.words) == (3, True)


def test_a_source_that_is_being_harvested_is_for_later(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        wish(cli, FIRST)
        with opened(cli) as store, store.writing() as connection:
            leases.take(connection, leases.lease_name(NAME), leases.own_claim("a test"))
        done = cli("refresh", NAME)
        assert (done.code, "refreshed later" in done.words) == (75, True)


def test_an_unknown_source_is_an_error(cli: Cli) -> None:
    assert cli("refresh", "nobody").code == 2


def test_a_source_that_is_switched_off_is_refreshed_only_by_name(cli: Cli) -> None:
    with OaiServer(make_items(3), Robots()) as server:
        harvested(cli, server)
        assert cli("source", "edit", NAME, "--disable").code == 0
        wish(cli, FIRST)
        assert cli("refresh", "--json").json == []
        assert len(cli("refresh", NAME, "--json").json) == 1
