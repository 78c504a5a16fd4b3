"""A pool whose children have the trial reader, and files that tell it what to do. For the tests of `pool`."""

from __future__ import annotations

import io
import os
import select
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pytest

from windrow.extract.pool import Limits, Pool, Task
from windrow.extract.reading_job import Job, Refusal, Result

READER = Path(__file__).with_name("trial_reader.py")
ENTRY = "[windrow.extractors]\ntrial = windrow_trial_reader\n"


@contextmanager
def trial_pool(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, workers: int = 1, limits: Limits | None = None
) -> Iterator[Pool]:
    """Give a pool whose children find the trial reader as a package beside Windrow."""
    folder = folder / "packages"
    (folder / "windrow_trial-1.dist-info").mkdir(parents=True)
    shutil.copy(READER, folder / "windrow_trial_reader.py")
    (folder / "windrow_trial-1.dist-info" / "entry_points.txt").write_text(ENTRY)
    (folder / "windrow_trial-1.dist-info" / "METADATA").write_text("Name: windrow-trial\nVersion: 1\n")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    pool = Pool(workers, limits)
    try:
        yield pool
    finally:
        pool.close()


def opened(content: str | bytes) -> Callable[[], BinaryIO]:
    """Give what opens a file with such content: one that has no name and is gone when it is closed."""

    def open_it() -> BinaryIO:
        file = tempfile.TemporaryFile()  # noqa: SIM115 - the pool closes it
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        file.seek(0, io.SEEK_SET)
        return file

    return open_it


def task(content: str, key: object = None) -> Task:
    """Give a task with a file that tells the reader what to do."""
    return Task(content if key is None else key, opened(content), Job("trial.txt"))


def done(pool: Pool, *contents: str) -> list[Result | Refusal]:
    """Have files read; give what came of them in the order they were given."""
    outcomes = {given.key: outcome for given, outcome in pool.work(map(task, contents))}
    return [outcomes[content] for content in contents]


def ends(number: int, *, seconds: float = 60) -> bool:
    """Whether a process has ended, or does so in time."""
    try:
        process = os.pidfd_open(number)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([process], [], [], seconds)[0])
    finally:
        os.close(process)
