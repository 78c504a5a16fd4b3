"""What walking a folder gives: order, kinds of files, permissions, and what it tells of trouble."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.unit.sources.files.planting import plant, visible
from windrow.sources.files.apache.htpasswd import satisfies_guard
from windrow.sources.files.published_folder import AS_PROGRAM, ExecutedFiles, VisibilityRules
from windrow.sources.files.visibility import MAX_FOLDER_DEPTH
from windrow.sources.files.visible_files import FoundFile, NotUnderstood, look_up, walk


def troubles_of(root: Path, *, under: str = "") -> tuple[list[str], dict[str, Exception]]:
    troubles: dict[str, Exception] = {}
    paths = [file.path for file in walk(root, VisibilityRules(), under=under, on_error=troubles.__setitem__)]
    return paths, troubles


def test_a_file_comes_with_size_and_time(tmp_path: Path) -> None:
    plant(tmp_path, "a/b.txt")
    os.utime(tmp_path / "a/b.txt", ns=(1, 1_700_000_000_123_456_789))
    assert list(walk(tmp_path, VisibilityRules())) == [FoundFile("a/b.txt", 7, 1_700_000_000_123_456_789, ())]


def test_paths_come_in_the_order_of_their_letters(tmp_path: Path) -> None:
    plant(tmp_path, "b/x", "b-a", "b.txt", "b/a/z", "a", "c", "b0", "ä")
    found = visible(tmp_path)
    assert found == sorted(found)
    assert len(found) == 8


def test_an_empty_folder_shows_nothing(tmp_path: Path) -> None:
    plant(tmp_path, "empty/")
    assert visible(tmp_path) == []


def test_only_what_is_under_a_folder_can_be_asked_for(tmp_path: Path) -> None:
    plant(tmp_path, "a/b/c.txt", "a/d.txt", "ab/e.txt")
    assert [file.path for file in walk(tmp_path, VisibilityRules(), under="a")] == ["a/b/c.txt", "a/d.txt"]
    assert [file.path for file in walk(tmp_path, VisibilityRules(), under="a/b")] == ["a/b/c.txt"]


@pytest.mark.parametrize("under", ["..", "a/..", "/", "a//b", ".git", "nowhere", "a/d.txt", "a\0"])
def test_nothing_is_under_what_is_no_visible_folder(tmp_path: Path, under: str) -> None:
    plant(tmp_path, "a/d.txt", ".git/config")
    assert troubles_of(tmp_path, under=under) == ([], {})


def test_sockets_and_pipes_are_not_files(tmp_path: Path) -> None:
    plant(tmp_path, "a.txt")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        address = os.path.relpath(tmp_path / "socket")  # the whole path may be too long for a socket
        listener.bind(min(address, str(tmp_path / "socket"), key=len))
    assert visible(tmp_path) == ["a.txt"]


def test_a_file_that_others_may_not_read_is_hidden_unless_told_otherwise(tmp_path: Path) -> None:
    plant(tmp_path, "public.txt", "own.txt", "closed/a.txt", "unlisted/b.txt")
    (tmp_path / "own.txt").chmod(0o640)
    (tmp_path / "closed").chmod(0o750)
    (tmp_path / "unlisted").chmod(0o711)
    assert visible(tmp_path) == ["public.txt"]
    relaxed = visible(tmp_path, VisibilityRules(needs_public_read=False))
    assert relaxed == ["closed/a.txt", "own.txt", "public.txt", "unlisted/b.txt"]


def test_the_folder_that_was_named_is_entered_whatever_its_mode(tmp_path: Path) -> None:
    plant(tmp_path, "a.txt")
    tmp_path.chmod(0o700)
    assert visible(tmp_path) == ["a.txt"]


@contextmanager
def without_privileges() -> Iterator[Path]:
    """Give an empty folder and, where we are root, be nobody in particular meanwhile."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        root.chmod(0o777)
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(65534)
        try:
            yield root
        finally:
            if is_root:
                os.seteuid(0)


def test_what_we_cannot_read_ourselves_is_hidden_or_told() -> None:
    with without_privileges() as root:
        plant(root, "a.txt", "b.txt", "folder/c.txt", "folder/.htaccess")
        (root / "a.txt").chmod(0o044)
        (root / "folder").chmod(0o055)
        paths, troubles = troubles_of(root)
        looked_up = [look_up(root, path, VisibilityRules()) for path in ("a.txt", "folder/c.txt")]
        below = troubles_of(root, under="folder")
        (root / "folder").chmod(0o755)
    assert paths == ["b.txt"]
    assert looked_up == [None, None]
    assert isinstance(troubles["folder"], PermissionError)
    assert isinstance(below[1]["folder"], PermissionError)


def test_an_htaccess_that_we_cannot_read_closes_its_folder() -> None:
    with without_privileges() as root:
        plant(root, "folder/c.txt", "folder/.htaccess")
        (root / "folder/.htaccess").write_text("")
        open_before = list(walk(root, VisibilityRules()))
        (root / "folder/.htaccess").chmod(0)
        troubles: dict[str, Exception] = {}
        assert not list(walk(root, VisibilityRules(), on_error=troubles.__setitem__))
        assert open_before[0].guards == ()
        assert "folder/.htaccess" in str(troubles["folder"])
        assert not satisfies_guard(root, "folder", username=None, password=None)


def test_a_name_that_is_not_utf8_is_left_out_and_told(tmp_path: Path) -> None:
    plant(tmp_path, "a.txt")
    (tmp_path / os.fsdecode(b"caf\xe9.txt")).write_text("x")
    (tmp_path / os.fsdecode(b"dir\xff")).mkdir()
    paths, troubles = troubles_of(tmp_path)
    assert paths == ["a.txt"]
    assert sorted(troubles) == ["caf\\udce9.txt", "dir\\udcff"]
    assert all(isinstance(error, UnicodeError) for error in troubles.values())
    assert look_up(tmp_path, os.fsdecode(b"caf\xe9.txt"), VisibilityRules()) is None


def test_a_root_that_is_not_there_is_told(tmp_path: Path) -> None:
    paths, troubles = troubles_of(tmp_path / "gone")
    assert paths == []
    assert isinstance(troubles[""], FileNotFoundError)


def test_a_root_that_is_a_file_is_told(tmp_path: Path) -> None:
    plant(tmp_path, "file")
    paths, troubles = troubles_of(tmp_path / "file")
    assert paths == []
    assert isinstance(troubles[""], NotADirectoryError)


def test_a_folder_that_cannot_be_listed_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    # Relative steps make a path longer than the system takes as a whole.
    names = ["n" * 250] * 17
    folder = os.open(tmp_path, os.O_RDONLY)
    for name in names:
        os.mkdir(name, dir_fd=folder)
        inner = os.open(name, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    plant(tmp_path, "a.txt", "z.txt")
    paths, troubles = troubles_of(tmp_path)
    assert paths == ["a.txt", "z.txt"]
    # The .htaccess of the last but one has a longer path still, so whatever it may say is not known.
    assert [type(error) for error in troubles.values()] == [NotUnderstood, OSError]


def test_a_folder_that_goes_while_we_walk_is_simply_gone(tmp_path: Path) -> None:
    plant(tmp_path, "a.txt", "b/c.txt", "d.txt")
    troubles: dict[str, Exception] = {}
    walking = walk(tmp_path, VisibilityRules(), on_error=troubles.__setitem__)
    assert next(walking).path == "a.txt"
    (tmp_path / "b/c.txt").unlink()
    (tmp_path / "b").rmdir()
    assert [file.path for file in walking] == ["d.txt"]
    assert troubles == {}


def test_depth_is_bounded_and_what_lies_deeper_is_told(tmp_path: Path) -> None:
    deepest = "/".join(["d"] * MAX_FOLDER_DEPTH)
    plant(tmp_path, f"{deepest}/seen", f"{deepest}/d/hidden")
    assert visible(tmp_path) == [f"{deepest}/seen"]
    assert look_up(tmp_path, f"{deepest}/d/hidden", VisibilityRules()) is None
    _, troubles = troubles_of(tmp_path)
    assert list(troubles) == [f"{deepest}/d"]
    assert f"more than {MAX_FOLDER_DEPTH} folders deep" in str(troubles[f"{deepest}/d"])


def test_in_a_published_folder_of_documents_scripts_are_read_unless_they_can_be_run(tmp_path: Path) -> None:
    plant(tmp_path, "text.py", "run.py", "plain.sh", "page.php", "cgi-bin/a.py", "notes.txt")
    (tmp_path / "run.py").chmod(0o755)
    (tmp_path / "link.py").symlink_to("text.py")
    (tmp_path / "runs.py").symlink_to("run.py")
    left_out: dict[str, str] = {}
    rules = VisibilityRules(running=ExecutedFiles.DOCUMENTS)
    found = [file.path for file in walk(tmp_path, rules, on_left_out=left_out.__setitem__)]
    assert found == ["link.py", "notes.txt", "plain.sh", "text.py"]
    assert left_out == dict.fromkeys(("run.py", "runs.py", "page.php", "cgi-bin/"), AS_PROGRAM)
    everything = [file.path for file in walk(tmp_path, VisibilityRules(running=ExecutedFiles.NOTHING))]
    assert len(everything) == 8
    assert visible(tmp_path, VisibilityRules()) == ["notes.txt"]
