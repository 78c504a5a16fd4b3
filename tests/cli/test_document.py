"""`windrow document`, and a folder of documents by the other commands."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from PIL import Image

from tests.cli.sourcing import Cli


@pytest.fixture
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a document, and one that is broken."""
    root = tmp_path_factory.mktemp("papers")
    (root / "one.txt").write_text("barley")
    (root / "bad.pdf").write_bytes(b"%PDF-1.4 and nothing more")
    return root


@pytest.fixture
def held(cli: Cli, papers: Path) -> Cli:
    """A library that has taken them in."""
    assert cli("source", "add", "p", str(papers), "--kind", "files", "--content", "documents").code == 0
    assert cli("harvest", "p").code == 3
    return cli


def test_a_folder_of_documents_needs_no_address(cli: Cli, papers: Path) -> None:
    result = cli("source", "add", "p", str(papers), "--kind", "files", "--content", "documents")
    assert result.code == 0, result.err
    assert tomllib.loads(cli.toml)["sources"]["p"] == {
        "kind": "files",
        "folder": str(papers),
        "content": "documents",
    }
    assert cli("source", "list", "--json").json[0]["url"] == "urn:windrow:folder:p/"


def test_only_a_folder_has_content(cli: Cli) -> None:
    result = cli("source", "add", "p", "https://a.example.org/oai", "--content", "documents")
    assert (result.code, "--kind files" in result.err) == (2, True)


def test_documents_are_listed_with_their_state(held: Cli) -> None:
    listed = held("document", "list", "p", "--json").json
    assert [(row["path"], row["state"]) for row in listed] == [("bad.pdf", "refused"), ("one.txt", "shown")]
    assert "one.txt" in held("document", "list", "p").out
    assert held("document", "list", "p", "--state", "hidden").out == "There are none.\n"
    assert held("document", "list", "p", "--state", "odd").code == 2


def test_a_document_is_shown_with_why_it_was_refused(held: Cli) -> None:
    assert held("document", "show", "p", "bad.pdf", "--json").json["reason"].startswith("it is ")
    assert "urn:windrow:folder:p/one.txt" in held("document", "show", "p", "one.txt").out
    assert held("document", "show", "p", "none.txt").code == 2


def test_documents_are_dropped_hidden_and_restored(held: Cli) -> None:
    assert held("document", "drop", "p", "one.txt").code == 0
    assert held("harvest", "p", "--full").code == 3
    assert held("document", "show", "p", "one.txt", "--json").json["state"] == "dropped"
    assert held("document", "restore", "p", "one.txt", "--json").json["documents"][0]["path"] == "one.txt"
    assert held("document", "hide", "p", "one.txt").code == 0
    assert held("document", "show", "p", "one.txt", "--json").json["state"] == "hidden"
    assert held("document", "drop", "p", "none.txt").code == 2


def test_a_refused_file_is_tried_again_when_asked(held: Cli, papers: Path) -> None:
    assert held("quarantine", "retry", "--all").code == 3
    (papers / "bad.pdf").write_text("words after all")
    result = held("quarantine", "retry", "--all")
    assert (result.code, "1 case closed, 0 left." in result.out) == (0, True)


def test_a_dry_run_says_what_would_be_done(held: Cli, papers: Path) -> None:
    (papers / "two.txt").write_text("rye")
    (papers / "one.txt").unlink()
    shown = held("harvest", "p", "--dry-run").out
    assert "1 new, 0 changed, 1 gone" in shown


def test_other_sources_have_no_documents(cli: Cli, papers: Path) -> None:
    url = "https://www.example.org/"
    assert cli("source", "add", "w", str(papers), "--kind", "files", "--url", url).code == 0
    assert cli("document", "list", "w").code == 2


def test_a_document_is_traced_to_where_it_lies_now(held: Cli, papers: Path) -> None:
    (papers / "one.txt").rename(papers / "two.txt")
    held("harvest", "p")
    assert "nothing to do" in held("trace", "urn:windrow:folder:p/one.txt").out
    (papers / "two.txt").write_text("barley and rye")
    assert "another version" in held("trace", "urn:windrow:folder:p/one.txt").out


def test_what_changed_in_a_document_can_be_told(held: Cli, papers: Path) -> None:
    (papers / "one.txt").write_text("barley and rye")
    held("harvest", "p")
    told = held("diff", "2").out
    assert "14 bytes" in told
    assert "characters of text" in told


def test_pictures_go_with_their_source_and_are_no_part_of_a_copy(
    cli: Cli, papers: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    Image.new("RGB", (8, 8)).save(papers / "dot.png")
    assert cli("source", "add", "p", str(papers), "--kind", "files", "--content", "documents").code == 0
    assert cli("harvest", "p").code == 3
    assert [path.suffix for path in cli.folder.glob("files/pictures/*/*")] == [".jpg"]

    copies = tmp_path_factory.mktemp("copies")
    assert cli("backup", str(copies)).code == 0
    assert list(copies.glob("*/windrow.toml"))
    assert not list(copies.glob("*/files/*"))

    assert cli("source", "remove", "p", "--yes").code == 0
    assert not list(cli.folder.glob("files/pictures/*/*"))


def test_machine_output_lists_every_document_and_people_see_how_many_more_there_are(
    cli: Cli, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("many")
    for number in range(130):
        (root / f"{number:03}.txt").write_text(f"sheaf {number}")
    assert cli("source", "add", "p", str(root), "--kind", "files", "--content", "documents").code == 0
    assert cli("harvest", "p").code == 0
    assert len(cli("document", "list", "p", "--json").json) == 130
    assert len(cli("document", "list", "p", "--json", "--limit", "7").json) == 7
    shown = cli("document", "list", "p")
    assert (len(shown.out.splitlines()), "30 more: --limit 130" in shown.err) == (101, True)
    assert len(cli("document", "list", "p", "--limit", "130").out.splitlines()) == 131


def test_files_that_are_left_out_are_listed_with_the_reason(held: Cli, papers: Path) -> None:
    for name in (".profile", "one.bak", ".git/config"):
        (papers / name).parent.mkdir(exist_ok=True)
        (papers / name).write_text("x")
    listed = held("document", "list", "p", "--left-out", "--json").json
    assert [each["path"] for each in listed] == [".git/", ".profile", "one.bak"]
    assert listed[2]["reason"] == "the name is that of a backup, a temporary copy or a memory dump"
    assert "show_hidden = true" in held("document", "list", "p", "--left-out").out
    assert held("document", "list", "p", "--left-out", "--state", "shown").code == 2
    (run,) = held("harvest", "p", "--json").json
    assert run["counters"]["left_out"] == 3
    assert any("windrow document list p --left-out" in each["message"] for each in run["problems"])


def test_remarks_are_listed_and_shown(held: Cli, papers: Path) -> None:
    (papers / "model.bin").write_bytes(bytes(range(256)) * 20)
    held("harvest", "p")
    listed = held("document", "list", "p", "--remark", "not-read", "--json").json
    assert [(each["path"], each["remarks"]) for each in listed] == [("model.bin", ["not-read"])]
    assert "not-read" in held("document", "show", "p", "model.bin").out
    assert held("document", "list", "p", "--remark", "odd").code == 2
