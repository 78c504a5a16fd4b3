"""`windrow schedule run`: a job now, under the same lease as ever. This is what a host's scheduler calls."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Annotated

import typer

from windrow.cli import schedule_view as view
from windrow.cli.completion import job_names
from windrow.cli.signals import on_stop
from windrow.cli.state import library
from windrow.cli.terminal import hint
from windrow.errors import WindrowError

if TYPE_CHECKING:
    from windrow.model.job import JobRun
    from windrow.schedule.child import Sink
    from windrow.schedule.runner import Runner


def run(
    name: Annotated[str, typer.Argument(help="The job.", autocompletion=job_names)],
    anyway: Annotated[bool, typer.Option("--anyway", help="Even if the job rests.")] = False,
) -> None:
    """Run a job now, with its own output and exit code.

    A job that rests does nothing. One that somebody is at already ends with 75, and says who that is.
    """
    from windrow.wiring.scheduling import job_runner

    with library() as opened:
        entry = view.manager(opened).entry(name)
        if entry.is_paused and not anyway:
            hint(
                f"{name} rests: nothing was done. windrow schedule resume {name}, or --anyway for this once."
            )
            return
        echoes = _sink(sys.stdout), _sink(sys.stderr)
        with job_runner(opened, owner="windrow schedule run", echoes=echoes) as runner, _stopping(runner):
            finished = runner.run_named(name)
    if finished is None:
        raise WindrowError(
            f"{name} was taken over by somebody else before it ended",
            hint=f"`windrow schedule show {name}` says who is at it.",
        )
    raise typer.Exit(_exit_code(finished.run))


def _sink(stream: IO[str]) -> Sink:
    """Give what writes bytes through to a stream at once."""

    def write(some: bytes) -> None:
        stream.buffer.write(some)  # type: ignore[attr-defined]
        stream.flush()

    return write


@contextmanager
def _stopping(runner: Runner) -> Iterator[None]:
    """Ctrl-C and SIGTERM ask the run to stop; a second one leaves at once, and the run ends by itself."""
    asked: list[int] = []

    def handle(number: int, _frame: object) -> None:
        if asked:
            os._exit(128 + number)
        asked.append(number)
        threading.Thread(target=runner.stop).start()  # what it locks may be held by whom we interrupt

    with on_stop(handle):
        yield


def _exit_code(run: JobRun) -> int:
    """Give the exit code of the command itself; that of a signal as shells have it."""
    if run.code is None:
        return 1
    return run.code if run.code >= 0 else 128 - run.code
