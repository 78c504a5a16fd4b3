"""A folder of MARC files as a source: each record by itself, and nothing lost to a file that is not whole."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.flows.commanding import windrow
from tests.flows.harvesting import Shelf, make_shelf, problems, words
from tests.flows.marc_exports import iso2709, marcxml
from windrow.model.run import Outcome, Run

URL = "urn:windrow:marc:test"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "export"
    found.mkdir()
    return found


@pytest.fixture
def shelf(tmp_path: Path, folder: Path) -> Shelf:
    made = make_shelf(tmp_path)
    result = windrow(made, "source", "add", "test", "--kind", "marc", str(folder))
    assert result.returncode == 1, result.stderr  # there is nothing in it yet
    assert "has no files of MARC records" in result.stderr
    (folder / "a.mrc").write_bytes(iso2709("1", "Moss") + b"\r\n" + iso2709("2", "Fen ö"))
    result = windrow(made, "source", "add", "test", "--kind", "marc", str(folder))
    assert result.returncode == 0, result.stderr
    assert "1 file, 2 records" in result.stdout
    return made


def harvested(shelf: Shelf) -> Run:
    run = shelf.harvest()
    assert run.outcome is Outcome.OK, words(run)
    return run


def names(*numbers: object) -> set[str]:
    return {f"{URL}:{number}" for number in numbers}


def test_each_record_of_a_file_is_a_record_and_can_be_found(shelf: Shelf) -> None:
    run = harvested(shelf)
    assert (run.counters.added, shelf.live()) == (2, names(1, 2))
    assert harvested(shelf).counters.unchanged == 2
    assert windrow(shelf, "index").returncode == 0
    found = windrow(shelf, "search", "title:fen", "creator:lind")
    assert f"{URL}:2" in found.stdout


def test_other_xml_with_undeclared_prefixes_is_no_marc_and_stops_nothing(shelf: Shelf, folder: Path) -> None:
    (folder / "b.xml").write_bytes(b"<rows><dc:row><dc:title>Bog</dc:title></dc:row></rows>")
    (folder / "c.xml").write_bytes(
        b"<list><record><leader>00000nam a2200000 a 4500</leader><m:note>n</m:note></record></list>"
    )
    run = shelf.harvest()
    assert run.outcome is not Outcome.FAILED, words(run)
    assert names(1, 2) <= shelf.live()


def test_marcxml_with_and_without_its_namespace_is_read_beside_iso_2709(shelf: Shelf, folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "b.xml").write_bytes(marcxml(("3", "Bog"), ("4", "Mire")))
    (folder / "c.marcxml").write_bytes(marcxml(("5", "Heath"), namespace=""))
    harvested(shelf)
    assert shelf.live() == names(1, 2, 3, 4, 5)
    assert b"Heath" in shelf.records()[f"{URL}:5"].payloads[0].data


def test_what_no_file_has_any_more_is_gone_and_what_is_marked_deleted_too(shelf: Shelf, folder: Path) -> None:
    harvested(shelf)
    (folder / "a.mrc").write_bytes(iso2709("2", "Fen", status="d") + iso2709("3", "Bog"))
    run = harvested(shelf)
    assert shelf.live() == names(3)
    assert (run.counters.added, run.counters.deleted) == (1, 2)


def test_a_file_that_ends_within_a_record_buries_nothing(shelf: Shelf, folder: Path) -> None:
    harvested(shelf)
    (folder / "a.mrc").write_bytes(iso2709("1", "Moss") + iso2709("2", "Fen")[:40])
    run = shelf.harvest()
    assert run.outcome is Outcome.PARTIAL
    assert "a.mrc ends within a record" in words(run)
    assert shelf.live() == names(1, 2)


@pytest.mark.parametrize("content", [b"", b"Dear diary", b"<collection/>", b"<collection><record>", b"\x1d"])
def test_a_file_that_holds_no_records_buries_nothing(shelf: Shelf, folder: Path, content: bytes) -> None:
    harvested(shelf)
    (folder / "a.mrc").write_bytes(content)
    run = shelf.harvest()
    assert run.outcome is Outcome.PARTIAL
    assert problems(run)
    assert shelf.live() == names(1, 2)


def test_records_without_a_number_wait_in_quarantine(shelf: Shelf, folder: Path) -> None:
    (folder / "b.mrc").write_bytes(iso2709("", "Nameless") + iso2709("3", "Bog"))
    run = shelf.harvest()
    assert run.counters.quarantined == 1
    assert [case.reason for case in shelf.quarantined()] == ["b.mrc, record 1: no control number (field 001)"]
    assert shelf.live() == names(1, 2, 3)


def test_of_two_records_with_one_number_the_newer_export_counts(shelf: Shelf, folder: Path) -> None:
    (folder / "export-2026-02.mrc").write_bytes(iso2709("1", "Moss, second edition"))
    run = harvested(shelf)
    assert b"second edition" in shelf.records()[f"{URL}:1"].payloads[0].data
    assert "1 records have the number of another one" in words(run)
    assert harvested(shelf).counters.changed == 0


def test_a_record_is_dated_by_its_field_or_by_its_file(shelf: Shelf, folder: Path) -> None:
    (folder / "a.mrc").write_bytes(iso2709("1", "Moss", changed="20190203040506.0") + iso2709("2", "Fen"))
    os.utime(folder / "a.mrc", (1_600_000_000, 1_600_000_000))
    harvested(shelf)
    stamps = {name: record.stamp for name, record in shelf.records().items()}
    assert stamps == {f"{URL}:1": "2019-02-03T04:05:06Z", f"{URL}:2": "2020-09-13T12:26:40Z"}


def test_a_preview_and_a_trace_read_the_files(shelf: Shelf) -> None:
    preview = windrow(shelf, "harvest", "--dry-run", "test")
    assert "1 files, 2 records" in preview.stdout + preview.stderr
    traced = windrow(shelf, "trace", f"{URL}:2")
    assert "test" in traced.stdout
