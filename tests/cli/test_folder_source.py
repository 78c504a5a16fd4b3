"""A folder as a source, by its commands."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from tests.cli.sourcing import Cli
from tests.unit.sources.files.planting import protect

URL = "https://www.example.org/"


@pytest.fixture
def www(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a few files."""
    root = tmp_path_factory.mktemp("www")
    (root / "index.html").write_text("<title>Home</title>")
    (root / "a").mkdir()
    (root / "a" / "photo.jpg").write_bytes(b"\xff\xd8")
    (root / ".hidden").write_text("x")
    return root


def added(cli: Cli, www: Path, *more: str) -> None:
    assert cli("source", "add", "www", str(www), "--kind", "files", "--url", URL, *more).code == 0


def test_a_folder_is_added_with_a_word_about_it(cli: Cli, www: Path) -> None:
    result = cli("source", "add", "www", str(www), "--kind", "files", "--url", URL, "--skip", "*.log")
    assert result.code == 0, result.err
    assert result.out == "Added www: 2 files, 21 B.\n"
    assert tomllib.loads(cli.toml)["sources"]["www"] == {
        "url": URL,
        "kind": "files",
        "folder": str(www),
        "skip": ["*.log"],
    }


def test_the_address_of_a_folder_gets_the_slash_it_lacks(cli: Cli, www: Path) -> None:
    assert cli("source", "add", "www", str(www), "--kind", "files", "--url", URL.rstrip("/")).code == 0
    assert tomllib.loads(cli.toml)["sources"]["www"]["url"] == URL


def test_a_folder_is_named_from_where_the_command_was_given(cli: Cli) -> None:
    (cli.folder / "site").mkdir()
    assert cli("source", "add", "www", "site", "--kind", "files", "--url", URL).code == 0
    assert tomllib.loads(cli.toml)["sources"]["www"]["folder"] == str(cli.folder / "site")


def test_a_folder_is_introduced_to_programs_as_well(cli: Cli, www: Path) -> None:
    result = cli("source", "add", "www", str(www), "--kind", "files", "--url", URL, "--json")
    assert result.json["folder"] == {
        "files": 2,
        "bytes": 21,
        "protected": 0,
        "types": {"image/jpeg": 1, "text/html": 1},
        "unreadable": [],
        "not_understood": [],
    }


def test_checking_a_folder_names_the_lines_of_htaccess_files_that_hide_files(cli: Cli, www: Path) -> None:
    (www / "a/.htaccess").write_text("Options -Indexes\nAuthMagic on\n")
    added(cli, www)
    where = f"{www}/a/.htaccess, line 2"
    assert where in " ".join(cli("source", "check", "www").out.split())
    (line,) = cli("source", "check", "www", "--json").json["not_understood"]
    assert line.startswith(where)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("{www}", "--kind", "files"), "a folder needs its public address"),
        (("{www}",), "is a folder"),
        (("{www}/missing", "--kind", "files", "--url", URL), "is not a folder that can be read"),
        (("{www}", "--kind", "files", "--url", f"{URL}?a=b"), "must be the public address of the folder"),
        (("{www}", "--kind", "files", "--url", URL, "--format", "mods"), "is for OAI-PMH repositories"),
        (("https://repository.example/oai", "--url", URL), "--url is the public address of a folder"),
        ((".", "--kind", "files", "--url", URL), "is the library itself"),
        (("{www}", "--kind", "gopher", "--url", URL), "is none of oai, files, web"),
    ],
)
def test_a_folder_that_cannot_be_published_is_not_added(
    cli: Cli, www: Path, arguments: tuple[str, ...], words: str
) -> None:
    before = cli.toml
    result = cli("source", "add", "www", *(word.replace("{www}", str(www)) for word in arguments))
    assert result.code == 2
    assert words in result.words
    assert cli.toml == before


def test_a_folder_that_is_not_there_yet_can_be_added_unseen(cli: Cli, www: Path) -> None:
    added(cli, www / "later", "--no-check")
    assert "never" in cli("source", "list").out


def test_a_harvest_and_what_it_left(cli: Cli, www: Path) -> None:
    added(cli, www)
    assert "2 new, 0 changed" in cli("harvest", "www").out
    assert "Home" in cli("record", "show", f"{URL}index.html").out
    assert cli("record", "show", f"{URL}index.html", "--json").json["sets"] == ["mime:text:html"]
    shown = cli("source", "show", "www")
    assert "as http_header" in shown.out
    assert "granularity" not in shown.out
    assert "needs_public_read" in shown.out
    assert cli("source", "list", "--json").json[0]["formats"] == ["oai_dc", "http_header"]
    assert "harvest of www: ok" in cli("run", "show", "1").out


