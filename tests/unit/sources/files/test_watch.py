"""Waiting for changes: every test waits for the call it expects, and for no time."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue

import pytest

from windrow.sources.files.watch import Changed, watch

PATIENCE_SECONDS = 30  # only a broken watch takes that long


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


def test_it_begins_with_a_look_at_everything_once_it_listens(tmp_path: Path) -> None:
    with watching(tmp_path) as ear:
        assert ear.told.get(timeout=PATIENCE_SECONDS) is None
        (tmp_path / "a.txt").write_text("x")
        ear.until("a.txt")


def test_changes_in_folders_made_meanwhile_are_told(tmp_path: Path) -> None:
    with watching(tmp_path) as ear:
        assert ear.told.get(timeout=PATIENCE_SECONDS) is None
        (tmp_path / "new").mkdir()
        ear.until("new")
        (tmp_path / "new" / "ö.txt").write_text("x")
        ear.until("new/ö.txt")
        (tmp_path / "new" / "ö.txt").unlink()
        ear.until("new/ö.txt")


def test_a_folder_reached_through_a_link_is_watched(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with watching(tmp_path / "link") as ear:
        assert ear.told.get(timeout=PATIENCE_SECONDS) is None
        (tmp_path / "real" / "a.txt").write_text("x")
        ear.until("a.txt")


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


def test_a_folder_that_is_missing_is_listened_to_once_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("windrow.sources.files.watch.FALLBACK_SECONDS", 0.001)
    root = tmp_path / "later"
    with watching(root) as ear:
        assert [ear.told.get(timeout=PATIENCE_SECONDS) for _ in range(3)] == [None] * 3
        root.mkdir()
        number = 0
        while (told := ear.told.get(timeout=PATIENCE_SECONDS)) is None:
            number += 1
            (root / f"{number}.txt").write_text("x")
        assert told <= {f"{each}.txt" for each in range(1, number + 1)}


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


_EXHAUSTED = """
import logging, os, resource, sys, threading
import watchfiles
from pathlib import Path
from windrow.sources.files import watch
logging.basicConfig()
watch.FALLBACK_SECONDS = 0.001
stop, told = threading.Event(), []
def hear(changed):
    told.append(changed)
    if len(told) == 3:
        stop.set()
open_files = max(map(int, os.listdir("/proc/self/fd")))
resource.setrlimit(resource.RLIMIT_NOFILE, (open_files, open_files))
watch.watch(Path(sys.argv[1]), hear, stop=stop)
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
