"""What all commands share: opening the library, printing JSON, handling signals, completing names."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from windrow.cli import terminal
from windrow.cli.terminal import add_mask, format_iso_time, plural, print_error, print_hint, redact_error
from windrow.errors import UsageError, WindrowError
from windrow.signals import handle_stop_signals

if TYPE_CHECKING:
    from windrow.harvest.options import Stopper
    from windrow.wiring import Library

JSON = typer.Option("--json", help="Print JSON, for programs.")
# For commands that print lists: with `--json` the list is complete unless limited.
LIMIT = typer.Option(
    "--limit", "-n", min=1, metavar="N", help="At most so many. [default: a screenful; with --json all]"
)
EVERYTHING = 1 << 62  # larger than any list, and valid as LIMIT in both databases
_library_option: dict[str, str | None] = {"library": None}


def set_library_folder(folder: str | None) -> None:
    _library_option["library"] = folder


def named_library_folder() -> str | None:
    return _library_option["library"]


@contextmanager
def opened_library(flags: Mapping[str, object] | None = None) -> Iterator[Library]:
    from windrow.wiring import open_library

    opened = open_library(_library_option["library"], flags=flags)
    add_mask(opened.mask)
    try:
        yield opened
    finally:
        opened.close()


def print_json(value: Any) -> None:
    terminal.write_json(value, indent=2 if sys.stdout.isatty() else None)


def list_limit(limit: int | None, *, shown: int, is_json: bool) -> int:
    """Return the maximum length of a list: `limit`, or without one `shown` for people, unlimited for JSON."""
    return limit or (EVERYTHING if is_json else shown)


def report_error(exc: WindrowError, *, is_json: bool = False) -> int:
    """Report an error and what to do about it. Return the exit code."""
    if is_json:
        message, hint = redact_error(str(exc)), redact_error(exc.hint)
        print_json({"error": type(exc).__name__, "message": message, "hint": hint})
    print_error(str(exc), exc.hint)
    return exc.exit_code


@contextmanager
def stopping_on_signals() -> Iterator[Stopper]:
    """Ask for a clean stop on Ctrl-C or SIGTERM; the second signal stops at once."""
    from windrow.harvest.options import Stopper

    stopper = Stopper()

    def handle(number: int, _frame: object) -> None:
        if stopper.is_stopping:
            os._exit(128 + number)
        stopper.stop()
        os.write(2, b"\nStopping at the next safe place; press Ctrl-C again to stop at once.\n")

    with handle_stop_signals(handle):
        yield stopper


# Shell completion of names. It never fails: without a readable library it offers nothing.


def source_names(ctx: typer.Context, incomplete: str) -> list[str]:
    return _names(ctx, "sources", incomplete)


def job_names(ctx: typer.Context, incomplete: str) -> list[str]:
    return _names(ctx, "jobs", incomplete)


def vocabulary_names(ctx: typer.Context, incomplete: str) -> list[str]:
    with suppress(Exception):  # a broken library must not break the prompt
        from windrow.config.loader import find_library
        from windrow.store.store import open_store
        from windrow.store.vocabulary import concepts

        store = open_store(find_library(ctx.find_root().params.get("library_"), os.environ, Path.cwd()))
        with store.reading() as connection:
            return [
                each.name
                for each in concepts.list_vocabularies(connection)
                if each.name.startswith(incomplete)
            ]
    return []


def _names(ctx: typer.Context, tables: str, incomplete: str) -> list[str]:
    with suppress(Exception):  # a broken library must not break the prompt
        from windrow.config.loader import find_library, load

        named = ctx.find_root().params.get("library_")
        config = load(find_library(named, os.environ, Path.cwd()), environ=os.environ)
        return [name for name in sorted(getattr(config, tables)) if name.startswith(incomplete)]
    return []


def require_index(opened: Library, *, purpose: str) -> None:
    """Check that there is a readable index; note on stderr if it lacks recent changes."""
    from windrow.index.feeder import LET_GO, changes_behind
    from windrow.index.tantivy.live_index import NONE

    opened.index.check()
    found = opened.generations.current_state()
    if found is None:
        raise UsageError(f"there is no index to {purpose} yet", hint="Make it: windrow index")
    if opened.index.generation == NONE:
        raise UsageError("another version of Windrow made the index", hint="Rebuild it: windrow index")
    behind = changes_behind(opened.store, found[1].cursor)
    held = opened.generations.hold()
    if held is not None:
        since = format_iso_time(held.since)
        print_hint(f"{found[0]} is held since {since}, behind by {plural(behind, 'change')}. {LET_GO}")
    elif behind:
        print_hint(f"{plural(behind, 'change')} of the library are not indexed yet: windrow index")
