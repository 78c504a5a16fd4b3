"""A kind of source that a package brings: the worked example of the how-to, installed and used."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.sourcing import Cli, make_cli
from tests.flows.csv_kind import ROWS, csv_kind
from tests.flows.serving import serving
from windrow.config.loader import load


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the package, where Python finds it."""
    with csv_kind(tmp_path / "site", monkeypatch) as site:
        yield site


@pytest.fixture
def cli(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Cli:
    """Commands in a fresh library, beside a CSV file."""
    (tmp_path / "books.csv").write_text(ROWS + ",Nameless,,\n", encoding="utf-8")
    return make_cli(tmp_path, monkeypatch, capsys)


def added(cli: Cli) -> None:
    """Let the file be a source."""
    result = cli("source", "add", "books", "--kind", "csv", str(cli.folder / "books.csv"), "--key", "isbn")
    assert result.code == 0, result.err
    assert "Added books: 2 rows, 1 without an identifier." in result.words


def table(cli: Cli) -> Path:
    """The CSV file."""
    return Path(tomllib.loads(cli.toml)["sources"]["books"]["table"])


def test_a_source_of_a_plugged_in_kind_is_added_with_its_own_options(cli: Cli) -> None:
    added(cli)
    assert tomllib.loads(cli.toml)["sources"]["books"] == {
        "kind": "csv",
        "table": str(table(cli)),
        "key": "isbn",
    }
    settings = load(cli.folder, environ={"WINDROW_SOURCES_BOOKS_KEY": "title"}).sources["books"]
    assert getattr(settings, "key", None) == "title"
    assert type(settings).__name__ == "CsvSettings"


def test_it_is_harvested_shown_traced_and_removed_like_any_other(cli: Cli) -> None:
    added(cli)
    assert "2 rows" in cli("source", "check", "books").out
    assert "2 rows" in cli("harvest", "books", "--dry-run").out
    run = cli("harvest", "books", "--json").json[0]
    assert (run["outcome"], run["counters"]["added"], run["counters"]["quarantined"]) == ("partial", 2, 1)
    shown = cli("source", "show", "books", "--json").json
    assert shown["holdings"]["records"] == 2
    assert shown["facts"] == {"table": str(table(cli)), "file": "books.csv"}
    assert str(table(cli)) in cli("source", "show", "books").out
    assert "held as oai_dc" in cli("trace", "urn:windrow:csv:books:1").out
    retried = cli("quarantine", "retry", "--all")
    assert "books is a CSV file, of which single records cannot be asked for" in retried.words
    assert cli("collection", "update", "books", "--remove-old", "--json").code in (0, 3)
    assert cli("doctor").code in (0, 1)
    assert cli("source", "remove", "books", "--yes").code == 0
    assert "books" not in tomllib.loads(cli.toml).get("sources", {})


def test_a_row_that_is_gone_becomes_a_tombstone_and_one_that_changed_is_changed(cli: Cli) -> None:
    added(cli)
    cli("harvest", "books")
    table(cli).write_text("isbn,title\n2,On oats again\n3,On rye\n", encoding="utf-8")
    counters = cli("harvest", "books", "--json").json[0]["counters"]
    assert (counters["added"], counters["changed"], counters["deleted"]) == (1, 1, 1)


def test_a_file_that_is_gone_fails_the_run_and_changes_nothing(cli: Cli) -> None:
    added(cli)
    cli("harvest", "books")
    table(cli).unlink()
    result = cli("harvest", "books", "--json")
    assert (result.code, result.json[0]["outcome"]) == (1, "failed")
    assert "cannot be read" in result.out
    assert cli("source", "show", "books", "--json").json["holdings"]["records"] == 2


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ('kind = "csv"\n', "needs a table as well"),
        ('kind = "csv"\ntable = "a.csv"\ntimeout = "5s"\n', 'and web sites (kind = "web"); x is none'),
        (
            'kind = "csv"\ntable = "a.csv"\nfolder = "a"\n',
            'folder is for folders (kind = "files"); x is none',
        ),
        (
            'url = "https://a.example.org/oai"\ntable = "a.csv"\n',
            'table is for CSV files (kind = "csv"); x is none',
        ),
        ('kind = "csv"\ntabel = "a.csv"\n', 'Did you mean "table"?'),
        ('kind = "scv"\n', 'kind must be one of "oai", "files", "web", "marc", "csv"'),
    ],
)
def test_what_cannot_be_set_is_refused_in_words(cli: Cli, source: str, words: str) -> None:
    (cli.folder / "windrow.toml").write_text(f"[sources.x]\n{source}", encoding="utf-8")
    result = cli("source", "list")
    assert result.code != 0
    assert words in result.words


def test_the_same_file_twice_is_refused(cli: Cli) -> None:
    added(cli)
    again = cli("source", "add", "more", "--kind", "csv", str(table(cli)), "--no-check")
    assert "is already the source books" in again.words


def test_flags_of_a_harvest_that_mean_nothing_to_it_are_refused(cli: Cli) -> None:
    added(cli)
    for extra in ((), ("--dry-run",)):
        assert (
            "books is a CSV file, and --set means nothing there"
            in cli("harvest", "books", "--set", "a", *extra).words
        )


def test_help_and_reference_have_its_options(cli: Cli) -> None:
    assert "--key" in cli("source", "add", "--help").out
    from windrow.config.settings_reference import reference

    assert "WINDROW_SOURCES_NAME_TABLE" in reference()


def test_its_page_on_status_has_what_is_public(cli: Cli, installed: Path) -> None:
    added(cli)
    cli("harvest", "books")
    with serving(cli.folder, extra={"PYTHONPATH": str(installed)}) as served:
        text = served.ask("/status/books").text
    assert "<bdi>file</bdi>" in text
    assert "books.csv" in text
    assert str(table(cli)) not in text
