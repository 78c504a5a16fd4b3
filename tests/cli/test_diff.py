"""`windrow diff`: what a run added, changed, deleted, restored."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from tests.cli.looking import harvested
from tests.cli.sourcing import Cli
from tests.servers.items import Item, dublin_core, make_items
from tests.servers.oai import NOW, OaiServer
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer
from windrow.harvest.run_diff import KINDS


def _a_day(server: OaiServer, days: int = 1) -> None:
    server.now = NOW + timedelta(days=days)


def test_the_first_run_added_everything(cli: Cli) -> None:
    with OaiServer(make_items(5)) as server:
        harvested(cli, server)
    found = cli("diff", "1", "--json").json
    assert found["counts"] == dict.fromkeys(KINDS, 0) | {"added": 5}
    assert found["records"][0]["title"] == "Title 0"


def test_a_record_in_two_formats_counts_once(cli: Cli) -> None:
    with DemoServer(Repository(200)) as server:
        harvested(cli, server, "oai_dc", "kk")
        first = cli("diff", "1", "--json").json["counts"]
        assert first["added"] + first["deleted"] == 200
        server.repository = server.repository.later()
        cli("harvest")
        assert cli("diff", "2", "--json").json["counts"] == {
            **dict.fromkeys(KINDS, 0),
            "added": 1,
            "changed": 1,
            "deleted": 1,
        }


def test_a_change_is_told_field_by_field(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        server.put(Item("oai:test.example:1", NOW, ("art:music",), dublin_core("New title")))
        _a_day(server)
        cli("harvest")
    record = cli("diff", "2", "--json").json["records"][0]
    assert record["fields"] == [{"field": "titles", "gone": ["Title 1"], "come": ["New title"]}]
    shown = cli("diff", "2").out
    assert "- Title 1" in shown
    assert "+ New title" in shown


def test_the_change_of_an_older_run_is_told_as_it_was_then(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        for day in (1, 2):
            stamp = NOW + timedelta(days=day)
            server.put(Item("oai:test.example:1", stamp, ("art:music",), dublin_core(f"Version {day}")))
            _a_day(server, day)
            cli("harvest")
    fields = cli("diff", "2", "--json").json["records"][0]["fields"]
    assert fields == [{"field": "titles", "gone": ["Title 1"], "come": ["Version 1"]}]


def test_deleted_and_restored_records_keep_their_titles(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        server.delete("oai:test.example:1", NOW)
        _a_day(server)
        cli("harvest")
        server.put(Item("oai:test.example:1", NOW + timedelta(days=1), (), dublin_core("Back")))
        _a_day(server, 2)
        cli("harvest")
    assert [(item["kind"], item["title"]) for item in cli("diff", "2", "--json").json["records"]] == [
        ("deleted", "Title 1")
    ]
    assert [(item["kind"], item["title"]) for item in cli("diff", "3", "--json").json["records"]] == [
        ("restored", "Back")
    ]


def test_a_record_that_only_moved_says_where_to(cli: Cli) -> None:
    items = make_items(3)
    with OaiServer(items) as server:
        harvested(cli, server)
        server.put(replace(items[1], stamp=NOW, sets=("law", "art")))
        _a_day(server)
        cli("harvest")
    found = cli("diff", "2", "--json").json
    assert found["counts"]["moved"] == 1
    assert "law" in found["records"][0]["note"]


def test_a_pure_addition_does_not_look_like_a_removal(cli: Cli) -> None:
    extended = dublin_core("Title 1").replace("</dc:creator>", "</dc:creator><dc:creator>Ek, Bo</dc:creator>")
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        server.put(Item("oai:test.example:1", NOW, ("art:music",), extended))
        _a_day(server)
        cli("harvest")
    fields = cli("diff", "2", "--json").json["records"][0]["fields"]
    assert fields == [{"field": "creators", "gone": [], "come": ["Ek, Bo"]}]


def test_a_run_that_changed_nothing_says_so(cli: Cli) -> None:
    with OaiServer(make_items(3)) as server:
        harvested(cli, server)
        cli("harvest")
    assert "It changed nothing." in cli("diff", "2").out


def test_more_than_the_limit_is_counted(cli: Cli) -> None:
    with OaiServer(make_items(9)) as server:
        harvested(cli, server)
    result = cli("diff", "1", "--limit", "2")
    assert result.out.count("oai:test.example:") == 2
    assert "7 records more" in result.err
    assert cli("diff", "1", "--limit", "0").out.count("oai:test.example:") == 9


def test_a_long_text_is_shown_where_it_differs(cli: Cli) -> None:
    words = "word " * 200
    with OaiServer([Item("oai:x:1", NOW, (), dublin_core(words + "old ending"))]) as server:
        harvested(cli, server)
        server.put(Item("oai:x:1", NOW + timedelta(hours=1), (), dublin_core(words + "new ending")))
        _a_day(server)
        cli("harvest")
    shown = cli("diff", "2").out
    assert "old ending" in shown
    assert "new ending" in shown
    assert max(map(len, shown.splitlines()[5:])) < 120


def test_machine_output_has_every_record_that_a_run_touched(cli: Cli) -> None:
    with OaiServer(make_items(30)) as server:
        harvested(cli, server)
    assert len(cli("diff", "1", "--json").json["records"]) == 30
    assert len(cli("diff", "1", "--json", "--limit", "4").json["records"]) == 4
    assert "10 records more: --limit 0" in cli("diff", "1").err
