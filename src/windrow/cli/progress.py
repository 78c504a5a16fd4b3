"""Progress of long commands on stderr, shown once they have taken two seconds."""

from __future__ import annotations

import sys
import time

from windrow.cli import terminal

FIRST_SHOWN_SECONDS = 2.0
_REDRAW_SECONDS = 0.2
_LINE_SECONDS = 10.0  # between two lines where stderr is no terminal
_BAR = 24


class Ticker:
    """Counts towards a total. Cheap to call: most calls only look at the clock."""

    def __init__(self, what: str, *, is_quiet: bool = False) -> None:
        self._what = what
        self._is_quiet = is_quiet or terminal.is_quiet()
        self._is_terminal = sys.stderr.isatty()
        self._start = time.monotonic()
        self._due = self._start + FIRST_SHOWN_SECONDS
        self._is_shown = False

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now < self._due or self._is_quiet:
            return
        self._due = now + (_REDRAW_SECONDS if self._is_terminal else _LINE_SECONDS)
        speed = done / max(now - self._start, 0.001)
        left = f", {(total - done) / speed:,.0f} s left" if speed and total > done else ""
        words = f"{self._what}: {done:,} of {total:,} ({speed:,.0f}/s{left})"
        if self._is_terminal:
            full = round(_BAR * done / total) if total else 0
            sys.stderr.write(f"\r\x1b[K{'━' * full}{'─' * (_BAR - full)} {words}")
            self._is_shown = True
        else:
            sys.stderr.write(words + "\n")
        sys.stderr.flush()

    def clear(self) -> None:
        if self._is_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._is_shown = False


class StageTicker:
    """Counts stages without a known total. Use it as a context manager."""

    def __init__(self, *, is_quiet: bool = False) -> None:
        self._is_quiet = is_quiet or terminal.is_quiet()
        self._is_terminal = sys.stderr.isatty()
        self._due = time.monotonic() + FIRST_SHOWN_SECONDS
        self._is_shown = False

    def __call__(self, what: str, done: int) -> None:
        now = time.monotonic()
        if now < self._due or self._is_quiet:
            return
        self._due = now + (_REDRAW_SECONDS if self._is_terminal else _LINE_SECONDS)
        words = f"{done:,} {what}"
        sys.stderr.write(f"\r\x1b[K{words}" if self._is_terminal else f"{words}\n")
        self._is_shown = self._is_terminal
        sys.stderr.flush()

    def __enter__(self) -> StageTicker:
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._is_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
