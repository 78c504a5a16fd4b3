"""`windrow run`: list and show past runs, print the log of a job's run, and watch what is running now."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.invocation import (
    JSON,
    LIMIT,
    job_names,
    list_limit,
    opened_library,
    print_json,
    source_names,
)
from windrow.cli.run_summary import format_duration
from windrow.cli.terminal import (
    OUTCOME_STYLES,
    display_width,
    format_time,
    print_hint,
    print_line,
    print_table,
    printable,
    printable_lines,
    shorten,
    write_json,
)
from windrow.errors import NotFound
from windrow.signals import handle_stop_signals

if TYPE_CHECKING:
    from windrow.model.job_state import JobRun
    from windrow.model.run import Problem, Run
    from windrow.store.overview import Activity, ActivityKey
    from windrow.wiring import Library

# `windrow run log`.

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
    from windrow.schedule.run_logs import read_log

    with opened_library() as opened:
        run = _find_job_run(opened, which)
        text = read_log(opened.folder, run.log)
        if text is None:
            raise NotFound(
                f"the output of run {run.id} of {run.job} is not kept (any more)", hint=_job_run_heading(run)
            )
        if is_json:
            print_json(_log_as_dict(run, opened.folder, _last_lines(text, lines)))
            return
        print_hint(printable(f"Run {run.id} of {run.job}: {_job_run_heading(run)}"))
        _print_log(_last_lines(text, lines))
        if is_following:
            with suppress(KeyboardInterrupt):
                _follow_log(opened, run, text, time.sleep)


def _find_job_run(opened: Library, which: str) -> JobRun:
    from windrow.store import jobs

    with opened.store.reading() as connection:
        newest = None if which.isdigit() else next(iter(jobs.list_runs(connection, which, limit=1)), None)
        run = jobs.get_run(connection, int(which)) if which.isdigit() and len(which) < 19 else newest
    if run is None:
        what = f"run {which} of any job" if which.isdigit() else f"run of a job {which!r}"
        raise NotFound(
            f"there is no {what}",
            hint="`windrow schedule show JOB` lists the runs of a job, `windrow run list` those of sources.",
        )
    return run


def _follow_log(opened: Library, run: JobRun, seen: str, sleep: Callable[[float], None]) -> None:
    """Print what is added to the log until the run has ended, continuing after a middle that was cut out."""
    from windrow.schedule.run_logs import read_log
    from windrow.store import jobs

    while True:
        with opened.store.reading() as connection:
            now = jobs.get_run(connection, run.id)
        text = read_log(opened.folder, run.log) or ""
        _print_log(_appended_text(seen, text))
        seen = text
        if now is None or now.outcome is not None:
            return
        sleep(FOLLOW_SECONDS)


def _appended_text(seen: str, text: str) -> str:
    if text.startswith(seen):
        return text[len(seen) :]
    # The middle was cut out: find the place by the last line that was printed.
    line = seen.rstrip("\n").rpartition("\n")[2]
    at = text.rfind(line) if line else -1
    return text[at + len(line) :].lstrip("\n") if at >= 0 else text


def _last_lines(text: str, lines: int | None) -> str:
    return text if lines is None else "\n".join(text.rstrip("\n").split("\n")[-lines:]) + "\n"


def _print_log(text: str) -> None:
    if text:
        print_line(printable_lines(text), end="")


def _job_run_heading(run: JobRun) -> str:
    return f"{run.outcome.value if run.outcome else 'running'}{f'; {run.summary}' if run.summary else ''}"


def _log_as_dict(run: JobRun, folder: Path, text: str) -> dict[str, Any]:
    return {
        "run": run.id,
        "job": run.job,
        "outcome": run.outcome.value if run.outcome else None,
        "path": str(folder / run.log),
        "text": text,
    }


LINE_SECONDS = 10.0  # between two lines about the same run, off a terminal
_SCREEN = ("\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l")  # alternate screen without cursor, and back


def watch(
    every: Annotated[
        float, typer.Option("--every", min=0.1, max=3600, metavar="SECONDS", help="How often to look.")
    ] = 1.0,
    until_done: Annotated[bool, typer.Option("--until-done", help="End when nothing runs any more.")] = False,
    is_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, a line for each thing that begins, goes on or ends.")
    ] = False,
) -> None:
    """Watch harvests and jobs that run, in whichever process. Ends with Ctrl-C."""
    with opened_library() as opened, _stop_event() as stopped:
        looking = RunMonitor(opened)
        if is_json:
            _watch_until_stopped(looking, stopped, every, _print_event_json, until_done=until_done)
        elif sys.stdout.isatty():
            _show_screen(looking, stopped, every, until_done=until_done)
        else:
            print_hint("Watching; Ctrl-C ends it.")
            _watch_until_stopped(looking, stopped, every, PlainRunReport().print, until_done=until_done)


class RunMonitor:
    """Polls the store for what is running and what has ended since the last look."""

    def __init__(self, opened: Library, *, clock: Callable[[], float] = time.time) -> None:
        self._opened = opened
        self._clock = clock
        self._known: dict[ActivityKey, Activity] = {}
        self._lines: dict[ActivityKey, str] = {}

    def look(self) -> RunSnapshot:
        from windrow.store.overview import list_activities, refresh_activity

        now = self._clock()
        with self._opened.store.reading() as connection:
            found = {work.key: work for work in list_activities(connection, now=now)}
            gone = [
                refresh_activity(connection, work) for key, work in self._known.items() if key not in found
            ]
        lines = {key: self._last_line(work) for key, work in found.items()}
        further = {key for key, line in lines.items() if line != self._lines.get(key, "")}
        before, self._known, self._lines = self._known, found, lines
        return RunSnapshot(now, before, found, gone, lines, further)

    def _last_line(self, work: Activity) -> str:
        from windrow.schedule.run_logs import last_lines

        return "".join(last_lines(self._opened.folder, work.log, 1)) if work.log else ""


class RunSnapshot:
    """The result of one look. `lines` has the last line of each job, `further` the jobs with a new one."""

    def __init__(
        self,
        now: float,
        before: Mapping[ActivityKey, Activity],
        running: Mapping[ActivityKey, Activity],
        ended: list[Activity],
        lines: Mapping[ActivityKey, str],
        further: Set[ActivityKey] = frozenset(),
    ) -> None:
        self.now = now
        self.before = before
        self.running = running
        self.ended = ended
        self.lines = lines
        self.further = further

    def events(self) -> Iterator[tuple[str, Activity]]:
        """Yield the changes: runs that ended, started or progressed."""
        for work in self.ended:
            yield ("progress" if work.is_running else "ended"), work
        for key, work in self.running.items():
            if key not in self.before:
                yield "began", work
            elif work != self.before[key] or key in self.further:
                yield "progress", work


SnapshotReporter = Callable[[str, "Activity", RunSnapshot], None]


def _watch_until_stopped(
    looking: RunMonitor, stopped: Event, every: float, tell: SnapshotReporter, *, until_done: bool
) -> None:
    while True:
        look = looking.look()
        for event, work in look.events():
            tell(event, work, look)
        sys.stdout.flush()
        if (until_done and not look.running) or stopped.wait(every):
            return


def _show_screen(looking: RunMonitor, stopped: Event, every: float, *, until_done: bool) -> None:

    begin, end = _SCREEN
    sys.stdout.write(begin)
    ended: list[Activity] = []
    try:
        while True:
            look = looking.look()
            ended += look.ended
            sys.stdout.write(render_screen(look, ended))
            sys.stdout.flush()
            if (until_done and not look.running) or stopped.wait(every):
                break
    finally:
        sys.stdout.write(end)
        sys.stdout.flush()
    for work in ended:
        print_line(describe_outcome(work))


class PlainRunReport:
    """Prints a line when something starts or ends, and progress at intervals."""

    def __init__(self) -> None:
        self._last: dict[ActivityKey, float] = {}

    def print(self, event: str, work: Activity, look: RunSnapshot) -> None:
        """Print an event, unless the last line about the same run is recent."""
        last = self._last.setdefault(work.key, look.now)
        if event == "began":
            print_line(f"{work_label(work)}: running since {work.since:%H:%M:%S} UTC")
        elif event == "ended":
            print_line(describe_outcome(work))
        elif look.now - last >= LINE_SECONDS:
            self._last[work.key] = look.now
            print_line(
                f"{work_label(work)}: {describe_progress(work) or printable(look.lines.get(work.key, ''))}"
            )


def work_label(work: Activity) -> str:
    return printable(
        f"{work.what} of {work.name}, run {work.number}"
        if work.what
        else f"job {work.name}, run {work.number}"
    )


def describe_progress(work: Activity, *, pace: str = "") -> str:
    """Return the progress of a harvest, its pace and counts; "" for a job."""
    if not work.what:
        return ""
    total = f" of {work.total:,}" if work.total else ""
    named = (
        ("new", work.added),
        ("changed", work.changed),
        ("gone", work.deleted),
        ("bad", work.quarantined),
    )
    counts = [f"{count:,} {word}" for word, count in named if count]
    return ", ".join(filter(None, (f"{work.done:,}{total} entries", pace, *counts)))


def describe_outcome(work: Activity) -> str:
    words = describe_progress(work) or printable(work.words)
    return f"{work_label(work)}: {work.outcome}{f'; {words}' if words else ''}"


def _print_event_json(event: str, work: Activity, look: RunSnapshot) -> None:
    shown: dict[str, Any] = {
        "event": event,
        "kind": work.kind,
        "run": work.number,
        "name": work.name,
        "what": work.what or None,
        "since": work.since.isoformat(timespec="seconds"),
        "outcome": work.outcome,
        "done": work.done,
        "total": work.total,
        "added": work.added,
        "changed": work.changed,
        "deleted": work.deleted,
        "quarantined": work.quarantined,
        "words": work.words or look.lines.get(work.key, ""),
    }
    write_json(shown)


@contextmanager
def _stop_event() -> Iterator[Event]:
    """Yield an event that Ctrl-C and SIGTERM set: both end the watching normally."""
    stopped = Event()
    with handle_stop_signals(lambda *_: stopped.set()):
        yield stopped


# `windrow run list` and `windrow run show`.

run_app = typer.Typer(
    help="Show what was done, when, and how it went; watch what is under way.", no_args_is_help=True
)
run_app.command("watch")(watch)
run_app.command("log")(log)
RUNS_SHOWN = 20
_MARKS = {"note": "·", "problem": "!", "fatal": "✗"}


@run_app.command("list")
def list_runs(
    source: Annotated[
        str | None,
        typer.Option(
            "--source", "-s", metavar="NAME", help="Only of this source.", autocompletion=source_names
        ),
    ] = None,
    limit: Annotated[int | None, LIMIT] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """List runs, newest first."""
    from windrow.store import runs
    from windrow.store.overview import outcome_word

    with opened_library() as opened:
        if source is not None:
            opened.source(source)
        most = list_limit(limit, shown=RUNS_SHOWN, is_json=is_json)
        with opened.store.reading() as connection:
            found = [
                (run, outcome_word(connection, run))
                for run in runs.latest(connection, source=source, limit=most + 1)
            ]
    is_more, found = len(found) > most, found[:most]
    if is_json:
        print_json([run_with_state_as_dict(run, state) for run, state in found])
    elif not found:
        print_line(
            "Nothing has been harvested yet." if source is None else f"{source} has not been harvested yet."
        )
        print_hint(f"Next: windrow harvest {source or ''}".rstrip())
    else:
        _print_runs(found)
        if is_more:
            print_hint(f"There are more: --limit {2 * most}")


def _print_runs(found: list[tuple[Run, str]]) -> None:
    rows = [
        (
            str(run.id),
            run.source,
            run.kind,
            f"{run.started:%Y-%m-%d %H:%M}",
            _run_duration(run),
            state,
            *(f"{count:,}" for count in (run.counters.added, run.counters.changed, run.counters.deleted)),
            f"{run.counters.quarantined:,}",
        )
        for run, state in found
    ]
    headers = ("run", "source", "kind", "started (UTC)", "took", "outcome", "new", "changed", "gone", "bad")
    print_table(headers, rows, right="r   r rrrr", styles=[_row_style(state) for _, state in found])


def _row_style(state: str) -> str:
    return "" if state == "ok" else OUTCOME_STYLES.get(state, "")


@run_app.command("show")
def show_run(
    number: Annotated[int, typer.Argument(metavar="RUN", help="The run's number.")],
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Show one run: its numbers, its arguments, everything that went wrong and the pages kept."""
    from windrow.store.overview import outcome_word

    with opened_library() as opened, opened.store.reading() as connection:
        run = find_run(connection, number)
        state = outcome_word(connection, run)
        folder = opened.folder
    if is_json:
        print_json(run_with_state_as_dict(run, state))
        return
    print_line(f"Run {run.id}: {run.kind} of {run.source}: ", end="")
    print_line(state, style=OUTCOME_STYLES.get(state, ""))
    ended = f", ended {format_time(run.ended)} after {_run_duration(run)}" if run.ended else ""
    print_line(f"  started {format_time(run.started)}{ended}")
    if state == "killed":
        print_line("  Its process is gone without a word; what it had stored stays.")
    if run.arguments:
        said = ", ".join(f"{name.removeprefix('is_')}: {value}" for name, value in run.arguments.items())
        print_line(f"  asked for: {printable(said)}")
    _show_counters(run)
    _show_problems(run.problems, str(folder))
    print_hint(_next_step(run, state))


