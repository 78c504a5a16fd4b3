"""`windrow vocabulary`: from a file into searches, and out again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.looking import harvested
from tests.cli.sourcing import Cli
from tests.unit.vocabularies.shelf import CLIMATE
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer

BINDING = """
[collections.theses]
sources = ["demo"]
[collections.theses.vocabulary]
subject = "topics"
"""


@pytest.fixture
def topics(cli: Cli, tmp_path: Path) -> Path:
    path = tmp_path / "topics.csv"
    path.write_text(CLIMATE, encoding="utf-8")
    return path


def test_a_vocabulary_is_taken_in_listed_shown_and_removed(cli: Cli, topics: Path) -> None:
    added = cli("vocabulary", "add", "topics", str(topics))
    assert (added.code, "9 concepts" in added.out) == (0, True)
    (listed,) = cli("vocabulary", "list", "--json").json
    assert (listed["name"], listed["concepts"], listed["bound"]) == ("topics", 9, [])
    assert "Natural sciences" in cli("vocabulary", "show", "topics").out
    shown = cli("vocabulary", "show", "topics", "global warming", "--language", "fi", "--json").json
    assert (shown["label"], [each["label"] for each in shown["broader"]]) == (
        "Ilmastonmuutos",
        ["Luonnontieteet"],
    )
    assert "Sea level rise" in cli("vocabulary", "show", "topics", "310").out
    assert cli("vocabulary", "check", "topics").code == 0
    assert cli("vocabulary", "remove", "topics", "--dry-run").code == 0
    assert cli("vocabulary", "list", "--json").json
    assert cli("vocabulary", "remove", "topics").code == 0
    assert cli("vocabulary", "list", "--json").json == []


def test_a_name_that_another_database_has_is_pointed_out(cli: Cli, topics: Path) -> None:
    assert "SRU" not in cli("vocabulary", "add", "topics", str(topics)).err
    cli("source", "add", "theses", "https://theses.example/oai", "--no-check")
    assert "SRU and Z39.50 have another" in cli("vocabulary", "add", "theses", str(topics)).err


def test_an_update_reports_changes_and_tries_them_first(cli: Cli, topics: Path) -> None:
    cli("vocabulary", "add", "topics", str(topics))
    topics.write_text(CLIMATE.replace("420,400,Sign languages", "430,400,Sign languages"), encoding="utf-8")
    tried = cli("vocabulary", "update", "topics", str(topics), "--dry-run", "--json").json
    assert (tried["dry_run"], tried["added"]["total"], tried["removed"]["total"]) == (True, 1, 1)
    assert cli("vocabulary", "show", "topics", "430").code == 2
    done = cli("vocabulary", "update", "topics", str(topics))
    assert "1 concept removed" in done.out
    assert cli("vocabulary", "show", "topics", "430").code == 0


@pytest.mark.parametrize("kind", ["ttl", "rdf", "nt", "jsonld", "zthes", "csv"])
def test_what_is_exported_is_taken_in_again(cli: Cli, topics: Path, kind: str) -> None:
    cli("vocabulary", "add", "topics", str(topics))
    out = topics.with_name(f"out.{'xml' if kind == 'zthes' else kind}")
    assert cli("vocabulary", "export", "topics", "--out", str(out)).code == 0
    report = cli("vocabulary", "update", "topics", str(out), "--json").json
    assert [report[what]["total"] for what in ("added", "removed", "renamed", "deprecated")] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("add", "Big Name", "x.csv"), "name"),
        (("add", "topics", "nowhere.csv"), "nowhere.csv"),
        (("add", "topics", "."), "is a folder"),
        (("add", "topics", "topics.csv", "--format", "word"), "no format"),
        (("add", "topics", "topics.csv", "--base", "no base"), "cannot begin URIs"),
        (("show", "nothing"), "no vocabulary"),
        (("update", "nothing", "topics.csv"), "vocabulary add nothing"),
        (("export", "nothing"), "no vocabulary"),
        (("remove", "nothing"), "no vocabulary"),
        (("check", "nothing"), "no vocabulary"),
    ],
)
def test_what_cannot_be_done_is_explained(
    cli: Cli, topics: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(topics.parent)
    result = cli("--library", str(cli.folder), "vocabulary", *arguments)
    assert result.code == 2
    assert words in result.words


def test_a_binding_to_a_vocabulary_that_is_not_there_is_reported(cli: Cli, topics: Path) -> None:
    source = '[sources.demo]\nurl = "https://demo.example/oai"\n'
    (cli.folder / "windrow.toml").write_text(source + BINDING, encoding="utf-8")
    assert "theses.subject is bound to topics, which is not there" in cli("doctor").words
    assert "windrow vocabulary add topics FILE" in cli("vocabulary", "list").err
    assert cli("search", "subject:400").code in (1, 2)  # as if nothing was bound
    cli("vocabulary", "add", "topics", str(topics))
    assert "1 field bound" in cli("doctor").words


def test_a_bound_vocabulary_widens_searches_and_its_values_are_checked(cli: Cli, tmp_path: Path) -> None:
    with DemoServer(Repository(60)) as server:
        harvested(cli, server, "kk")
    assert cli("index").code == 0
    counted = cli("search", "*", "--facet", "subject", "--json").json["facets"]["subject"]["values"]
    subject, count = counted[0]["value"], counted[0]["count"]
    path = tmp_path / "topics.csv"
    path.write_text(
        f'code,parent,label@en,label@sv\n1,,Everything,Allting\n2,1,"{subject}",Hagtornssnår\n',
        encoding="utf-8",
    )
    assert cli("vocabulary", "add", "topics", str(path)).code == 0
    (cli.folder / "windrow.toml").write_text(cli.toml + BINDING, encoding="utf-8")
    found = cli("search", "subject:1", "--json").json
    assert found["total"] >= count
    assert found["additions"][0]["below"] == 1
    assert cli("search", "subject:1", "--no-vocabulary", "--exact").code == 1
    people = cli("search", "hagtornssnår")
    assert people.code == 0
    assert subject in people.err
    checked = cli("vocabulary", "check", "topics", "--json")
    assert checked.code == 1
    (values,) = checked.json["values"]
    assert (values["collection"], values["field"], values["matched"]) == ("theses", "subject", 1)
    assert values["unmatched"] == len(values["examples"]) or values["unmatched"] > 10
    assert cli("vocabulary", "list", "--json").json[0]["bound"] == ["theses.subject"]
