"""Progress of harvests on stderr: a bar for each source on a terminal, a line at intervals elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from windrow.cli import terminal
from windrow.harvest.options import NullObserver, Observer

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from windrow.model.run import Counters, Problem, Run
    from windrow.net.politeness import Wait

_LINE_SECONDS = 10.0


@contextmanager
def progress_observer(*, is_quiet: bool) -> Iterator[Observer]:
    """Yield an observer: bars on a terminal, lines elsewhere."""
    if is_quiet or terminal.is_quiet():
        yield NullObserver()
    elif not sys.stderr.isatty() or terminal.is_verbose():  # bars and lines do not mix
        yield ProgressLines()
    else:
        with _make_bars() as progress:
            yield ProgressBars(progress)


def _make_bars() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.fields[name]}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[state]}", style="dim"),
        console=Console(stderr=True),
        transient=True,
        refresh_per_second=5,
    )


class ProgressBars(NullObserver):
    """A bar per source: count, total, rate, remaining time and current stage."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}
        self._starts: dict[str, float] = {}
        self._lock = threading.Lock()

    def started(self, source: str, what: str) -> None:
        self._progress.update(self._task(source), state=what)

    def advanced(self, source: str, counters: Counters, expected: int | None) -> None:
        elapsed = max(time.monotonic() - self._starts.get(source, time.monotonic()), 0.001)
        self._progress.update(
            self._task(source),
            completed=counters.seen,
            total=expected,
            speed=f"{counters.seen / elapsed:,.0f}/s",
            state="" if not counters.quarantined else f"{counters.quarantined} quarantined",
        )

    def waiting(self, source: str, wait: Wait) -> None:
        if wait.seconds >= 1:
            self._progress.update(self._task(source), state=f"waiting {wait.seconds:.0f} s: {wait.reason}")

    def ended(self, run: Run) -> None:
        """Remove the bar; the summary follows."""
        self._progress.update(self._task(run.source), visible=False)

    def _task(self, source: str) -> TaskID:
        with self._lock:
            if source not in self._tasks:
                self._tasks[source] = self._progress.add_task("", name=source, total=None, speed="", state="")
                self._starts[source] = time.monotonic()
            return self._tasks[source]


class ProgressLines(NullObserver):
    """Prints a line every ten seconds, for logs."""

    def __init__(self) -> None:
        self._last: dict[str, float] = {}

    def advanced(self, source: str, counters: Counters, expected: int | None) -> None:
        now = time.monotonic()
        if now - self._last.setdefault(source, now) >= _LINE_SECONDS:
            self._last[source] = now
            total = f" of {expected:,}" if expected else ""
            self._say(
                f"{source}: {counters.seen:,}{total} entries, "
                f"{counters.added:,} new, {counters.changed:,} changed"
            )

    def waiting(self, source: str, wait: Wait) -> None:
        if wait.seconds >= 1:
            self._say(f"{source}: waiting {wait.seconds:.0f} s: {wait.reason}")

    def noted(self, source: str, problem: Problem) -> None:
        if problem.weight.value != "note":
            self._say(f"{source}: {problem.message}")

    def _say(self, line: str) -> None:
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
