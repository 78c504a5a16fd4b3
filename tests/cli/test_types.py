"""Types that the owner names in windrow.toml: the index follows, and what is left is listed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.cli.looking import harvested
from tests.cli.sourcing import Cli
from tests.servers.items import dublin_core, make_items
from tests.servers.oai import OaiServer

TYPES = ("AMK-opinnäytetyö", "Bachelor's thesis", "Kehittämishanke", "Kehittämishanke", "banana")


def payload(kind: str) -> str:
    return dublin_core("Hay").replace("</dc:title>", f"</dc:title><dc:type>{kind}</dc:type>")


@pytest.fixture
def stocked(cli: Cli) -> Cli:
    typed = [replace(item, payload=payload(kind)) for item, kind in zip(make_items(5), TYPES, strict=True)]
    with OaiServer(typed) as server:
        harvested(cli, server)
    return cli


def write(cli: Cli, settings: str) -> None:
    with (cli.folder / "windrow.toml").open("a", encoding="utf-8") as file:
        file.write(settings)


def counted(cli: Cli, name: str, *options: str) -> dict[str, int]:
    told = cli("stats", name, *options, "--json")
    assert told.code == 0, told.err
    return {row["type"]: row["records"] for row in told.json["rows"]}


def test_types_that_are_not_recognised_are_listed_with_their_sources(stocked: Cli) -> None:
    stocked("index")
    assert counted(stocked, "types") == {"Bachelor's thesis": 2, "Kehittämishanke": 2, "banana": 1}
    assert counted(stocked, "unrecognised-types") == {"Kehittämishanke": 2, "banana": 1}
    assert "demo" in stocked("stats", "unrecognised-types").out


def test_an_owner_says_which_types_they_are_and_the_index_is_built_again(stocked: Cli) -> None:
    stocked("index")
    write(
        stocked,
        '\n[collections.theses]\nsources = ["demo"]\n[collections.theses.types]\n'
        '"kehittämishanke" = "c_bdcc"\n'
        '"banana" = { en = "Fruit", fi = "Hedelmä" }\n',
    )
    assert stocked("index", "--json").json["built"]
    assert not stocked("index", "--json").json["built"]
    assert counted(stocked, "types") == {"Bachelor's thesis": 2, "Master's thesis": 2, "Fruit": 1}
    assert counted(stocked, "types", "--type", "Kehittämishanke") == {"Master's thesis": 2}
    assert counted(stocked, "unrecognised-types") == {}
    assert "All types are recognised." in stocked("stats", "unrecognised-types").out
    assert stocked("search", "hedelmä", "--json").json["total"] == 1


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ('types = "Report"', "must be a table"),
        ('types = { "A" = "" }', "neither of them empty"),
        ('types = { "A" = { de = "B" } }', "en, sv, fi"),
        ('types = { "A" = 3 }', "must be text in quotes"),
    ],
)
def test_a_table_of_types_that_means_nothing_is_refused(stocked: Cli, settings: str, complaint: str) -> None:
    write(stocked, f"\n[portal]\n{settings}\n")
    told = stocked("index")
    assert told.code == 2
    assert complaint in told.err
    assert "windrow.toml" in told.err
