"""`windrow worker` runs jobs when they are due; `windrow notify test` tries out the notifications."""

from __future__ import annotations

import logging
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.cli.invocation import JSON, opened_library, print_json
from windrow.cli.terminal import OUTCOME_STYLES, format_time, plural, print_hint, print_line, printable
from windrow.config.settings_reference import help_text
from windrow.errors import UsageError
from windrow.signals import handle_stop_signals

if TYPE_CHECKING:
    from windrow.schedule.job_claims import FinishedRun
    from windrow.schedule.job_runner import JobRunner
    from windrow.wiring import Library


def add_worker(app: typer.Typer) -> None:
    app.command("worker", short_help="Run jobs when they are due.")(worker)


def worker(
    once: Annotated[
        bool, typer.Option("--once", help="Run what is due by now, and end when that is done.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="N", min=1, help=help_text("schedule.jobs"))
    ] = None,
    is_json: Annotated[
        bool, typer.Option("--json", help="Print a line of JSON for each run that ends, for programs.")
    ] = False,
) -> None:
    """Run the jobs of the library when they are due, until Ctrl-C or SIGTERM.

    `windrow serve` does it as well unless [schedule] in_serve is false. Any number of both may run on one
    library: each job is run by one of them.

    Exit codes: 0 stopped, or with --once all good; with --once 1 if a run failed, 3 if one was partial;
    130 after Ctrl-C.
    """
    from windrow.wiring.scheduling import job_runner

    ended: list[FinishedRun] = []

    def tell(done: FinishedRun) -> None:
        ended.append(done)
        if not once:
            ended.clear()  # a worker may run for a year: do not collect runs without end
        _print_run(done, is_json=is_json)

    with opened_library() as opened:
        opened.store.check_writable()  # a worker that cannot record its runs would repeat them endlessly
        with (
            _enable_logging(),
            job_runner(opened, owner="windrow worker", most=jobs, on_finished=tell) as runner,
            _stopping_on_signals(runner) as signals,
        ):
            if once:
                runner.run_all_due()
            else:
                _announce_worker(opened)
                runner.run()
    if signal.SIGINT in signals:
        raise typer.Exit(130)
    raise typer.Exit(_exit_code(ended) if once else 0)


def _announce_worker(opened: Library) -> None:
    count = plural(len(opened.config.jobs), "job")
    typer.echo(f"Running the jobs of {opened.config.library.name or opened.folder.name}: {count}", err=True)
    print_hint("Press Ctrl-C to stop.")


def _print_run(done: FinishedRun, *, is_json: bool) -> None:
    run = done.run
    if is_json:
        from windrow.cli.jobs.job_view import run_as_dict

        print_json(run_as_dict(run))
        sys.stdout.flush()
        return
    outcome = str(run.outcome)
    when = format_store_time(run.ended)
    print_line(f"{when}  {run.job}  ", end="")
    print_line(outcome, style=OUTCOME_STYLES.get(outcome, ""), end="")
    print_line(f"  {printable(run.summary)}".rstrip())
    if run.retry_at is not None:
        print_hint(f"  tried again at {format_store_time(run.retry_at)}")


def format_store_time(seconds: float | None) -> str:
    from datetime import UTC, datetime

    return format_time(None if seconds is None else datetime.fromtimestamp(seconds, UTC))


def _exit_code(ended: list[FinishedRun]) -> int:
    outcomes = {str(done.run.outcome) for done in ended}
    return 1 if "failed" in outcomes else 3 if "partial" in outcomes else 0


@contextmanager
def _stopping_on_signals(runner: JobRunner) -> Iterator[list[int]]:
    """Stop the runner on Ctrl-C or SIGTERM; yield the list that collects the signals."""
    came: list[int] = []

    def handle(number: int, _frame: object) -> None:
        came.append(number)
        threading.Thread(
            target=runner.stop
        ).start()  # in a thread, because the interrupted code may hold the lock

    with handle_stop_signals(handle):
        yield came


@contextmanager
def _enable_logging() -> Iterator[None]:
    """Log the runner's warnings to stderr; finished runs are printed separately."""
    log, handler = logging.getLogger("windrow.schedule"), logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    handler.addFilter(lambda record: record.levelno >= logging.ERROR)
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)


# `windrow notify`.

notify_app = typer.Typer(
    help="Test the ways by which people are notified of how jobs went.", no_args_is_help=True
)


@notify_app.callback()
def keep_notify_group() -> None:
    """Keep the verb: a group with a single command would lose it."""


@notify_app.command("test")
def send_test(is_json: Annotated[bool, JSON] = False) -> None:
    """Send a message by every way that [notify] names: mail, webhook, command.

    Exit codes: 0 all arrived, 1 one did not.
    """
    from windrow.wiring.scheduling import make_notifier

    with opened_library() as opened:
        tried = make_notifier(opened).try_out()
    if not tried:
        raise UsageError(
            "there is nobody to tell", hint="Set mail_to and smtp_host, webhook or command in [notify]."
        )
    if is_json:
        print_json(
            {way: {"arrived": not problem, "problem": problem or None} for way, problem in tried.items()}
        )
    else:
        for way, problem in tried.items():
            print_line(f"{way}: ", end="")
            print_line(printable(problem) or "sent", style="bad" if problem else "good")
    raise typer.Exit(int(any(tried.values())))
