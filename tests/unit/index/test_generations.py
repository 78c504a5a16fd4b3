"""The folder of the index: generations side by side, and what becomes of a damaged one."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.index.grain import Grain, titled, titles
from windrow.errors import StoreError
from windrow.index.generations import Generations, GenerationState
from windrow.index.tantivy.live_index import NONE, LiveIndex


def test_a_rebuild_takes_the_place_of_the_old_one_and_leaves_no_third(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    for _ in range(4):
        assert grain.follow(is_rebuilding=True).is_built
    folders = sorted(path.name for path in grain.folder.iterdir() if path.is_dir())
    assert folders == ["g-000003", "g-000004"]
    assert grain.generations.current() == "g-000004"
    assert grain.titles() == ["Hay"]


def test_a_rebuild_takes_in_what_came_meanwhile(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    grain.shelf.write(titled("b", "Straw"), titled("a", "Old hay"))
    done = grain.follow(is_rebuilding=True)
    assert (done.put, done.reason) == (2, "it was asked for")
    assert grain.titles() == ["Old hay", "Straw"]


def test_an_index_made_otherwise_is_built_anew_and_searched_meanwhile(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    state = grain.generations.state("g-000001")
    assert state is not None
    grain.generations.note("g-000001", replace(state, mark="older"))
    assert grain.titles() == ["Hay"]
    done = grain.follow()
    assert (done.is_built, done.reason) == (True, "this version, or the settings, make it otherwise")
    assert grain.titles() == ["Hay"]


def test_an_index_of_another_shape_is_not_read_but_built_anew(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    grain.generations.note(
        "g-000001", GenerationState("another", "another", cursor=1, commits=1, is_whole=True)
    )
    assert LiveIndex(grain.folder).generation == NONE
    assert grain.follow().is_built
    assert grain.titles() == ["Hay"]


@pytest.mark.parametrize("name", ["meta.json", "state.json", "*.idx", "*.store", "*.term"])
@pytest.mark.parametrize("content", [None, b"", b"\0garbage" * 9])
def test_a_damaged_generation_is_built_anew(grain: Grain, name: str, content: bytes | None) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    (path,) = (grain.folder / "g-000001").glob(name)
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    LiveIndex(grain.folder).newest()  # whatever it can still read, it does not fail
    grain.shelf.write(titled("b", "Straw"))
    assert grain.follow().is_built
    assert grain.titles() == ["Hay", "Straw"]


@pytest.mark.parametrize("content", [b"", b"[]", b'{"generation": "../../x"}', b'{"generation": 7}', b"\xff"])
def test_a_damaged_note_of_the_current_one_leads_to_a_new_build(grain: Grain, content: bytes) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    (grain.folder / "current.json").write_bytes(content)
    assert grain.generations.current() is None
    assert LiveIndex(grain.folder).generation == NONE
    grain.follow()
    assert grain.titles() == ["Hay"]


def test_what_a_killed_build_left_is_cleared_away(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    (grain.folder / "g-000007").mkdir()
    grain.follow(is_rebuilding=True)
    assert grain.generations.current() == "g-000008"
    assert not (grain.folder / "g-000007").exists()


def test_a_reader_keeps_its_generation_while_others_come_and_go(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    reader = LiveIndex(grain.folder)
    old = reader.newest()
    for _ in range(3):
        grain.follow(is_rebuilding=True)
    assert old.records == 1
    assert old.card(1) is not None


def test_only_one_has_the_right_to_write_and_its_name_is_told(tmp_path: Path) -> None:
    one, other = Generations(tmp_path / "index"), Generations(tmp_path / "index")
    with one.writing("one") as is_ours:
        assert is_ours
        assert other.writer().startswith("one (process")
        with other.writing("other", is_waiting=False) as is_theirs:
            assert not is_theirs
    assert other.writer() == ""
    with other.writing("other", is_waiting=False) as is_theirs:
        assert is_theirs


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "index").write_bytes(b"a file")
    with pytest.raises(StoreError, match="index"), Generations(tmp_path / "index").writing("test"):
        pass


def test_a_live_index_sees_what_is_new_at_its_next_look(grain: Grain) -> None:
    now = [0.0]
    index = LiveIndex(grain.folder, clock=lambda: now[0])
    assert (index.generation, index.is_ready, titles(index)) == (NONE, False, [])
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    assert titles(index) == []
    now[0] += 1
    assert titles(index) == ["Hay"]
    before = index.generation
    grain.shelf.write(titled("b", "Straw"))
    grain.follow()
    now[0] += 1
    assert titles(index) == ["Hay", "Straw"]
    assert index.generation != before


def test_a_lock_that_tantivy_makes_while_the_links_are_removed_is_removed_too(
    grain: Grain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr(Generations, "is_writable", lambda *_: False)
    remove, late = shutil.rmtree, iter([True])

    def remove_too_early(folder: Path, ignore_errors: bool) -> None:
        remove(folder, ignore_errors)
        if next(late, False):
            folder.mkdir()
            (folder / ".tantivy-meta.lock").touch()

    monkeypatch.setattr(shutil, "rmtree", remove_too_early)
    with grain.generations.opening("g-000001") as folder:
        assert (folder / "meta.json").exists()
    assert not list(temporary.iterdir())
