"""`windrow source sets`: the tree with roles, and rules that map again without a harvest."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.looking import harvested
from tests.cli.sourcing import Cli, make_cli
from tests.servers.shapes import Shape, dspace, eprints, ojs

NORTH = "Niityn ammattikorkeakoulu"


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return make_cli(tmp_path, monkeypatch, capsys)


@contextmanager
def library_of(cli: Cli, shape: Shape) -> Iterator[None]:
    """Harvested and indexed; the repository is gone by then."""
    with shape.server() as server:
        harvested(cli, server)
    assert cli("index").code == 0
    yield


def rules_of(cli: Cli) -> Any:
    settings = tomllib.loads((cli.folder / "windrow.toml").read_text())
    return settings["sources"]["demo"].get("set_roles")


def institutions(cli: Cli) -> dict[str, int]:
    rows = cli("stats", "institutions", "--json").json["rows"]
    return {row["institution"]: row["records"] for row in rows}


def test_the_tree_has_counts_names_and_roles(cli: Cli) -> None:
    shape = dspace()
    with library_of(cli, shape):
        shown = cli("source", "sets", "demo")
        found = cli("source", "sets", "demo", "--json").json
    lines = [line.split() for line in shown.out.splitlines()]
    assert lines[0] == ["records", "role", "set", "name"]
    assert lines[1] == ["65", "institution", "com_10024_1", "Niityn", "ammattikorkeakoulu"]
    assert shown.out.count("\n") == len(found["sets"]) + 1
    assert "Recognised: DSpace. 3 institutions (" in shown.err
    assert "110 records in an institution by their sets; 5 records not" in shown.err
    by_spec = {each["spec"]: each for each in found["sets"]}
    assert by_spec["com_10024_7"]["parents"] == ["com_10024_1"]
    assert by_spec["com_10024_7"]["role"] == "department"
    assert by_spec["col_10024_21"]["also"] == ["hdl_10024_21"]
    assert (found["with_institution"], found["without_institution"]) == (110, 5)


def test_an_institution_for_the_whole_source_is_set_changed_and_taken_away(cli: Cli) -> None:
    shape = dspace()
    without = len(shape.unassigned)
    with shape.server() as server:
        cli("init")
        added = cli("source", "add", "demo", server.url, "--institution", "Whole University")
        assert added.code == 0
        assert "windrow source sets demo --level 1=department" in added.err
        assert cli("harvest", "demo").code == 0
    assert cli("index").code == 0
    assert institutions(cli) == shape.institutions | {"Whole University": without}
    assert (
        "where their metadata names none either, it is Whole University" in cli("source", "sets", "demo").err
    )
    edited = cli("source", "edit", "demo", "--institution", "Another")
    assert "demo: institution was Whole University, is now Another" in edited.out
    assert f"{without} records taken in again. Nothing was harvested." in edited.err
    assert institutions(cli) == shape.institutions | {"Another": without}
    assert cli("source", "sets", "demo", "--level", "1=department").code == 0
    assert institutions(cli) == {"Another": len(shape.truth)}
    assert cli("source", "edit", "demo", "--unset", "institution").code == 0
    assert institutions(cli) == {}


def test_a_rule_that_no_set_fits_is_reported(cli: Cli) -> None:
    with library_of(cli, dspace()):
        rules = ("--institution", "com_10024_?", "--department", "Nursin", "--ignore", "OpenAIRE")
        shown = cli("source", "sets", "demo", *rules, "--dry-run")
        assert "No set fits Nursin: " in shown.err
        assert cli("source", "sets", "demo", *rules, "--dry-run", "--json").json["unused"] == ["Nursin"]
        assert "No set fits" not in cli("source", "sets", "demo").err


def test_a_reset_leaves_the_rules_of_the_collection(cli: Cli) -> None:
    with library_of(cli, dspace()):
        file = cli.folder / "windrow.toml"
        more = '[collection.theses]\nsources = ["demo"]\n[collection.theses.sets]\nignore = "com_10024_1"\n'
        file.write_text(f"{file.read_text()}\n{more}")
        assert cli("index").code == 0
        assert NORTH not in institutions(cli)
        assert cli("source", "sets", "demo", "--ignore", "com_10024_3").code == 0
        assert set(institutions(cli)) == {"Meadow University of Applied Sciences"}
        reset = cli("source", "sets", "demo", "--reset", "--json").json
        assert reset["rules"] == {"ignore": "com_10024_1"}
        assert rules_of(cli) is None
        assert len(institutions(cli)) == 2
        assert NORTH not in institutions(cli)


def test_a_rule_is_written_down_and_takes_effect_at_once(cli: Cli) -> None:
    with library_of(cli, dspace()):
        changed = cli("source", "sets", "demo", "--ignore", "com_10024_1", "--ignore", "com_10024_3")
        assert changed.code == 0
        assert "records of demo read otherwise now." in changed.out
        assert "Nothing was harvested." in changed.err
        assert rules_of(cli) == {"ignore": ["com_10024_1", "com_10024_3"]}
        assert institutions(cli) == {"Meadow University of Applied Sciences": 39}
        assert cli("source", "sets", "demo", "--institution", "com_10024_1").code == 0
        assert rules_of(cli) == {"institution": "com_10024_1", "ignore": "com_10024_3"}
        assert cli("source", "sets", "demo", "--reset").code == 0
        assert rules_of(cli) is None
        assert institutions(cli)[NORTH] == 65


def test_a_dry_run_changes_nothing(cli: Cli) -> None:
    with library_of(cli, dspace()):
        before = (cli.folder / "windrow.toml").read_bytes()
        shown = cli("source", "sets", "demo", "--level", "1=department", "--dry-run")
        assert "would read otherwise. Nothing was changed." in shown.out
        assert (cli.folder / "windrow.toml").read_bytes() == before
        assert institutions(cli)[NORTH] == 65


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--level", "1=foo"], "no level and role"),
        (["--level", "x=type"], "no level and role"),
        (["--institution", "a", "--type", "a"], "has two"),
        (["--prefer", "nobody"], "prefer"),
        (["--institution", ""], "patterns"),
    ],
)
def test_rules_that_make_no_sense_are_refused(cli: Cli, options: list[str], says: str) -> None:
    with library_of(cli, ojs()):
        refused = cli("source", "sets", "demo", *options)
        assert refused.code == 2
        assert says in refused.err
        assert rules_of(cli) is None


def test_a_source_that_was_never_harvested_has_no_sets_yet(cli: Cli) -> None:
    with ojs().server() as server:
        assert cli("source", "add", "demo", server.url, "--no-check").code == 0
    refused = cli("source", "sets", "demo")
    assert refused.code == 2
    assert "windrow harvest demo" in refused.err


def test_adding_a_source_shows_what_was_recognised(cli: Cli) -> None:
    with eprints().server() as server:
        added = cli("source", "add", "demo", server.url)
        found = cli("source", "add", "other", server.url, "--again", "--json").json
    assert "Its sets (EPrints): 2 institutions (" in added.err
    assert "3 departments (" in added.err
    assert "windrow source sets demo" in added.err
    assert found["repository"]["sets"]["roles"]["institution"] == 2


def test_checking_a_source_shows_what_was_recognised(cli: Cli) -> None:
    with dspace().server() as server:
        checked = cli("source", "check", server.url)
        findings = {
            each["topic"]: each for each in cli("source", "check", server.url, "--json").json["findings"]
        }
    assert "by their layout (DSpace), the sets are 3 institutions (" in checked.out
    assert findings["institutions"]["facts"]["layouts"] == {"DSpace": 12}


def test_statistics_lead_to_the_records_without_an_institution(cli: Cli) -> None:
    shape = dspace()
    with library_of(cli, shape):
        shown = cli("stats", "institutions")
        assert "Without an institution: 5 of 115. Find them: windrow search missing:institution" in shown.err
        found = cli("search", "missing:institution", "--json").json
        assert {each["identifier"] for each in found["hits"]} == shape.unassigned


def test_an_unknown_key_in_the_settings_is_answered_with_a_suggestion(cli: Cli) -> None:
    with library_of(cli, ojs()):
        file = cli.folder / "windrow.toml"
        file.write_text(file.read_text() + '\n[sources.demo.set_roles]\ninstitutoin = "hay"\n')
        refused = cli("source", "list")
    assert refused.code == 2
    assert 'Did you mean "institution"?' in refused.err
