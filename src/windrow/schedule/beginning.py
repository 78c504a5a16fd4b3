"""How a run of a job is begun: which process, with which environment, and where its output goes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from windrow.config.find import VARIABLE
from windrow.schedule.child import ProcessChild, Sink
from windrow.schedule.job import Job
from windrow.store.jobs import Taken

JOB, JOB_RUN = "WINDROW_JOB", "WINDROW_JOB_RUN"  # what a run knows itself by
OpenLog = Callable[[Job, Taken], Sink]
Clean = Callable[[str], str]


class Beginning:
    """Begins runs of jobs on a library: each is this Python with a module and the job's command line.

    `open_log` gives where the output of a run is kept, `make_clean` what takes secrets out of its last words.
    With `echoes`, what it prints and what it complains of goes there as well, apart.
    """

    def __init__(
        self,
        folder: Path,
        module: str,
        *,
        environ: Mapping[str, str],
        open_log: OpenLog,
        make_clean: Callable[[], Clean] = lambda: str,
        echoes: tuple[Sink, Sink] | None = None,
    ) -> None:
        self._folder = folder
        self._module = module
        self._environ = environ
        self._open_log = open_log
        self._make_clean = make_clean
        self._echoes = echoes

    def __call__(self, job: Job, taken: Taken, on_end: Callable[[], None]) -> ProcessChild:
        """Begin a run."""
        kept = self._open_log(job, taken)
        words, complaints = self._echoes or (None, None)
        return ProcessChild(
            [sys.executable, "-m", self._module, *job.command],
            environ=self._about(job, taken),
            on_end=on_end,
            sinks=_all(kept, words),
            error_sinks=_all(kept, complaints) if self._echoes else None,
            clean=self._make_clean(),
        )

    def _about(self, job: Job, taken: Taken) -> dict[str, str]:
        own = {VARIABLE: str(self._folder.resolve()), JOB: job.name, JOB_RUN: str(taken.run)}
        return {**self._environ, "PYTHONUNBUFFERED": "1", **own}


def _all(*sinks: Sink | None) -> Sequence[Sink]:
    return [sink for sink in sinks if sink is not None]
