"""Pictures of files are kept by what the files hold, whole or not at all, and go when nobody needs them."""

from __future__ import annotations

import errno
import os
from hashlib import sha256
from pathlib import Path

import pytest

from windrow.errors import StoreError, StoreFull
from windrow.extract.picture_store import PictureStore

ONE, TWO = sha256(b"one").hexdigest(), sha256(b"two").hexdigest()


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_picture_comes_back_as_it_was_put(tmp_path: Path) -> None:
    derived = PictureStore(tmp_path / "files")
    assert derived.get(ONE, "320") is None
    assert not derived.has(ONE, "320")
    derived.put(ONE, "320", b"small")
    derived.put(ONE, "1600-2", b"large")
    assert (derived.get(ONE, "320"), derived.get(ONE, "1600-2")) == (b"small", b"large")
    assert derived.has(ONE, "320")
    assert derived.get(TWO, "320") is None


def test_pictures_lie_where_the_library_keeps_what_it_derives(tmp_path: Path) -> None:
    PictureStore(tmp_path).put(ONE, "320", b"small")
    assert files(tmp_path) == [f"pictures/{ONE[:2]}/{ONE}-320.jpg"]


def test_a_picture_put_again_replaces_the_first(tmp_path: Path) -> None:
    derived = PictureStore(tmp_path)
    derived.put(ONE, "320", b"first")
    derived.put(ONE, "320", b"second")
    assert derived.get(ONE, "320") == b"second"
    assert len(files(tmp_path)) == 1


@pytest.mark.parametrize(
    ("name", "kind"), [("../../etc/passwd", "320"), (ONE[:63], "320"), (ONE, "../320"), (ONE, "")]
)
def test_a_name_that_is_none_leads_nowhere(tmp_path: Path, name: str, kind: str) -> None:
    with pytest.raises(ValueError, match="name no picture"):
        PictureStore(tmp_path).put(name, kind, b"")
    assert files(tmp_path) == []


def test_pruning_removes_what_is_not_kept_and_leaves_what_is_not_ours(tmp_path: Path) -> None:
    derived = PictureStore(tmp_path)
    for name in (ONE, TWO):
        derived.put(name, "320", b"picture")
        derived.put(name, "160", b"picture")
    unfinished = tmp_path / "pictures" / TWO[:2] / f"{TWO}-320.abc.part"
    unfinished.write_bytes(b"half")
    notes = tmp_path / "pictures" / TWO[:2] / "notes.jpg"
    notes.write_bytes(b"somebody else's")
    assert derived.prune({ONE}) == 3
    assert derived.get(ONE, "320") == b"picture"
    assert derived.get(TWO, "320") is None
    assert notes.exists()
    assert not unfinished.exists()


def test_pruning_where_there_are_no_pictures_does_nothing(tmp_path: Path) -> None:
    assert PictureStore(tmp_path / "files").prune(set()) == 0


def test_a_folder_that_cannot_be_made_is_an_error_of_the_store(tmp_path: Path) -> None:
    (tmp_path / "files").write_bytes(b"in the way")
    with pytest.raises(StoreError, match="cannot be kept"):
        PictureStore(tmp_path / "files").put(ONE, "320", b"picture")


def test_a_full_disk_is_said_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(aside: str, path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", no_room)
    with pytest.raises(StoreFull):
        PictureStore(tmp_path).put(ONE, "320", b"picture")
    assert files(tmp_path) == []
