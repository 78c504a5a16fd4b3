"""`windrow backup`: a copy of the whole library that works as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.looking import harvested
from tests.cli.sourcing import Cli, make_cli
from tests.servers.items import make_items
from tests.servers.oai import OaiServer


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Commands in a library beside which there is room for copies."""
    (tmp_path / "theses").mkdir()
    made = make_cli(tmp_path / "theses", monkeypatch, capsys)
    with OaiServer(make_items(12)) as server:
        harvested(made, server)
    return made


def test_a_copy_is_a_library_like_the_one_itself(cli: Cli, tmp_path: Path) -> None:
    result = cli("backup", str(tmp_path / "copies"))
    assert result.code == 0
    (copy,) = (tmp_path / "copies").iterdir()
    assert f"Copied to {copy}: 12 records, 2 files" in result.out
    assert not (copy / "index").exists()
    assert cli("--library", str(copy), "doctor").code == 0
    assert cli("--library", str(copy), "index").code == 0
    listed = [cli(*where, "export").out for where in ((), ("--library", str(copy)))]
    assert listed[0] == listed[1]
    assert len(listed[0].splitlines()) == 12


def test_an_archive_and_what_was_removed_are_told_to_programs(cli: Cli, tmp_path: Path) -> None:
    older = tmp_path / "t-20200101T000000Z.tar.zst"
    older.write_bytes(b"")
    told = cli("backup", "--keep", "1", "--json", str(tmp_path / "t.tar.zst")).json
    assert told["records"] == 12
    assert told["removed"] == [str(older)]
    assert [str(each) for each in tmp_path.glob("t-*")] == [told["backup"]]


def test_a_place_inside_the_library_is_refused(cli: Cli) -> None:
    result = cli("backup", "copies")
    assert result.code == 2
    assert "inside the library" in result.err
    assert not (cli.folder / "copies").exists()
