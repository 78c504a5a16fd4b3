"""`windrow record merge`: one identifier leads to another, and a harvest leaves it at that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.looking import NAME, harvested, opened
from tests.cli.sourcing import Cli
from tests.servers.items import dublin_core, make_items
from tests.servers.oai import NOW, OaiServer
from windrow.store import leases, sources
from windrow.store.records import record_reader
from windrow.store.records.record_reader import RecordReader

OLD, NEW, THIRD = (f"oai:test.example:{number}" for number in range(3))


def is_deleted(cli: Cli, identifier: str) -> bool:
    with opened(cli) as store, store.reading() as connection:
        (found,) = RecordReader().find(connection, identifier)
        return found.is_deleted


def leads_to(cli: Cli, identifier: str) -> str | None:
    with opened(cli) as store, store.reading() as connection:
        state = sources.find(connection, NAME)
        assert state is not None
        return record_reader.resolve_alias(connection, state.id, identifier)


@pytest.fixture
def stocked(cli: Cli) -> Cli:
    with OaiServer(make_items(4)) as server:
        harvested(cli, server)
    return cli


def test_the_old_record_becomes_a_tombstone_that_leads_to_the_new_one(stocked: Cli) -> None:
    done = stocked("record", "merge", NAME, OLD, NEW)
    assert done.code == 0
    assert f"{OLD} now leads to {NEW}" in done.words
    assert "tombstone" in done.words
    assert leads_to(stocked, OLD) == NEW
    assert is_deleted(stocked, OLD)
    assert not is_deleted(stocked, NEW)
    assert f"Leads to      {NEW}" in stocked("record", "show", OLD).out
    assert stocked("record", "show", OLD, "--json").json["leads_to"] == NEW
    told = stocked("run", "list", "--json").json[0]
    assert (told["kind"], told["outcome"], told["counters"]["deleted"]) == ("merge", "ok", 1)
    assert OLD in stocked("diff", str(told["run"])).out


def test_a_merge_is_told_to_programs_and_listed(stocked: Cli) -> None:
    done = stocked("record", "merge", NAME, OLD, NEW, "--json").json
    assert (done["source"], done["merged"], done["into"], done["withdrawn"]) == (NAME, OLD, NEW, True)
    (listed,) = stocked("record", "merges", "--json").json
    assert (listed["merged"], listed["into"], listed["leads_to"], listed["dead_end"]) == (
        OLD,
        NEW,
        NEW,
        False,
    )
    assert f"{OLD}  {NEW}" in stocked("record", "merges", NAME).out
    stocked("record", "unmerge", NAME, OLD)
    assert stocked("record", "merges", "--json").json == []
    assert "Nothing was merged" in stocked("record", "merges").err


@pytest.mark.parametrize("mode", ["list", "one-by-one"])
def test_a_harvest_does_not_bring_the_old_one_back(cli: Cli, mode: str) -> None:
    with OaiServer(make_items(4)) as server:
        harvested(cli, server)
        assert cli("source", "edit", NAME, "--mode", mode).code == 0
        cli("record", "merge", NAME, OLD, NEW)
        server.put(replace(server.items[0], stamp=NOW, payload=dublin_core("Still here")))
        done = cli("harvest", NAME, "--full", "--verify", "--json")
        assert done.code == 0, done.out
        counters = done.json[0]["counters"]
        assert (counters["changed"], counters["added"], counters["deleted"]) == (0, 0, 0)
        assert is_deleted(cli, OLD)
        with_old = [each for each in server.requests if each.arguments.get("identifier") == OLD]
        assert with_old == []


def test_after_unmerging_a_harvest_may_bring_it_back(cli: Cli) -> None:
    with OaiServer(make_items(4)) as server:
        harvested(cli, server)
        cli("record", "merge", NAME, OLD, NEW)
        done = cli("record", "unmerge", NAME, OLD)
        assert done.code == 0
        assert f"windrow harvest {NAME} --full" in done.words
        assert leads_to(cli, OLD) is None
        assert is_deleted(cli, OLD)
        assert cli("harvest", NAME, "--full").code == 0
        assert not is_deleted(cli, OLD)


def test_a_record_that_is_deleted_already_can_still_lead_on(cli: Cli) -> None:
    with OaiServer(make_items(4)) as server:
        harvested(cli, server)
        server.delete(OLD, NOW)
        cli("harvest", NAME)
    done = cli("record", "merge", NAME, OLD, NEW)
    assert done.code == 0
    assert "tombstone" not in done.words
    assert leads_to(cli, OLD) == NEW


def test_an_identifier_that_was_never_harvested_can_lead_on_where_that_is_meant(stocked: Cli) -> None:
    assert stocked("record", "merge", NAME, "oai:before.example:1", NEW, "--unseen").code == 0
    (merge,) = stocked("record", "merges", "--json").json
    assert (merge["merged"], merge["leads_to"]) == ("oai:before.example:1", NEW)


def test_what_was_merged_leads_on_when_its_target_is_merged_in_turn(stocked: Cli) -> None:
    stocked("record", "merge", NAME, OLD, NEW)
    stocked("record", "merge", NAME, NEW, THIRD)
    assert leads_to(stocked, OLD) == THIRD
    first, _ = stocked("record", "merges", "--json").json
    assert (first["into"], first["leads_to"]) == (NEW, THIRD)


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (("merge", "nobody", OLD, NEW), "no source 'nobody'", NAME),
        (("merge", NAME, OLD, OLD), "into itself", "remains last"),
        (("merge", NAME, OLD, "oai:test.example:9"), "no record oai:test.example:9 of demo", "Did you mean"),
        (("merge", NAME, "unheard-of", NEW), "no record unheard-of of demo", "--unseen"),
        (("unmerge", NAME, OLD), "was not merged", "windrow record merges demo"),
        (("unmerge", "nobody", OLD), "no source 'nobody'", NAME),
        (("merges", "nobody"), "no source 'nobody'", NAME),
    ],
)
def test_what_makes_no_sense_is_said_with_the_next_step(
    stocked: Cli, words: tuple[str, ...], message: str, hint: str
) -> None:
    done = stocked("record", *words)
    assert done.code == 2
    assert message in done.words
    assert hint in done.words
    assert stocked("record", "merges", "--json").json == []
    assert not is_deleted(stocked, OLD)


def test_nothing_is_merged_into_what_was_merged_itself_nor_in_a_circle(stocked: Cli) -> None:
    stocked("record", "merge", NAME, OLD, NEW)
    onward = stocked("record", "merge", NAME, THIRD, OLD)
    assert (onward.code, f"Merge into {NEW}" in onward.words) == (2, True)
    back = stocked("record", "merge", NAME, NEW, OLD)
    assert (back.code, "in a circle" in back.words) == (2, True)
    assert not is_deleted(stocked, NEW)


def test_nothing_is_merged_into_a_tombstone(cli: Cli) -> None:
    with OaiServer(make_items(4)) as server:
        harvested(cli, server)
        server.delete(NEW, NOW)
        cli("harvest", NAME)
    done = cli("record", "merge", NAME, OLD, NEW)
    assert done.code == 2
    assert f"{NEW} is deleted" in done.words
    assert not is_deleted(cli, OLD)


def test_a_source_that_is_being_harvested_is_not_touched(stocked: Cli) -> None:
    with opened(stocked) as store, store.writing() as connection:
        leases.take(connection, leases.lease_name(NAME), leases.own_claim("a test"))
    assert stocked("record", "merge", NAME, OLD, NEW).code == 75
    assert not is_deleted(stocked, OLD)


def test_a_file_that_is_still_there_is_not_merged_away(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "shown"
    folder.mkdir(mode=0o755)
    for name in ("old.txt", "new.txt"):
        (folder / name).write_text(name)
        (folder / name).chmod(0o644)
    address = "https://files.example/"
    table = f'\n[sources.shown]\nkind = "files"\nurl = "{address}"\nfolder = "{folder}"\n'
    (cli.folder / "windrow.toml").write_text(cli.toml + table)
    assert cli("harvest", "shown").code == 0
    with opened(cli) as store, store.reading() as connection:
        batches = RecordReader().batches(connection)
        names = {each.identifier for batch in batches for each in batch}
    old, new = (next(each for each in names if each.endswith(name)) for name in ("old.txt", "new.txt"))
    done = cli("record", "merge", "shown", old, new)
    assert (done.code, "still in the folder" in done.words) == (2, True)
    (folder / "old.txt").unlink()
    assert cli("harvest", "shown").code == 0
    assert cli("record", "merge", "shown", old, new).code == 0
