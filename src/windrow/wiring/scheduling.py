"""The runner of jobs, and the notifications about their runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from windrow.config.loader import load
from windrow.config.secrets import mask_for
from windrow.schedule.job_runner import build_runner
from windrow.schedule.notifications import NotificationThread, Notifier

if TYPE_CHECKING:
    from windrow.config.schema import Config
    from windrow.schedule.job_claims import FinishedRun
    from windrow.schedule.job_process import Sink
    from windrow.schedule.job_runner import JobRunner
    from windrow.wiring.library import Library

NOTIFY_ON_EXIT_SECONDS = 30.0  # time limit for notifications when a runner ends
JOB_CHILD = "windrow.cli.job_child"  # the module that runs the command line of a job


def make_notifier(library: Library) -> Notifier:
    """Return the notifier for runs of jobs, with the current windrow.toml."""
    return Notifier(lambda: _read_config(library), library.store, environ=library.environ)


@contextmanager
def job_runner(
    library: Library,
    *,
    owner: str,
    most: int | None = None,
    echoes: tuple[Sink, Sink] | None = None,
    on_finished: Callable[[FinishedRun], None] = lambda _: None,
) -> Iterator[JobRunner]:
    """Yield the runner of the library's jobs. windrow.toml is read again whenever it changes.

    Notifications that an earlier process left in the outbox are sent first. At the end, notifications that
    are due are sent for up to NOTIFY_ON_EXIT_SECONDS.
    """
    telling = NotificationThread(make_notifier(library))

    def finished(done: FinishedRun) -> None:
        on_finished(done)
        telling(done)

    settings = library.config.schedule
    runner = build_runner(
        library.folder,
        library.store,
        replace(settings, jobs=most or settings.jobs),
        lambda: _read_config(library).jobs,
        owner=owner,
        module=JOB_CHILD,
        make_mask=lambda: mask_for(_read_config(library), library.environ),
        environ=library.environ,
        echoes=echoes,
        on_finished=finished,
    )
    telling.start()
    try:
        yield runner
    finally:
        telling.close(NOTIFY_ON_EXIT_SECONDS)


def _read_config(library: Library) -> Config:
    """Return the configuration as it is now; it may have been edited since."""
    return load(library.folder, environ=library.environ)