def find_run(connection: Any, number: int) -> Run:
    """Return a run; the error lists the available numbers."""
    from windrow.store import runs

    run = runs.get(connection, number)
    if run is None:
        newest = runs.latest(connection, limit=1)
        known = (
            f"The newest is {newest[0].id}; `windrow run list` lists them."
            if newest
            else "There is none yet."
        )
        raise NotFound(f"there is no run {number}", hint=known)
    return run


def run_with_state_as_dict(run: Run, state: str) -> dict[str, Any]:
    from windrow.cli.run_summary import run_as_dict

    return run_as_dict(run) | {"state": state}


def _show_counters(run: Run) -> None:
    from windrow.cli.run_summary import format_size

    counters = run.counters.as_dict()
    words = {"seen": "entries", "bytes": "received", "quarantined": "quarantined"}
    claimed = f" of {run.claimed:,} promised" if run.claimed is not None else ""
    for name, count in counters.items():
        if count:
            value = (
                format_size(count) if name == "bytes" else f"{count:,}" + (claimed if name == "seen" else "")
            )
            print_line(f"  {words.get(name, name):<12} {value}")


def _show_problems(problems: tuple[Problem, ...], folder: str) -> None:
    for problem in problems:
        style = {"fatal": "bad", "problem": "warn"}.get(problem.weight.value, "")
        print_line(f"  {_MARKS[problem.weight.value]} ", style=style, end="")
        print_line(f"{problem.code}: {printable(problem.message)}")
        if problem.url:
            print_line(f"      asked: {printable(problem.url)}", style="dim")
        if problem.kept:
            print_line(f"      the page as it came: {folder}/{problem.kept}", style="dim")


