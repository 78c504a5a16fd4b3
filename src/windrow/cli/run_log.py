"""`windrow run log`: what a run of a job printed."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.completion import job_names
from windrow.cli.state import JSON, library, print_json
from windrow.cli.terminal import hint, printable, printable_lines, say
from windrow.errors import NotFound

if TYPE_CHECKING:
    from windrow.model.job import JobRun
    from windrow.wiring import Library

FOLLOW_SECONDS = 0.5


def log(
    which: Annotated[
        str,
        typer.Argument(
            metavar="NUMBER|JOB",
            help="The number of the run, as `windrow schedule show JOB` has it, or a job for its newest.",
            autocompletion=job_names,
        ),
    ],
    lines: Annotated[
        int | None, typer.Option("--lines", "-n", min=1, metavar="N", help="Only the last N lines.")
    ] = None,
    is_following: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on printing until the run has ended.")
    ] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Print what a run of a job printed, errors and all."""
    from windrow.schedule.logs import read_log

    with library() as opened:
        run = _find(opened, which)
        text = read_log(opened.folder, run.log)
        if text is None:
            raise NotFound(
                f"the output of run {run.id} of {run.job} is not kept (any more)", hint=_about(run)
            )
        if is_json:
            print_json(_as_dict(run, opened.folder, _last(text, lines)))
            return
        hint(printable(f"Run {run.id} of {run.job}: {_about(run)}"))
        _print(_last(text, lines))
        if is_following:
            with suppress(KeyboardInterrupt):
                _follow(opened, run, text, time.sleep)


def _find(opened: Library, which: str) -> JobRun:
    from windrow.store import job_runs

    with opened.store.reading() as connection:
        newest = None if which.isdigit() else next(iter(job_runs.runs(connection, which, limit=1)), None)
        run = job_runs.run(connection, int(which)) if which.isdigit() and len(which) < 19 else newest
    if run is None:
        what = f"run {which} of any job" if which.isdigit() else f"run of a job {which!r}"
        raise NotFound(
            f"there is no {what}",
            hint="`windrow schedule show JOB` lists the runs of a job, `windrow run list` those of sources.",
        )
    return run


def _follow(opened: Library, run: JobRun, seen: str, sleep: Callable[[float], None]) -> None:
    """Print what is added until the run has ended. A log whose middle went is printed from there on."""
    from windrow.schedule.logs import read_log
    from windrow.store import job_runs

    while True:
        with opened.store.reading() as connection:
            now = job_runs.run(connection, run.id)
        text = read_log(opened.folder, run.log) or ""
        _print(_added(seen, text))
        seen = text
        if now is None or now.outcome is not None:
            return
        sleep(FOLLOW_SECONDS)


def _added(seen: str, text: str) -> str:
    if text.startswith(seen):
        return text[len(seen) :]
    # Its middle was cut out: the last line that was printed tells where to go on.
    line = seen.rstrip("\n").rpartition("\n")[2]
    at = text.rfind(line) if line else -1
    return text[at + len(line) :].lstrip("\n") if at >= 0 else text


def _last(text: str, lines: int | None) -> str:
    return text if lines is None else "\n".join(text.rstrip("\n").split("\n")[-lines:]) + "\n"


def _print(text: str) -> None:
    if text:
        say(printable_lines(text), end="")


def _about(run: JobRun) -> str:
    return f"{run.outcome.value if run.outcome else 'running'}{f'; {run.summary}' if run.summary else ''}"


def _as_dict(run: JobRun, folder: Path, text: str) -> dict[str, Any]:
    return {
        "run": run.id,
        "job": run.job,
        "outcome": run.outcome.value if run.outcome else None,
        "path": str(folder / run.log),
        "text": text,
    }
