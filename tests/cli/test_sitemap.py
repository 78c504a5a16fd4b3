"""`windrow sitemap write`: the files that a server would answer with, and only those that changed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.sourcing import Cli, make_cli
from tests.contracts.store.shelf import Shelf, gone, live
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer
from windrow.store import sources
from windrow.store.published import list_pages
from windrow.store.store import open_store
from windrow.web.sitemaps import sitemap_files

URL = "https://library.example"


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """A library of five records of one source and one of another; two on a leaf, one leaf in a file."""
    monkeypatch.setattr(list_pages, "PAGE_RECORDS", 2)
    monkeypatch.setattr(sitemap_files, "LEAVES_PER_FILE", 1)
    made = make_cli(tmp_path, monkeypatch, capsys)
    change(made, "hay", *[live(f"n{number}") for number in range(5)])
    change(made, "oats", live("o"))
    return made


def change(cli: Cli, name: str, *records: object) -> None:
    store = open_store(cli.folder)
    Shelf(store, name).write(*records)  # type: ignore[arg-type]
    store.close()


def forget(cli: Cli, name: str) -> None:
    store = open_store(cli.folder)
    with store.writing() as connection:
        found = sources.find(connection, name)
        assert found is not None
        sources.forget(connection, found.id)
    store.close()


def write(cli: Cli, folder: Path, url: str = URL) -> dict[str, int]:
    done = cli("sitemap", "write", str(folder), "--url", url, "--json")
    assert done.code == 0, done.words
    found: dict[str, int] = done.json
    return found


def inodes(folder: Path) -> dict[str, int]:
    """Which files there are; one that is written again is another one."""
    return {path.name: path.stat().st_ino for path in (folder / "sitemaps").glob("*.gz")}


def written(folder: Path) -> dict[str, int]:
    """When each file was written, that of the index among them."""
    paths = [folder / "sitemap.xml", *(folder / "sitemaps").glob("*.gz")]
    return {path.name: path.stat().st_mtime_ns for path in paths}


def test_the_files_are_there_and_the_index_names_them(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "public" / "here"
    assert write(cli, folder) == {"files": 5, "written": 4, "removed": 0}
    assert set(inodes(folder)) == {
        f"{name}.xml.gz" for name in ("-pages", "hay-1", "hay-2", "hay-3", "oats-1")
    }
    index = (folder / "sitemap.xml").read_text(encoding="utf-8")
    assert index.count("<loc>") == 5
    assert f"<loc>{URL}/sitemaps/hay-3.xml.gz</loc>" in index
    body = gzip.decompress((folder / "sitemaps" / "hay-3.xml.gz").read_bytes())
    assert f"<loc>{URL}/record/hay/n4</loc>".encode() in body


def test_only_what_changed_is_written_again(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "public"
    write(cli, folder)
    before, times = inodes(folder), written(folder)
    assert write(cli, folder)["written"] == 0
    assert written(folder) == times
    change(cli, "hay", live("n2", b"<y/>"))
    assert write(cli, folder) == {"files": 5, "written": 1, "removed": 0}
    kept = {name: number for name, number in inodes(folder).items() if before[name] == number}
    assert {"hay-1.xml.gz", "hay-3.xml.gz", "oats-1.xml.gz"} <= set(kept)
    assert "hay-2.xml.gz" not in kept


def test_a_file_of_which_nothing_is_left_goes(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "public"
    write(cli, folder)
    change(cli, "hay", gone("n4"))
    forget(cli, "oats")
    assert write(cli, folder) == {"files": 3, "written": 0, "removed": 2}
    assert set(inodes(folder)) == {"-pages.xml.gz", "hay-1.xml.gz", "hay-2.xml.gz"}


def test_a_file_that_somebody_took_away_comes_back(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "public"
    write(cli, folder)
    (folder / "sitemaps" / "hay-1.xml.gz").unlink()
    assert write(cli, folder)["written"] == 1
    assert "hay-1.xml.gz" in inodes(folder)


def test_another_address_makes_all_of_them_new(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "public"
    write(cli, folder)
    assert write(cli, folder, "https://other.example/windrow/")["written"] == 4
    body = gzip.decompress((folder / "sitemaps" / "hay-1.xml.gz").read_bytes())
    assert b"<loc>https://other.example/windrow/record/hay/n0</loc>" in body


def test_a_note_that_is_no_note_is_as_none(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "public"
    write(cli, folder)
    note = folder / "sitemaps" / ".written.json"
    outside = tmp_path / "mine.xml.gz"
    outside.write_bytes(b"")
    told = json.loads(note.read_text(encoding="utf-8"))
    told["files"]["../../mine"] = [1, 1]
    note.write_text(json.dumps(told), encoding="utf-8")
    assert write(cli, folder)["removed"] == 0
    assert outside.exists()
    note.write_text("[]", encoding="utf-8")
    assert write(cli, folder)["written"] == 4


def test_without_a_public_address_it_says_what_to_do(cli: Cli, tmp_path: Path) -> None:
    done = cli("sitemap", "write", str(tmp_path / "public"))
    assert done.code == 2
    assert "Set url in [serve], or give it with --url." in done.words
    assert not (tmp_path / "public").exists()


def test_for_people_it_says_how_much_was_written(cli: Cli, tmp_path: Path) -> None:
    done = cli("sitemap", "write", str(tmp_path / "public"), "--url", URL)
    assert "names 5 files: 4 new or changed" in done.words


def test_a_folder_that_is_a_file_is_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "public").write_text("", encoding="utf-8")
    done = cli("sitemap", "write", str(tmp_path / "public"), "--url", URL)
    assert done.code == 2


def laid_out(cli: Cli) -> int | None:
    """How many records of the demo's are on leaves; None where there are none."""
    store = open_store(cli.folder)
    with store.reading() as connection:
        found = list_pages.find_source_pages(connection, "theses")
    store.close()
    return found.live if found else None


def test_a_harvest_brings_the_lists_up_to_date_once_the_library_is_indexed(cli: Cli) -> None:
    with DemoServer(Repository(40, page_size=50)) as server:
        assert cli("source", "add", "theses", server.url, "--format", "oai_dc").code == 0
        assert cli("harvest", "theses").code == 0
        assert laid_out(cli) is None, "who only harvests does not pay for it"
        assert cli("index").code == 0
        assert cli("harvest", "theses").code == 0
        live_now = laid_out(cli)
    assert live_now is not None
    assert live_now > 30