def test_a_dry_run_counts_and_stores_nothing(cli: Cli, www: Path) -> None:
    added(cli, www)
    assert "2 new, 0 changed, 0 gone, 0 unchanged" in cli("harvest", "www", "--dry-run").out
    cli("harvest", "www")
    (www / "index.html").unlink()
    result = cli("harvest", "--dry-run", "--json")
    assert [(each["new"], each["gone"], each["problem"]) for each in result.json] == [(0, 1, "")]
    assert cli("source", "list", "--json").json[0]["records"] == 2


def test_a_dry_run_of_a_folder_that_is_lost_says_so(cli: Cli, www: Path) -> None:
    added(cli, www / "later", "--no-check")
    result = cli("harvest", "www", "--dry-run")
    assert result.code == 1
    assert "could not be looked at" in result.out


def test_what_only_a_repository_can_be_asked_is_refused(cli: Cli, www: Path) -> None:
    added(cli, www)
    result = cli("harvest", "www", "--from", "2020-01-01")
    assert result.code == 2
    assert "www is a folder, and --from means nothing there" in result.words


def test_a_check_says_what_the_folder_shows(cli: Cli, www: Path) -> None:
    protect(www / "a", "Require valid-user\n")
    added(cli, www)
    result = cli("source", "check", "www")
    assert result.code == 0
    assert "2 files, 21 B, 1 of them protected" in result.out
    assert "text/html" in result.out
    assert cli("source", "check", "www", "--json").json["protected"] == 1


def test_there_is_nothing_to_compare_in_a_folder(cli: Cli, www: Path) -> None:
    added(cli, www)
    result = cli("source", "compare", "www")
    assert result.code == 2
    assert "nothing to compare" in result.words


def test_a_trace_looks_into_the_folder(cli: Cli, www: Path) -> None:
    added(cli, www)
    result = cli("trace", f"{URL}index.html")
    assert result.code == 0
    assert "was never harvested: `windrow harvest www` brings it" in result.words
    cli("harvest", "www")
    assert "the same as at the source: nothing to do" in cli("trace", f"{URL}index.html").words
    (www / "index.html").write_text("<title>Another</title>")
    assert (
        "another version than the library: `windrow harvest www` brings it."
        in cli("trace", f"{URL}index.html").words
    )
    (www / "index.html").unlink()
    assert "the source no longer does" in cli("trace", f"{URL}index.html").words
    assert "was not asked" in cli("trace", f"{URL}index.html", "--offline").words
    assert cli("trace", f"{URL}.hidden").code == 1


def test_the_doctor_says_that_a_folder_cannot_be_read(cli: Cli, www: Path) -> None:
    added(cli, www)
    cli("harvest", "www")
    assert cli("doctor").code == 0
    www.rename(www.with_name("elsewhere-of-doctor"))
    result = cli("doctor")
    www.with_name("elsewhere-of-doctor").rename(www)
    assert result.code == 1
    assert f"the folder {www} cannot be read" in result.words


def test_settings_of_a_folder_are_changed_as_others_are(cli: Cli, www: Path) -> None:
    added(cli, www)
    result = cli("source", "edit", "www", "--skip", "a/", "--set-option", "by_value=1 MB")
    assert result.code == 0, result.err
    assert tomllib.loads(cli.toml)["sources"]["www"]["skip"] == ["a/"]
    assert "1 new" in cli("harvest", "www").out
    assert cli("source", "edit", "www", "--format", "mods").code == 2


def test_an_export_shows_no_set_of_what_is_protected(cli: Cli, www: Path) -> None:
    protect(www / "a", "Require valid-user\n")
    added(cli, www)
    cli("harvest", "www")
    lines = [json.loads(line) for line in cli("export", "-f", "jsonl").out.splitlines()]
    assert {tuple(line["sets"]) for line in lines} == {("mime:text:html",), ("mime:image:jpeg",)}
    assert cli("source", "show", "www", "--json").json["holdings"]["sets"] == 5


def test_everything_can_be_mapped_again(cli: Cli, www: Path) -> None:
    added(cli, www)
    cli("harvest", "www")
    assert cli("rebuild", "www").code == 0


def test_removing_a_folder_leaves_its_files_alone(cli: Cli, www: Path) -> None:
    added(cli, www)
    cli("harvest", "www")
    assert cli("source", "remove", "www", "--yes").code == 0
    assert (www / "index.html").is_file()
