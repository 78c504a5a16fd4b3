"""`windrow schedule`: list, show, pause, resume, remove and run jobs.

`windrow schedule run` is also what the host's scheduler calls. It takes the same lease as every other
runner, so a job never runs twice at a time.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Annotated

import typer

from windrow.cli.invocation import EVERYTHING, JSON, job_names, opened_library, print_json
from windrow.cli.jobs import job_view as view
from windrow.cli.jobs.job_command_line import CommandLast
from windrow.cli.jobs.schedule_edit import add, add_template, edit
from windrow.cli.jobs.worker_command import format_store_time
from windrow.cli.terminal import OUTCOME_STYLES, format_time, print_hint, print_line, print_table, printable
from windrow.errors import ConfigError, WindrowError
from windrow.signals import handle_stop_signals

if TYPE_CHECKING:
    from windrow.model.job_state import JobRun
    from windrow.schedule.job_claims import FinishedRun
    from windrow.schedule.job_manager import JobEntry
    from windrow.schedule.job_process import Sink
    from windrow.schedule.job_runner import JobRunner

# `windrow schedule list`.

_JOB_HEADERS = ("job", "what", "when", "next", "last")


def list_(is_json: Annotated[bool, JSON] = False) -> None:
    """List the jobs: what they do, when, when next, how the last run ended."""
    with opened_library() as opened:
        entries = view.make_manager(opened).entries()
    now = time.time()
    if is_json:
        print_json([view.job_as_dict(entry, now=now) for entry in entries])
    elif entries:
        rows = [_job_cells(entry, now) for entry in entries]
        print_table(_JOB_HEADERS, rows, styles=[_outcome_style(entry) for entry in entries])
        if any(view.is_overdue(entry, now) for entry in entries):
            print_hint("Overdue jobs are not started: run `windrow serve` or `windrow worker`.")
    else:
        print_line("There are no jobs yet.")
        print_hint("Add one: windrow schedule add nightly --daily --at 03:30 harvest")


def _job_cells(entry: JobEntry, now: float) -> tuple[str, ...]:
    return (
        entry.name,
        entry.settings.run,
        view.describe_cadence(entry),
        view.describe_next_start(entry, now),
        _last_outcome(entry),
    )


def _last_outcome(entry: JobEntry) -> str:
    state = entry.state
    if state is None or state.failing_since is None:
        return view.last_outcome(entry)
    return f"{view.last_outcome(entry)}, failing since {(view.iso_time(state.failing_since) or '')[:10]}"


def _outcome_style(entry: JobEntry) -> str:
    is_bad = entry.cadence is None or (entry.state is not None and entry.state.failing_since is not None)
    return OUTCOME_STYLES["failed"] if is_bad else ""


# `windrow schedule next`.

MAX_TIMES_SHOWN = 1000


def next_(
    name: Annotated[str, typer.Argument(help="The job.", autocompletion=job_names)],
    count: Annotated[
        int, typer.Option("-n", "--count", min=1, max=MAX_TIMES_SHOWN, help="How many times.")
    ] = 5,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Print the next times of a job, as its own clock shows them."""
    with opened_library() as opened:
        entry = view.make_manager(opened).entry(name)
    if entry.cadence is None:
        raise ConfigError(f"when {name} is due cannot be read: {entry.problem}")
    now = time.time()
    if is_json:
        print_json(view.job_as_dict(entry, now=now, count=count))
        return
    for moment in entry.times(now, count):
        print_line(view.local_time(moment, entry))
    if entry.is_paused:
        print_hint(f"It rests now, and none of these will come: windrow schedule resume {name}")


# `windrow schedule show`.

RUNS_SHOWN = 10
_LABEL_WIDTH = 15


