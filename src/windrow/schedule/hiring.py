"""A runner put together for one library: its desk, its way to begin runs, where their output goes."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from windrow.config.jobs import JobSettings, ScheduleSettings
from windrow.config.masking import Mask
from windrow.config.schema import FILE_NAME
from windrow.errors import ConfigError
from windrow.schedule.beginning import Beginning
from windrow.schedule.child import Sink
from windrow.schedule.following import JobsFile
from windrow.schedule.job import Job, jobs_of
from windrow.schedule.logs import log_name, open_log
from windrow.schedule.runner import Runner
from windrow.schedule.taking import Desk, Finished
from windrow.store.jobs import Taken
from windrow.store.leases import ourselves
from windrow.store.store import Store

log = logging.getLogger("windrow.schedule")


def hire(
    folder: Path,
    store: Store,
    settings: ScheduleSettings,
    read: Callable[[], Mapping[str, JobSettings]],
    *,
    owner: str,
    module: str,
    make_mask: Callable[[], Mask],
    environ: Mapping[str, str],
    clock: Callable[[], float] = time.time,
    echoes: tuple[Sink, Sink] | None = None,
    on_finished: Callable[[Finished], None] = lambda _: None,
) -> Runner:
    """Give a runner of a library's jobs. `read` gives the jobs of windrow.toml as it is then.

    `module` is what `python -m` runs a command line with. `make_mask` gives what keeps secrets out of a log;
    `echoes` are where a run's output and its errors go as well, for who wants to see them at once.
    """
    desk = Desk(store, ourselves(owner), clock=clock, lease_seconds=settings.lease)

    def begin_log(job: Job, taken: Taken) -> Sink:
        desk.note_log(taken, log_name(job.name, taken.run))
        return open_log(
            folder,
            job.name,
            taken.run,
            most_bytes=settings.log_bytes,
            keep=settings.keep_logs,
            mask=make_mask(),
        )

    return Runner(
        desk,
        JobsFile(folder / FILE_NAME, lambda: readable(read())),
        Beginning(
            folder,
            module,
            environ=environ,
            open_log=begin_log,
            make_clean=lambda: make_mask().text,
            echoes=echoes,
        ),
        most=settings.jobs,
        grace_seconds=settings.grace,
        clock=clock,
        on_finished=on_finished,
    )


def readable(settings: Mapping[str, JobSettings]) -> dict[str, Job]:
    """Make the jobs; one whose times cannot be read is told of, and does not keep the others from running."""
    found: dict[str, Job] = {}
    for name, each in settings.items():
        try:
            found |= jobs_of({name: each})
        except ConfigError as exc:
            log.error("job %s is not run: %s %s", name, exc, exc.hint)
    return found