def _next_step(run: Run, state: str) -> str:
    if run.counters.quarantined:
        return f"The bad records: windrow quarantine list {run.source}"
    if state in ("killed", "interrupted", "failed") and run.kind == "harvest":
        return f"Go on from the last page stored: windrow harvest {run.source}"
    return f"What it changed: windrow diff {run.id}"


def _run_duration(run: Run) -> str:
    from windrow.cli.run_summary import format_duration

    return format_duration((run.ended - run.started).total_seconds()) if run.ended else ""


# The screen of `windrow run watch`: drawn again at every look, like `top`.

CURSOR_HOME, CLEAR_LINE_END, CLEAR_TO_END = "\x1b[H", "\x1b[K", "\x1b[J"
SCREEN_BAR_WIDTH = 12
SCREEN_NAME_WIDTH = 22
ENDED_SHOWN = 10


def render_screen(look: RunSnapshot, ended: Sequence[Activity]) -> str:
    """Return the screen, written over the previous one without flicker and cut to the terminal's size."""
    columns, rows = shutil.get_terminal_size()
    lines = [shorten(line, columns) for line in _screen_lines(look, ended)][: max(1, rows - 1)]
    return CURSOR_HOME + "".join(f"{line}{CLEAR_LINE_END}\r\n" for line in lines) + CLEAR_TO_END


