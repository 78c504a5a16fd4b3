"""Copies of a library that is in use: whole, unchanging, dated, and never half there."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import zstandard

from windrow.errors import StoreError, UsageError
from windrow.exports import backup
from windrow.exports.backup import Backup, back_up, find_place
from windrow.store import snapshot, sources
from windrow.store.store import Store, open_store
from windrow.wiring import create_library

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp()
DAY = 86400.0


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = create_library(tmp_path / "theses")
    (folder / "xslt").mkdir()
    (folder / "xslt" / "kk.xsl").write_text("<x/>", encoding="utf-8")
    (folder / "logo.svg").write_text("<svg/>", encoding="utf-8")
    for made_again in ("index", "logs"):
        (folder / made_again).mkdir()
        (folder / made_again / "much").write_bytes(b"x" * 1000)
    return folder


@pytest.fixture
def store(library: Path) -> Iterator[Store]:
    opened = open_store(library)
    _add(opened, "theseus")
    yield opened
    opened.close()


def _add(store: Store, name: str) -> None:
    with store.writing() as connection:
        sources.ensure(connection, name, f"http://127.0.0.1:9/{name}")


def _names(folder: Path) -> list[str]:
    store = open_store(folder)
    with store.reading() as connection:
        found = [name for name in ("theseus", "later") if sources.find(connection, name) is not None]
    store.close()
    return found


def _copy(store: Store, library: Path, target: Path, *, keep: int | None = None, now: float = NOON) -> Backup:
    place = find_place(library, str(target), keep=keep)
    return back_up(store, library, place, keep=keep, clock=lambda: now)


def test_a_copy_is_a_library_without_what_can_be_made_again(
    store: Store, library: Path, tmp_path: Path
) -> None:
    made = _copy(store, library, tmp_path / "backups")
    assert made.path == tmp_path / "backups" / "theses-20260301T120000Z"
    assert _names(made.path) == ["theseus"]
    assert sorted(each.name for each in made.path.iterdir()) == [
        "logo.svg",
        "windrow.db",
        "windrow.toml",
        "xslt",
    ]
    assert (made.path / "xslt" / "kk.xsl").read_text(encoding="utf-8") == "<x/>"
    assert made.files == 4
    assert made.bytes == sum(each.stat().st_size for each in made.path.rglob("*") if each.is_file())


@pytest.mark.parametrize("target", ["backups", "theses.tar.zst"])
def test_two_copies_of_the_same_second_are_two(
    target: str, store: Store, library: Path, tmp_path: Path
) -> None:
    paths = [_copy(store, library, tmp_path / target, keep=5).path for _ in range(3)]
    assert paths == sorted(paths)
    assert len({path for path in paths if path.exists()}) == 3


def test_only_its_owner_may_read_a_copy(store: Store, library: Path, tmp_path: Path) -> None:
    folder = _copy(store, library, tmp_path / "a").path
    packed = _copy(store, library, tmp_path / "b" / "theses.tar.zst").path
    assert [each.stat().st_mode & 0o077 for each in (folder, packed)] == [0, 0]


def test_what_others_write_meanwhile_neither_holds_it_up_nor_gets_in(
    store: Store, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "PAGES_AT_ONCE", 1)
    other = open_store(library)
    steps: list[int] = []

    def write_too(done: int, total: int) -> None:
        assert done <= total
        steps.append(done)
        _add(other, "later" if len(steps) == 1 else f"later{len(steps)}")

    place = find_place(library, str(tmp_path / "backups"), keep=None)
    made = back_up(store, library, place, clock=lambda: NOON, on_progress=write_too)
    other.close()
    assert steps == sorted(steps)  # never from the beginning again
    assert len(steps) > 10
    assert _names(made.path) == ["theseus"]
    assert _names(library) == ["theseus", "later"]


def test_an_archive_holds_the_same_and_unpacks_with_ordinary_tools(
    store: Store, library: Path, tmp_path: Path
) -> None:
    made = _copy(store, library, tmp_path / "theses.tar.zst")
    assert made.path == tmp_path / "theses.tar.zst"
    assert made.bytes == made.path.stat().st_size
    with (
        made.path.open("rb") as stream,
        zstandard.ZstdDecompressor().stream_reader(stream) as plain,
        tarfile.open(fileobj=plain, mode="r|") as tar,
    ):
        tar.extractall(tmp_path / "restored", filter="data")
    assert _names(tmp_path / "restored" / "theses") == ["theseus"]
    assert sorted(each.name for each in tmp_path.iterdir() if each.name.startswith(".")) == []


def test_an_archive_without_a_number_to_keep_is_replaced(store: Store, library: Path, tmp_path: Path) -> None:
    first = _copy(store, library, tmp_path / "theses.tar.zst").path.read_bytes()
    _add(store, "later")
    second = _copy(store, library, tmp_path / "theses.tar.zst").path.read_bytes()
    assert first != second
    assert [each.name for each in tmp_path.glob("*.zst")] == ["theses.tar.zst"]


@pytest.mark.parametrize("target", ["backups", "backups/theses.tar.zst"])
def test_the_oldest_go_and_nothing_else_does(
    target: str, store: Store, library: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    (folder / "theses-20200101T000000Z.txt").write_text("mine")
    (folder / "theses-20200101T000000Z" if "zst" not in target else folder / "other-20200101T000000Z").mkdir()
    before = {each.name for each in folder.iterdir()}
    made = [_copy(store, library, tmp_path / target, keep=2, now=NOON + day * DAY) for day in range(4)]
    assert [[each.name for each in one.removed] for one in made] == [
        [],
        [],
        [made[0].path.name],
        [made[1].path.name],
    ]
    assert {each.name for each in folder.iterdir()} == before | {made[2].path.name, made[3].path.name}


def test_a_copy_that_fails_leaves_nothing_and_removes_nothing(
    store: Store, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = _copy(store, library, tmp_path / "backups", keep=1).path
    (library / "windrow.toml").write_text("[library", encoding="utf-8")
    with pytest.raises(UsageError):
        _copy(store, library, tmp_path / "backups", keep=1, now=NOON + DAY)
    assert list((tmp_path / "backups").iterdir()) == [kept]


def test_a_database_that_is_not_sound_makes_no_copy(store: Store, library: Path, tmp_path: Path) -> None:
    store.settle()
    store.close()
    path = library / "windrow.db"
    whole = bytearray(path.read_bytes())
    whole[8192 * 5 : 8192 * 6] = b"\xff" * 8192
    path.write_bytes(whole)
    with pytest.raises(StoreError):
        _copy(store, library, tmp_path / "backups")
    assert not list((tmp_path / "backups").iterdir())


def test_an_archive_that_changed_on_the_disk_is_found_out(tmp_path: Path) -> None:
    folder = tmp_path / "some"
    folder.mkdir()
    (folder / "file").write_bytes(os.urandom(5000))
    packed = tmp_path / "some.tar.zst"
    with packed.open("wb") as stream:
        digests = backup.pack_folder(folder, stream)
    backup.verify_archive(packed, digests)
    whole = bytearray(packed.read_bytes())
    whole[2000] ^= 0xFF
    packed.write_bytes(whole)
    with pytest.raises(StoreError):
        backup.verify_archive(packed, digests)
    packed.write_bytes(whole[:1000])
    with pytest.raises(StoreError):
        backup.verify_archive(packed, digests)


@pytest.mark.parametrize("target", ["theses", "theses/backups", "theses/a.tar.zst", "x.tar.gz", "x.zip"])
def test_places_that_are_no_good_are_refused(target: str, library: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        find_place(library, str(tmp_path / target), keep=None)


def test_a_place_that_cannot_be_written_is_told(store: Store, library: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write"):
        _copy(store, library, tmp_path / "file" / "backups")


def test_links_stay_links_and_pipes_are_left_alone(store: Store, library: Path, tmp_path: Path) -> None:
    (library / "xslt" / "other.xsl").symlink_to("kk.xsl")
    os.mkfifo(library / "xslt" / "pipe")
    os.mkfifo(library / "pipe")
    made = _copy(store, library, tmp_path / "backups").path
    assert (made / "xslt" / "other.xsl").readlink() == Path("kk.xsl")
    assert not (made / "pipe").exists()
    assert not (made / "xslt" / "pipe").exists()


def test_what_a_killed_one_left_goes_when_it_is_old(store: Store, library: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    for name, age in (("old", 2 * DAY), ("new", 60.0)):
        left = folder / f".theses-{name}.part"
        left.mkdir(parents=True)
        os.utime(left, (NOON - age, NOON - age))
    _copy(store, library, folder)
    assert [each.name for each in folder.iterdir() if each.name.startswith(".")] == [".theses-new.part"]
