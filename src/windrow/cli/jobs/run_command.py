"""`windrow run watch`: what is being done at this moment, by whichever process, for as long as one looks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.signals import on_stop
from windrow.cli.state import library
from windrow.cli.terminal import hint, print_json, printable, say

if TYPE_CHECKING:
    from windrow.store.under_way import Key, Work
    from windrow.wiring import Library

LINE_SECONDS = 10.0  # between two lines on the same thing, off a terminal
_SCREEN = ("\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l")  # a screen of our own without a cursor, and back


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
    with library() as opened, _until_stopped() as stopped:
        looking = Looking(opened)
        if is_json:
            _follow(looking, stopped, every, _print_json, until_done=until_done)
        elif sys.stdout.isatty():
            _show_screen(looking, stopped, every, until_done=until_done)
        else:
            hint("Watching; Ctrl-C ends it.")
            _follow(looking, stopped, every, Lines().print, until_done=until_done)


class Looking:
    """Looks at the store again and again; gives what runs, and what ended since the last look."""

    def __init__(self, opened: Library, *, clock: Callable[[], float] = time.time) -> None:
        self._opened = opened
        self._clock = clock
        self._known: dict[Key, Work] = {}
        self._lines: dict[Key, str] = {}

    def look(self) -> Look:
        """Look once."""
        from windrow.store.under_way import look_again, under_way

        now = self._clock()
        with self._opened.store.reading() as connection:
            found = {work.key: work for work in under_way(connection, now=now)}
            gone = [look_again(connection, work) for key, work in self._known.items() if key not in found]
        lines = {key: self._last_line(work) for key, work in found.items()}
        further = {key for key, line in lines.items() if line != self._lines.get(key, "")}
        before, self._known, self._lines = self._known, found, lines
        return Look(now, before, found, gone, lines, further)

    def _last_line(self, work: Work) -> str:
        from windrow.schedule.logs import last_lines

        return "".join(last_lines(self._opened.folder, work.log, 1)) if work.log else ""


class Look:
    """What one look found. `lines` have the last line that each job printed, `further` who has a new one."""

    def __init__(
        self,
        now: float,
        before: Mapping[Key, Work],
        running: Mapping[Key, Work],
        ended: list[Work],
        lines: Mapping[Key, str],
        further: Set[Key] = frozenset(),
    ) -> None:
        self.now = now
        self.before = before
        self.running = running
        self.ended = ended
        self.lines = lines
        self.further = further

    def events(self) -> Iterator[tuple[str, Work]]:
        """Give what is new: what ended, what began, what got further."""
        for work in self.ended:
            yield ("progress" if work.is_running else "ended"), work
        for key, work in self.running.items():
            if key not in self.before:
                yield "began", work
            elif work != self.before[key] or key in self.further:
                yield "progress", work


Tell = Callable[[str, "Work", Look], None]


def _follow(looking: Looking, stopped: Event, every: float, tell: Tell, *, until_done: bool) -> None:
    while True:
        look = looking.look()
        for event, work in look.events():
            tell(event, work, look)
        sys.stdout.flush()
        if (until_done and not look.running) or stopped.wait(every):
            return


def _show_screen(looking: Looking, stopped: Event, every: float, *, until_done: bool) -> None:
    from windrow.cli.run_screen import draw

    begin, end = _SCREEN
    sys.stdout.write(begin)
    ended: list[Work] = []
    try:
        while True:
            look = looking.look()
            ended += look.ended
            sys.stdout.write(draw(look, ended))
            sys.stdout.flush()
            if (until_done and not look.running) or stopped.wait(every):
                break
    finally:
        sys.stdout.write(end)
        sys.stdout.flush()
    for work in ended:
        say(_ended(work))


class Lines:
    """A line when something begins or ends, and now and then on how far it is."""

    def __init__(self) -> None:
        self._last: dict[Key, float] = {}

    def print(self, event: str, work: Work, look: Look) -> None:
        """Print what is new, unless the last line on the same thing is fresh."""
        last = self._last.setdefault(work.key, look.now)
        if event == "began":
            say(f"{label(work)}: running since {work.since:%H:%M:%S} UTC")
        elif event == "ended":
            say(_ended(work))
        elif look.now - last >= LINE_SECONDS:
            self._last[work.key] = look.now
            say(f"{label(work)}: {amounts(work) or printable(look.lines.get(work.key, ''))}")


def label(work: Work) -> str:
    """Name what is being done."""
    return printable(
        f"{work.what} of {work.name}, run {work.number}"
        if work.what
        else f"job {work.name}, run {work.number}"
    )


def amounts(work: Work, *, pace: str = "") -> str:
    """Say how far a harvest is, at which pace, and what came of it; nothing of a job."""
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


def _ended(work: Work) -> str:
    words = amounts(work) or printable(work.words)
    return f"{label(work)}: {work.outcome}{f'; {words}' if words else ''}"


def _print_json(event: str, work: Work, look: Look) -> None:
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
    print_json(shown)


@contextmanager
def _until_stopped() -> Iterator[Event]:
    """Give what Ctrl-C and SIGTERM set: both are the ordinary end of looking."""
    stopped = Event()
    with on_stop(lambda *_: stopped.set()):
        yield stopped
