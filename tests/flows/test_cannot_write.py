"""What cannot be written ends a command with a reason and the next step, and leaves nothing half done."""

from __future__ import annotations

import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.commanding import windrow
from tests.flows.harvesting import Shelf
from tests.flows.limited import full, read_only, run, unprivileged
from tests.flows.serving import stocked


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    found = stocked(tmp_path_factory.mktemp("library") / "theses", records=20)
    assert windrow(found, "index").returncode == 0
    return found


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Path]:
    """A folder that nobody may write to."""
    found = tmp_path / "closed"
    found.mkdir()
    found.chmod(stat.S_IRUSR | stat.S_IXUSR)
    yield found
    found.chmod(stat.S_IRWXU)


def _check(result: subprocess.CompletedProcess[str], *, code: int, reason: str, advice: str) -> None:
    assert result.returncode == code, result.stderr
    first, _, second = result.stderr.partition("\n")
    assert first.startswith("error: ")
    assert reason in first
    assert advice in second
    assert "Errno" not in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("name", ["", "new", "new/and/newer"])
def test_a_library_cannot_be_made_without_permission(closed: Path, name: str) -> None:
    result = run(unprivileged(), "init", str(closed / name))
    _check(result, code=1, reason="no permission to write there", advice=str(closed))
    assert list(closed.iterdir()) == []


def test_a_library_cannot_be_made_in_a_folder_that_cannot_be_entered(closed: Path) -> None:
    closed.chmod(0)
    result = run(unprivileged(), "init", str(closed / "new"))
    _check(result, code=1, reason="no permission to write there", advice="Choose a place of your own")


@pytest.mark.parametrize("name", ["", "new"])
def test_a_library_cannot_be_made_on_a_read_only_file_system(tmp_path: Path, name: str) -> None:
    result = run(read_only(tmp_path), "init", str(tmp_path / name))
    _check(result, code=1, reason="file system is read-only", advice="Choose a place")
    assert list(tmp_path.iterdir()) == []


def test_a_library_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    _check(run((), "init", str(tmp_path / "file")), code=2, reason="is a file", advice="another name")
    below = run((), "init", str(tmp_path / "file" / "new"))
    _check(below, code=1, reason="is a file, and no folder", advice="Check the path.")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_library_needs_a_name_that_the_system_can_bear(tmp_path: Path) -> None:
    result = run((), "init", str(tmp_path / ("x" * 300)))
    _check(result, code=1, reason="its name is too long", advice="Choose a shorter one.")


@pytest.mark.parametrize("size", ["4k", "16k", "48k", "96k"])
def test_a_library_cannot_be_made_on_a_full_disk(tmp_path: Path, size: str) -> None:
    result = run(full(tmp_path, size), "init", str(tmp_path / "new"))
    _check(result, code=1, reason="new", advice="Free some space")
    assert "no space left" in result.stderr or "the disk is full" in result.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("export", "--output"),
        ("stats", "institutions", "--svg"),
        ("stats", "institutions", "--png"),
        ("backup",),
        ("sitemap", "write", "--url", "https://a.example"),
    ],
    ids=" ".join,
)
def test_no_command_can_write_without_permission(shelf: Shelf, closed: Path, words: tuple[str, ...]) -> None:
    target = closed / "made"
    result = run(unprivileged(), "--library", str(shelf.folder), *words, str(target))
    _check(result, code=2, reason="no permission to write there", advice=str(closed))


@pytest.mark.parametrize("words", [("export", "--output"), ("stats", "institutions", "--svg")], ids=" ".join)
@pytest.mark.parametrize(
    ("target", "reason", "advice"),
    [
        ("missing/made", "its folder does not exist", "mkdir -p"),
        ("file/made", "a part of its path is a file", "Check the path."),
        ("folder", "it is a folder", "Name a file."),
    ],
)
def test_a_file_needs_a_folder_that_is_there(
    shelf: Shelf, tmp_path: Path, words: tuple[str, ...], target: str, reason: str, advice: str
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    result = run((), "--library", str(shelf.folder), *words, str(tmp_path / target))
    _check(result, code=2, reason=reason, advice=advice)


@pytest.mark.parametrize("words", [("export", "--output"), ("backup",)], ids=" ".join)
def test_a_full_disk_is_told_and_nothing_half_is_left(
    shelf: Shelf, tmp_path: Path, words: tuple[str, ...]
) -> None:
    target = tmp_path / "made"
    script = '"$@"; code=$?; find "$0" -type f >&2; exit $code'
    within = [*full(tmp_path, "16k"), "sh", "-c", script, str(tmp_path)]
    result = run(within, "--library", str(shelf.folder), *words, str(target))
    _check(result, code=1, reason="full", advice="Free some space")
    assert "\n/" not in result.stderr, "a file was left"


@pytest.mark.parametrize(
    "words",
    [
        ("search", "type:thesis"),
        ("export",),
        ("source", "list"),
        ("source", "list", "--json"),
        ("stats", "institutions", "--csv"),
        ("doctor",),
        ("--help",),
    ],
    ids=" ".join,
)
def test_an_output_that_cannot_be_written_is_told(shelf: Shelf, words: tuple[str, ...]) -> None:
    result = run((), "--library", str(shelf.folder), *words, output="/dev/full")
    _check(result, code=1, reason="the disk is full", advice="Free some space")


def test_settings_are_as_they_were_when_they_cannot_be_written(tmp_path: Path) -> None:
    shelf = stocked(tmp_path / "theses", records=10)
    before = (shelf.folder / "windrow.toml").read_bytes()
    shelf.folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    words = ("source", "add", "more", "http://127.0.0.1:1/oai", "--no-check")
    result = run(unprivileged(), "--library", str(shelf.folder), *words)
    shelf.folder.chmod(stat.S_IRWXU)
    _check(result, code=1, reason="no permission to write there", advice=str(shelf.folder))
    assert (shelf.folder / "windrow.toml").read_bytes() == before
