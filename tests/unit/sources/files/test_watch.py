"""Waiting for changes: every test waits for the call it expects, and for no time."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue

import pytest

from windrow.sources.files import folder_watch
from windrow.sources.files.folder_watch import Changed, watch

PATIENCE_SECONDS = 30  # only a broken watch takes that long
QUEUE = Path("/proc/sys/fs/inotify/max_queued_events")
only_linux = pytest.mark.skipif(not folder_watch.IS_HERE, reason="only there changes are told by name")


class Ear:
    """Hears what a watch tells, in the order it does."""

    def __init__(self) -> None:
        self.told: Queue[Changed] = Queue()

    def until(self, path: str) -> list[Changed]:
        """Wait until a path is told of; give everything that was told up to then."""
        heard: list[Changed] = []
        while not heard or heard[-1] is None or path not in heard[-1]:
            heard.append(self.told.get(timeout=PATIENCE_SECONDS))
        return heard

    def until_all(self, paths: set[str]) -> None:
        """Wait until each of these was told of."""
        while paths:
            paths = paths - (self.told.get(timeout=PATIENCE_SECONDS) or frozenset())


@contextmanager
def watching(root: Path, **options: object) -> Iterator[Ear]:
    ear, stop = Ear(), threading.Event()
    thread = threading.Thread(
        target=watch, args=(root, ear.told.put), kwargs={"stop": stop, **options}, daemon=True
    )
    thread.start()
    try:
        yield ear
    finally:
        stop.set()
        thread.join(PATIENCE_SECONDS)
        assert not thread.is_alive()


@only_linux
def test_it_begins_with_a_look_at_everything_once_it_listens(tmp_path: Path) -> None:
    with watching(tmp_path) as ear:
        assert ear.told.get(timeout=PATIENCE_SECONDS) is None
        (tmp_path / "a.txt").write_text("x")
        ear.until("a.txt")


@only_linux
def test_changes_in_folders_made_meanwhile_are_told(tmp_path: Path) -> None:
    with watching(tmp_path) as ear:
        assert ear.told.get(timeout=PATIENCE_SECONDS) is None
        (tmp_path / "new").mkdir()
        ear.until("new")
        (tmp_path / "new" / "ö.txt").write_text("x")
        ear.until("new/ö.txt")
        (tmp_path / "new" / "ö.txt").unlink()
        ear.until("new/ö.txt")


@only_linux
def test_a_folder_reached_through_a_link_is_watched(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with watching(tmp_path / "link") as ear:
        assert ear.told.get(timeout=PATIENCE_SECONDS) is None
        (tmp_path / "real" / "a.txt").write_text("x")
        ear.until("a.txt")


@only_linux
def test_many_changes_at_once_are_told_in_few_calls(tmp_path: Path) -> None:
    with watching(tmp_path) as ear:
        assert ear.told.get(timeout=PATIENCE_SECONDS) is None
        for number in range(2000):
            (tmp_path / f"{number:05}.txt").write_text("x")
        heard = ear.until("01999.txt")
        assert len(heard) < 200


def test_everything_is_looked_at_again_now_and_then(tmp_path: Path) -> None:
    with watching(tmp_path, whole_seconds=lambda: 0.0) as ear:
        assert [ear.told.get(timeout=PATIENCE_SECONDS) for _ in range(3)] == [None] * 3


def test_with_a_pause_it_looks_instead_of_listening(tmp_path: Path) -> None:
    with watching(tmp_path, poll_seconds=0.001) as ear:
        (tmp_path / "a.txt").write_text("x")
        assert [ear.told.get(timeout=PATIENCE_SECONDS) for _ in range(5)] == [None] * 5


@only_linux
def test_a_folder_that_is_missing_is_listened_to_once_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("windrow.sources.files.folder_watch.MISSING_SECONDS", 0.001)
    root = tmp_path / "later"
    with watching(root) as ear:
        assert [ear.told.get(timeout=PATIENCE_SECONDS) for _ in range(3)] == [None] * 3
        root.mkdir()
        number = 0
        while (told := ear.told.get(timeout=PATIENCE_SECONDS)) is None:
            number += 1
            (root / f"{number}.txt").write_text("x")
        assert told <= {f"{each}.txt" for each in range(1, number + 1)}


@only_linux
def test_another_folder_in_the_place_of_the_first_is_listened_to(tmp_path: Path) -> None:
    root = tmp_path / "site"
    root.mkdir()
    with watching(root) as ear:
        assert ear.told.get(timeout=PATIENCE_SECONDS) is None
        root.rename(tmp_path / "old")
        root.mkdir()
        assert ear.told.get(timeout=PATIENCE_SECONDS) is None
        (root / "a.txt").write_text("x")
        ear.until("a.txt")


@only_linux
def test_a_name_that_is_not_utf8_does_not_end_the_listening(tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"caf\xe9")
    odd.mkdir()
    with watching(tmp_path) as ear:
        assert ear.told.get(timeout=PATIENCE_SECONDS) is None
        (odd / "a.txt").write_text("x")
        (tmp_path / os.fsdecode(b"\xff.txt")).write_text("x")
        (tmp_path / "b.txt").write_text("x")
        assert None not in ear.until("b.txt")
        odd.rename(tmp_path / "café")
        ear.until("café")
        (tmp_path / "café" / "c.txt").write_text("x")
        assert None not in ear.until("café/c.txt")


@only_linux
def test_a_folder_that_was_renamed_is_told_of_by_its_new_name(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    with watching(tmp_path) as ear:
        assert ear.told.get(timeout=PATIENCE_SECONDS) is None
        (tmp_path / "a").rename(tmp_path / "c")
        ear.until("c")
        (tmp_path / "c" / "b" / "1.txt").write_text("x")
        heard = ear.until("c/b/1.txt")
        assert not any("a/b/1.txt" in changed for changed in heard if changed)


def test_when_the_folder_itself_changes_everything_is_looked_at(tmp_path: Path) -> None:
    with watching(tmp_path) as ear:
        assert ear.told.get(timeout=PATIENCE_SECONDS) is None
        tmp_path.chmod(0o711)
        assert ear.told.get(timeout=PATIENCE_SECONDS) is None


@only_linux
def test_a_change_is_told_under_every_name_that_links_give_the_file(tmp_path: Path) -> None:
    (tmp_path / "v1" / "deep").mkdir(parents=True)
    (tmp_path / "v1" / "deep" / "a.txt").write_text("x")
    (tmp_path / "latest.txt").symlink_to("v1/deep/a.txt")
    (tmp_path / "current").symlink_to("v1")
    (tmp_path / "v1" / "again.txt").symlink_to("../latest.txt")
    names = {"v1/deep/a.txt", "latest.txt", "current/deep/a.txt", "v1/again.txt", "current/again.txt"}
    with watching(tmp_path) as ear:
        assert ear.told.get(timeout=PATIENCE_SECONDS) is None
        (tmp_path / "v1" / "deep" / "a.txt").write_text("longer")
        ear.until_all(names)
        (tmp_path / "v1" / "deep").rename(tmp_path / "v1" / "away")
        ear.until_all({"v1/deep", "latest.txt", "v1/again.txt"})


@only_linux
def test_links_made_meanwhile_count_and_those_that_are_gone_do_not(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    with watching(tmp_path) as ear:
        assert ear.told.get(timeout=PATIENCE_SECONDS) is None
        (tmp_path / "link.txt").symlink_to("a.txt")
        ear.until("link.txt")
        (tmp_path / "a.txt").write_text("xx")
        ear.until_all({"a.txt", "link.txt"})
        (tmp_path / "link.txt").unlink()
        ear.until("link.txt")
        (tmp_path / "a.txt").write_text("xxx")
        assert "link.txt" not in (ear.until("a.txt")[-1] or ())


@only_linux
def test_a_changed_htaccess_is_told_at_the_links_to_what_it_bears_on(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("x")
    (tmp_path / "link.txt").symlink_to("sub/a.txt")
    with watching(tmp_path) as ear:
        assert ear.told.get(timeout=PATIENCE_SECONDS) is None
        (tmp_path / "sub" / ".htaccess").write_text("Require all denied")
        ear.until_all({"sub/.htaccess", "link.txt"})


def test_without_events_the_folder_is_looked_at_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_watch, "IS_HERE", False)
    monkeypatch.setattr(folder_watch, "FALLBACK_SECONDS", 0.001)
    with watching(tmp_path) as ear:
        assert [ear.told.get(timeout=PATIENCE_SECONDS) for _ in range(5)] == [None] * 5


def test_looking_again_waits_longer_where_a_look_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stop(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            pauses.append(timeout)
            self.set()
            return True

    def look(changed: Changed) -> None:
        begun = time.monotonic()
        while time.monotonic() == begun:
            pass
        looked.append(time.monotonic() - begun)

    pauses: list[float | None] = []
    looked: list[float] = []
    monkeypatch.setattr(folder_watch, "IS_HERE", False)
    monkeypatch.setattr(folder_watch, "FALLBACK_SECONDS", 0.0)
    watch(tmp_path, look, stop=Stop())
    assert pauses[0] is not None
    assert pauses[0] >= folder_watch.FALLBACK_FACTOR * looked[0]


@only_linux
def test_where_more_changes_than_the_system_counts_everything_is_looked_at(tmp_path: Path) -> None:
    most = int(QUEUE.read_text())
    if most > 20_000:
        pytest.skip("the system counts very many")
    told, go_on, stop = Queue[Changed](), threading.Event(), threading.Event()

    def hear(changed: Changed) -> None:
        told.put(changed)
        go_on.wait(PATIENCE_SECONDS)

    thread = threading.Thread(target=watch, args=(tmp_path, hear), kwargs={"stop": stop}, daemon=True)
    thread.start()
    try:
        assert told.get(timeout=PATIENCE_SECONDS) is None
        for number in range(most // 2 + 100):  # each is made and written: two changes at least
            (tmp_path / f"{number}.txt").write_text("x")
        go_on.set()
        while told.get(timeout=PATIENCE_SECONDS) is not None:
            pass
    finally:
        stop.set()
        thread.join(PATIENCE_SECONDS)


_EXHAUSTED = """
import logging, os, resource, sys, threading
from pathlib import Path
from windrow.sources.files import folder_watch
logging.basicConfig()
folder_watch.FALLBACK_SECONDS = 0.001
stop, told = threading.Event(), []
def hear(changed):
    told.append(changed)
    if len(told) == 3:
        stop.set()
open_files = max(map(int, os.listdir("/proc/self/fd")))
resource.setrlimit(resource.RLIMIT_NOFILE, (open_files, open_files))
folder_watch.watch(Path(sys.argv[1]), hear, stop=stop)
print(told)
"""


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the way to run out of files is Linux's")
def test_where_the_system_cannot_tell_of_changes_it_looks(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _EXHAUSTED, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    assert done.stdout.strip() == "[None, None, None]", done.stderr
    assert "are not told of" in done.stderr


def test_a_watch_that_is_to_stop_from_the_first_says_nothing(tmp_path: Path) -> None:
    stop, told = threading.Event(), Queue[Changed]()
    stop.set()
    watch(tmp_path, told.put, stop=stop)
    assert told.empty()