def show(
    name: Annotated[str, typer.Argument(help="The job.", autocompletion=job_names)],
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Show a job: all its settings, its next times, its last runs and where their output is."""
    with opened_library() as opened:
        jobs = view.make_manager(opened)
        entry, runs = jobs.entry(name), jobs.runs(name, limit=EVERYTHING if is_json else RUNS_SHOWN)
        folder = opened.folder
    now = time.time()
    if is_json:
        print_json(
            view.job_as_dict(entry, now=now)
            | {"settings": _job_settings(entry), "runs": list(map(view.run_as_dict, runs))}
        )
        return
    print_line(entry.name, style="bold")
    _print_setting("does", f"windrow {entry.settings.run}")
    _print_setting("when", view.describe_cadence(entry))
    _print_setting("next", view.describe_next_start(entry, now))
    _show_state(entry)
    for key, value in _job_settings(entry).items():
        if key not in {"run", "every", "at", "on"}:
            _print_setting(key.replace("_", " "), value)
    _show_runs(runs)
    if any(run.log for run in runs):
        print_hint(printable(f"The output of a run: windrow run log NUMBER, or in {folder / 'logs' / name}"))


def _job_settings(entry: JobEntry) -> dict[str, str]:
    from windrow.config.fields import fields_of

    fields = fields_of(type(entry.settings))
    return {key: each.show(getattr(entry.settings, each.attribute)) for key, each in fields.items()}


def _show_state(entry: JobEntry) -> None:
    state = entry.state
    if state is None:
        return
    if state.running is not None:
        _print_setting("running", f"since {_format_moment(state.running.started)}, by {state.holder}")
    if state.last_good is not None:
        _print_setting("last good", _format_moment(state.last_good.ended))
    if state.failing_since is not None:
        times = "once" if state.failures == 1 else f"{state.failures:,} times in a row"
        _print_setting("failing", f"since {_format_moment(state.failing_since)}, {times}")


def _show_runs(runs: Sequence[JobRun]) -> None:
    print_line()
    if not runs:
        print_line("It did not run yet.")
        return
    rows = [
        (
            str(run.id),
            _format_moment(run.started),
            run.outcome.value if run.outcome else "running",
            str(run.attempt) if run.attempt > 1 else "",
            run.summary,
        )
        for run in runs
    ]
    print_table(("run", "began", "ended", "try", "in words"), rows, right="r")


def _print_setting(label: str, value: str) -> None:
    if value:
        print_line(f"  {label:{_LABEL_WIDTH}}{printable(value)}")


def _format_moment(seconds: float | None) -> str:
    return format_time(None if seconds is None else datetime.fromtimestamp(seconds, UTC))


# `windrow schedule remove`: takes a job out of windrow.toml, and its entry out of the host's scheduler.


def remove(
    name: Annotated[str, typer.Argument(help="The job.", autocompletion=job_names)],
    leave_record: Annotated[
        bool, typer.Option("--leave-record", help="Do not ask the host's scheduler, if that has its record.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go; change nothing.")] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Remove a job. What it brought in stays, and so do the notes on its runs."""
    from windrow.config.job_settings import OWN_RUNNER

    with opened_library() as opened:
        jobs = view.make_manager(opened)
        entry = jobs.entry(name)
        had_record = False if dry_run else jobs.remove(name, is_record_left=leave_record)
    host = entry.settings.host
    if is_json:
        print_json({"job": name, "is_removed": not dry_run, "host": host, "had_record": had_record})
        return
    print_line(f"{'Would remove' if dry_run else 'Removed'} {name} ({entry.settings.run}).")
    if host != OWN_RUNNER and not dry_run:
        print_hint(f"Its record is out of {host} as well." if had_record else f"{host} had no record of it.")


# `windrow schedule pause` and `resume`.

JobName = Annotated[str, typer.Argument(help="The job.", autocompletion=job_names)]


def pause(name: JobName, is_json: Annotated[bool, JSON] = False) -> None:
    """Let a job rest. A run that is under way goes on."""
    with opened_library() as opened:
        entry = view.make_manager(opened).pause(name)
    if is_json:
        print_json(view.job_as_dict(entry, now=time.time()))
        return
    print_line(f"{name} rests.")
    print_hint(f"Until: windrow schedule resume {name}")


def resume(name: JobName, is_json: Annotated[bool, JSON] = False) -> None:
    """Let a job that rests run again, from its next time on."""
    with opened_library() as opened:
        entry = view.make_manager(opened).resume(name)
    now = time.time()
    if is_json:
        print_json(view.job_as_dict(entry, now=now))
        return
    print_line(f"{name} runs again: {view.describe_next_start(entry, now)}.")


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

    with opened_library() as opened:
        entry = view.make_manager(opened).entry(name)
        if entry.is_paused and not anyway:
            print_hint(
                f"{name} rests: nothing was done. windrow schedule resume {name}, or --anyway for this once."
            )
            return
        echoes = _byte_writer(sys.stdout), _byte_writer(sys.stderr)
        is_patient = not _is_at_terminal() if wait is None else wait
        with (
            job_runner(
                opened, owner="windrow schedule run", echoes=echoes, on_finished=_announce_retry
            ) as runner,
            _stop_run_on_signals(runner),
        ):
            finished = runner.run_named(name, is_patient=is_patient)
    if finished is None:
        raise WindrowError(
            f"{name} was taken over by another process before it ended",
            hint=f"`windrow schedule show {name}` says who is at it.",
        )
    raise typer.Exit(_exit_code(finished.run))


def _is_at_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _announce_retry(done: FinishedRun) -> None:
    if done.run.retry_at is not None:
        print_hint(
            f"{done.run.job}: tried again at {format_store_time(done.run.retry_at)}; --no-wait ends at once"
        )


def _byte_writer(stream: IO[str]) -> Sink:
    def write(some: bytes) -> None:
        stream.buffer.write(some)  # type: ignore[attr-defined]
        stream.flush()

    return write


@contextmanager
def _stop_run_on_signals(runner: JobRunner) -> Iterator[None]:
    """Ask the run to stop on Ctrl-C or SIGTERM; the second signal exits at once and leaves the run to end."""
    asked: list[int] = []

    def handle(number: int, _frame: object) -> None:
        if asked:
            os._exit(128 + number)
        asked.append(number)
        threading.Thread(
            target=runner.stop
        ).start()  # in a thread, because the interrupted code may hold the lock

    with handle_stop_signals(handle):
        yield


def _exit_code(run: JobRun) -> int:
    """Return the exit code of the command, or the shell's code for the signal that ended it."""
    if run.code is None:
        return 1
    return run.code if run.code >= 0 else 128 - run.code


# The verbs of `windrow schedule`, put together.

schedule_app = typer.Typer(
    help="Have harvests and other commands run at certain times.", no_args_is_help=True
)

schedule_app.command("add", cls=CommandLast)(add)
schedule_app.command("add-template")(add_template)
schedule_app.command("list")(list_)
schedule_app.command("show")(show)
schedule_app.command("edit", cls=CommandLast)(edit)
schedule_app.command("remove")(remove)
schedule_app.command("pause")(pause)
schedule_app.command("resume")(resume)
schedule_app.command("run")(run)
schedule_app.command("next")(next_)
