"""Edits of windrow.toml that come at the same moment: each is kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from tests.unit.config.library import make_library
from windrow.config import editor
from windrow.config.editor import edit_lock
from windrow.config.loader import load
from windrow.schedule.job_manager import JobManager
from windrow.store import jobs as table
from windrow.store.store import create_store

NIGHTLY: dict[str, object] = {"run": "harvest", "every": "daily"}
NAMES = [f"job-{number}" for number in range(12)]


def test_of_edits_at_the_same_moment_none_is_lost(tmp_path: Path) -> None:
    folder = make_library(tmp_path)
    with ThreadPoolExecutor(len(NAMES)) as pool:
        list(pool.map(lambda name: editor.add_job(folder, name, NIGHTLY), NAMES))
    assert sorted(load(folder, environ={}).jobs) == sorted(NAMES)


def test_jobs_added_at_the_same_moment_are_all_in_the_store(tmp_path: Path) -> None:
    folder = make_library(tmp_path)
    store = create_store(folder)
    with closing(store), ThreadPoolExecutor(len(NAMES)) as pool:
        jobs = JobManager(folder, store, environ={})
        list(pool.map(lambda name: jobs.add(name, NIGHTLY), NAMES))
        with store.reading() as connection:
            known = [state.name for state in table.list_states(connection, now=0.0)]
    assert known == sorted(NAMES)


def test_who_has_the_turn_may_edit_within_it(tmp_path: Path) -> None:
    folder = make_library(tmp_path)
    with edit_lock(folder / "windrow.toml"):
        editor.add_job(folder, "nightly", NIGHTLY)
    assert list(load(folder, environ={}).jobs) == ["nightly"]


def test_a_turn_leaves_no_file_behind(tmp_path: Path) -> None:
    folder = make_library(tmp_path)
    editor.add_job(folder, "nightly", NIGHTLY)
    assert [path.name for path in folder.iterdir()] == ["windrow.toml"]
