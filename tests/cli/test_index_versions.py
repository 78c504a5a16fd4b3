"""`windrow index status` where another version of Windrow has made the index."""

from __future__ import annotations

from dataclasses import replace

from tests.cli.sourcing import Cli
from windrow.index.generations import Generations


def test_it_is_told_that_another_version_made_it_until_this_one_has(cli: Cli) -> None:
    assert cli("index", "status", "--json").json["made_otherwise"] is False
    assert cli("index").code == 0
    generations = Generations(cli.folder / "index")
    found = generations.current_state()
    assert found is not None
    generations.note(found[0], replace(found[1], mark="another", version="another"))
    told = cli("index", "status")
    assert "Made by      another version of Windrow" in told.out
    assert "Up to date   no, it is to be made anew" in told.out
    assert "restarted" in told.err
    assert cli("index", "--json").json["built"] is True
    assert cli("index", "status", "--json").json["made_otherwise"] is False
    assert "another version" not in cli("index", "status").words


def test_settings_that_changed_are_not_taken_for_another_version(cli: Cli) -> None:
    assert cli("index").code == 0
    with (cli.folder / "windrow.toml").open("a", encoding="utf-8") as file:
        file.write('\n[portal.types]\n"Hay report" = { en = "Report on hay" }\n')
    status = cli("index", "status")
    assert "another version" not in status.words
    assert "Made by      this version, with other settings" in status.out
    assert cli("index", "status", "--json").json["other_settings"] is True
    checked = cli("doctor").out
    assert "built with other settings than these" in checked
    assert "another version" not in checked
    assert cli("index", "--json").json["built"] is True
    assert cli("index", "status", "--json").json["other_settings"] is False
