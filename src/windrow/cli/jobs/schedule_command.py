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
from windrow.cli.worker import moment_of
from windrow.errors import WindrowError

if TYPE_CHECKING:
    from windrow.model.job import JobRun
    from windrow.schedule.child import Sink
    from windrow.schedule.runner import Runner
    from windrow.schedule.taking import Finished


def run(
    name: Annotated[str, typer.Argument(help="The job.", autocompletion=job_names)],
    anyway: Annotated[bool, typer.Option("--anyway", help="Even if the job rests.")] = False,
    wait: Annotated[
        bool | None,
        typer.Option(
            "--wait/--no-wait",
            help="If its source is busy, try again until shortly before the job is due next"
            " [default: if called by a scheduler or a script, not at a terminal].",
        ),
    ] = None,
) -> None:
    """Run a job now, with its own output and exit code.

    A job that rests does nothing. One whose source is busy is tried again after `backoff`, then after twice
    as long and so on; if there is no time left for that, it ends with 75. One that is under way already ends
    with 75 at once, or with overlap = "queue" follows when that has ended. Who is at it is printed, and kept
    with the skipped run.
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
        is_patient = not _is_at_terminal() if wait is None else wait
        with (
            job_runner(
                opened, owner="windrow schedule run", echoes=echoes, on_finished=_announce_retry
            ) as runner,
            _stopping(runner),
        ):
            finished = runner.run_named(name, is_patient=is_patient)
    if finished is None:
        raise WindrowError(
            f"{name} was taken over by somebody else before it ended",
            hint=f"`windrow schedule show {name}` says who is at it.",
        )
    raise typer.Exit(_exit_code(finished.run))


def _is_at_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _announce_retry(done: Finished) -> None:
    if done.run.retry_at is not None:
        hint(f"{done.run.job}: tried again at {moment_of(done.run.retry_at)}; --no-wait ends at once")


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
