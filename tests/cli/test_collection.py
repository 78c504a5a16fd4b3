"""`windrow collection`: taken in, built aside, activated, gone back from, and what is told of it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.cli.looking import NAME
from tests.cli.sourcing import Cli
from tests.servers.items import make_items
from tests.servers.oai import NOW, OaiServer

RECORDS = 12


@pytest.fixture
def stocked(cli: Cli) -> Cli:
    """A library with the collection barn, updated twice, the second time with two records more."""
    items = make_items(RECORDS)
    with OaiServer(items[:10]) as server:
        assert cli("source", "add", NAME, server.url, "--no-check").code == 0
        settings = cli.folder / "windrow.toml"
        settings.write_text(f'{cli.toml}\n[collections.barn]\ntitle = "The barn"\nsources = ["{NAME}"]\n')
        assert cli("collection", "update", "barn").code == 0
        server.items += [replace(item, stamp=NOW) for item in items[10:]]
        assert cli("collection", "update", "barn").code == 0
    return cli


def test_the_steps_one_by_one_say_what_comes_next(cli: Cli) -> None:
    with OaiServer(make_items(RECORDS)) as server:
        assert cli("source", "add", NAME, server.url, "--no-check").code == 0
        assert "no generation waits" in cli("collection", "activate").words
        taken = cli("collection", "import", NAME)
        assert "12 new" in taken.out
        assert f"Next: windrow collection build {NAME}" in taken.err
        built = cli("collection", "build", NAME)
        assert "Built g-000001 aside: 12 records" in built.out
        assert f"Next: windrow collection activate {NAME}" in built.err
        assert "there is no index to search yet" in cli("search", "*").err
        assert "g-000001 is searched now: 12 records." in cli("collection", "activate", NAME).out
        assert "nothing waits" in cli("collection", "activate").out


def test_an_update_sums_up_all_three(stocked: Cli) -> None:
    assert stocked("index", "status", "--json").json["records"] == RECORDS
    with OaiServer(make_items(RECORDS)) as server:
        assert stocked("source", "edit", NAME, "--url", server.url).code == 0
        result = stocked("collection", "update", "barn", "--keep-old")
        assert "12 unchanged" in result.out
        assert "Built g-000003 aside: 12 records" in result.out
        assert "g-000003 is searched now instead of g-000002" in result.out
        assert "Nothing is new; the active generation stays." in stocked("collection", "update", "barn").out
        told = stocked("collection", "update", "barn", "--remove-old", "--json").json
    assert (told["import"]["outcome"], told["build"]["generation"]) == ("ok", "g-000004")
    assert told["activation"]["before"] == "g-000003"


def test_a_source_that_cannot_be_reached_is_told_and_the_active_one_stays(stocked: Cli) -> None:
    result = stocked("collection", "update", "barn", "--keep-old")  # its server is gone
    assert result.code == 1
    assert "Nothing was built: nothing came in. The active generation stays." in result.out
    assert stocked("index", "status", "--json").json["generation"] == "g-000002"


def test_ways_of_taking_in_exclude_each_other(stocked: Cli) -> None:
    result = stocked("collection", "import", "barn", "--keep-old", "--remove-old")
    assert result.code == 2
    assert "--keep-old and --remove-old exclude each other" in result.err


def test_a_name_that_nothing_has_is_told_with_those_there_are(stocked: Cli) -> None:
    for verb in ("import", "build", "activate", "update", "history", "show"):
        result = stocked("collection", verb, "barm")
        assert (result.code, "barn, demo" in result.err) == (2, True)


def test_a_library_without_sources_has_nothing_to_take_in(cli: Cli) -> None:
    assert "there is nothing to take in" in cli("collection", "import").err
    assert "There are no collections" in cli("collection", "list").out
    assert "Nothing has been imported or built yet." in cli("collection", "history").out


def test_history_tells_what_was_done_when_and_how_it_went(stocked: Cli) -> None:
    lines = stocked("collection", "history", "barn").out.splitlines()
    assert [line.split()[3:5] for line in lines[1:]] == [
        [step, "barn"] for step in ("activate", "build", "import") * 2
    ]
    told = stocked("collection", "history", "--json", "-n", "1").json
    assert [(each["kind"], each["state"], each["records"]) for each in told] == [("activate", "ok", RECORDS)]
    assert told[0]["generation"] == "g-000002"


def test_collections_are_listed_and_shown_with_the_index_they_share(stocked: Cli) -> None:
    (barn,) = stocked("collection", "list", "--json").json["collections"]
    assert (barn["name"], barn["title"], barn["records"]) == ("barn", "The barn", RECORDS)
    assert "Before it    g-000001: windrow collection rollback" in stocked("collection", "list").out
    assert stocked("collection", "show", NAME, "--json").json["sources"] == {
        NAME: {"records": RECORDS, "enabled": True}
    }
    shown = stocked("collection", "show", "barn").out
    assert "barn: The barn" in shown
    assert "activate g-000002: ok, 12 records" in shown


def test_a_rollback_is_held_and_everybody_says_so_and_how_to_let_go(stocked: Cli) -> None:
    assert (
        "g-000001 would be searched instead of g-000002."
        in stocked("collection", "rollback", "--dry-run").out
    )
    assert stocked("index", "status", "--json").json["generation"] == "g-000002"
    assert stocked("collection", "rollback", "--json").json == {
        "generation": "g-000001",
        "before": "g-000002",
        "held": True,
    }
    assert stocked("search", "*", "--json").json["total"] == 10
    status = stocked("index", "status")
    assert re.search(r"^Held         since 20\d\d-\d\d-\d\d \d\d:\d\d UTC: ", status.out, re.MULTILINE)
    assert re.search(r"^Written      20\d\d-\d\d-\d\d \d\d:\d\d UTC$", status.out, re.MULTILINE)
    for command in (("index", "status"), ("doctor",), ("search", "*"), ("index",), ("collection", "list")):
        assert "windrow collection activate" in stocked(*command).words, command
    assert stocked("index", "--json").json["held"]
    assert "held since" in stocked("doctor").out
    assert "already" in stocked("collection", "rollback").err


def test_what_is_built_while_one_is_held_waits(stocked: Cli) -> None:
    stocked("collection", "rollback")
    assert "Built g-000003: 12 records. It waits." in stocked("index", "--rebuild").out
    told = stocked("index", "status", "--json").json
    assert (told["generation"], told["waiting"], told["records"]) == ("g-000001", "g-000003", 10)
    result = stocked("collection", "activate", "--generation", "g-000003")
    assert "g-000003 is searched now instead of g-000001: 12 records." in result.out
    assert "The hold is over" in result.out
    assert stocked("index", "status", "--json").json["held_since"] is None


def test_a_merged_record_does_not_disturb_what_is_held_or_waits(stocked: Cli) -> None:
    stocked("collection", "build")
    stocked("collection", "rollback")
    merged = stocked("record", "merge", NAME, "oai:test.example:1", "oai:test.example:2")
    assert merged.code == 0
    told = stocked("index", "status", "--json").json
    assert (told["generation"], told["waiting"]) == ("g-000001", "g-000003")
    assert stocked("collection", "activate", "--json").json["caught_up"] > 0
    assert stocked("index", "status", "--json").json["records"] == RECORDS - 1
