"""Jobs: what runs them when they are due, and what tells people of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from windrow.config.load import load
from windrow.config.masking import mask_for
from windrow.schedule.hiring import hire
from windrow.schedule.telling import Teller
from windrow.schedule.telling_desk import TellingDesk

if TYPE_CHECKING:
    from windrow.config.schema import Config
    from windrow.schedule.child import Sink
    from windrow.schedule.runner import Runner
    from windrow.schedule.taking import Finished
    from windrow.wiring.library import Library

LAST_WORDS_SECONDS = 30.0  # in which people are still told of runs when a runner ends
JOB_CHILD = "windrow.cli.job_child"  # the module that runs the command line of a job


def make_teller(library: Library) -> Teller:
    """Give what tells people of runs of jobs, as windrow.toml has it at that moment."""
    return Teller(lambda: _read(library), library.store, environ=library.environ)


@contextmanager
def job_runner(
    library: Library,
    *,
    owner: str,
    most: int | None = None,
    echoes: tuple[Sink, Sink] | None = None,
    on_finished: Callable[[Finished], None] = lambda _: None,
) -> Iterator[Runner]:
    """Give what runs the jobs of a library as windrow.toml has them at any time, and tells people.

    What an earlier process left in the outbox is sent first; in the end what is due is sent, for a while.
    """
    telling = TellingDesk(make_teller(library))

    def finished(done: Finished) -> None:
        on_finished(done)
        telling(done)

    settings = library.config.schedule
    runner = hire(
        library.folder,
        library.store,
        replace(settings, jobs=most or settings.jobs),
        lambda: _read(library).jobs,
        owner=owner,
        module=JOB_CHILD,
        make_mask=lambda: mask_for(_read(library), library.environ),
        environ=library.environ,
        echoes=echoes,
        on_finished=finished,
    )
    telling.start()
    try:
        yield runner
    finally:
        telling.close(LAST_WORDS_SECONDS)


def _read(library: Library) -> Config:
    """Give the configuration as it is now, which may have been edited since."""
    return load(library.folder, environ=library.environ)