def _screen_lines(look: RunSnapshot, ended: Sequence[Activity]) -> Iterator[str]:
    count = len(look.running)
    now = datetime.fromtimestamp(look.now, UTC)
    yield f"{now:%Y-%m-%d %H:%M:%S} UTC   {count or 'nothing'} running   Ctrl-C ends"
    yield ""
    for work in look.running.values():
        yield _screen_line(work, look)
    if ended:
        yield from ("", "ended:")
        yield from (_outcome_cell(work) for work in list(ended)[: -ENDED_SHOWN - 1 : -1])


def _screen_line(work: Activity, look: RunSnapshot) -> str:
    spent = max(0.0, look.now - work.since.timestamp())
    words = describe_progress(work, pace=_rate_cell(work, spent)) or look.lines.get(work.key, "")
    return f"{_name_cell(work)} {_bar_cell(work)} {format_duration(spent):>10}  {printable(words)}"


def _outcome_cell(work: Activity) -> str:
    words = printable(describe_progress(work) or work.words)
    return f"{_name_cell(work)} {work.outcome:<{SCREEN_BAR_WIDTH}} {words}"


def _name_cell(work: Activity) -> str:
    name = shorten(printable(f"{work.name} {work.what or 'job'} {work.number}"), SCREEN_NAME_WIDTH)
    return name + " " * (SCREEN_NAME_WIDTH - display_width(name))


def _bar_cell(work: Activity) -> str:
    """Return a progress bar; dots if the total is unknown."""
    if not work.total:
        return "·" * SCREEN_BAR_WIDTH
    full = min(SCREEN_BAR_WIDTH, round(SCREEN_BAR_WIDTH * work.done / work.total))
    return "━" * full + "─" * (SCREEN_BAR_WIDTH - full)


def _rate_cell(work: Activity, spent: float) -> str:
    if not work.done or not spent:
        return ""
    speed = work.done / spent
    missing = (work.total or 0) - work.done
    left = f", {format_duration(missing / speed)} left" if missing > 0 else ""
    return f"{speed:,.0f}/s{left}"
