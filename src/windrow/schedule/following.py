"""The jobs as windrow.toml has them at this moment: read again when the file has changed."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from windrow.errors import UsageError
from windrow.schedule.job import Job

log = logging.getLogger("windrow.schedule")


class JobsFile:
    """Gives the jobs each time it is called; the same mapping as long as the file is as it was.

    A file that is wrong, or half written by an editor, is told of once: what was there before goes on.
    """

    def __init__(self, path: Path, read: Callable[[], Mapping[str, Job]]) -> None:
        self._path = path
        self._read = read
        self._seen: tuple[int, int, int] | None = None
        self._jobs: Mapping[str, Job] | None = None

    def __call__(self) -> Mapping[str, Job]:
        """Give the jobs. Raises ConfigError only where there never were any that could be read."""
        looks = self._look()
        if self._jobs is not None and looks == self._seen:
            return self._jobs
        try:
            self._jobs = self._read()
        except (UsageError, OSError) as exc:
            if self._jobs is None:
                raise
            log.error("the jobs stay as they were: %s", exc)
        self._seen = looks
        return self._jobs

    def _look(self) -> tuple[int, int, int] | None:
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino
