"""What every command shares: which library, where to print, how to end."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from windrow.cli import terminal
from windrow.cli.signals import on_stop
from windrow.cli.terminal import hide, redact_error, scold
from windrow.errors import WindrowError

if TYPE_CHECKING:
    from windrow.harvest.stopping import Stopper
    from windrow.wiring import Library

JSON = typer.Option("--json", help="Print JSON, for programs.")
# Of commands that print lists: programs get everything unless they ask for less.
LIMIT = typer.Option(
    "--limit", "-n", min=1, metavar="N", help="At most so many. [default: a screenful; with --json all]"
)
EVERYTHING = 1 << 62  # a limit that no list reaches; both databases take it
_named: dict[str, str | None] = {"library": None}


def name_library(folder: str | None) -> None:
    """Remember what --library said."""
    _named["library"] = folder


def named_library() -> str | None:
    """Give what --library said."""
    return _named["library"]


@contextmanager
def library(flags: Mapping[str, object] | None = None) -> Iterator[Library]:
    """Open the library at hand for one command."""
    from windrow.wiring import open_library

    opened = open_library(_named["library"], flags=flags)
    hide(opened.mask)
    try:
        yield opened
    finally:
        opened.close()


def print_json(value: Any) -> None:
    """Print a value as JSON on stdout."""
    terminal.print_json(value, indent=2 if sys.stdout.isatty() else None)


def most_listed(limit: int | None, *, shown: int, is_json: bool) -> int:
    """Return how long a list may be: as was asked for, else whole for programs and short for people."""
    return limit or (EVERYTHING if is_json else shown)


def complain(exc: WindrowError, *, is_json: bool = False) -> int:
    """Say what went wrong and what to do; give the exit code."""
    if is_json:
        message, hint = redact_error(str(exc)), redact_error(exc.hint)
        print_json({"error": type(exc).__name__, "message": message, "hint": hint})
    scold(str(exc), exc.hint)
    return exc.exit_code


@contextmanager
def stopping_on_signals() -> Iterator[Stopper]:
    """Ctrl-C and SIGTERM ask for a clean stop; a second one stops at once."""
    from windrow.harvest.stopping import Stopper

    stopper = Stopper()

    def handle(number: int, _frame: object) -> None:
        if stopper.is_stopping:
            os._exit(128 + number)
        stopper.stop()
        os.write(2, b"\nStopping at the next safe place; press Ctrl-C again to stop at once.\n")

    with on_stop(handle):
        yield stopper
