"""`windrow harvest` fetches what is new; `windrow refresh` asks again for stale records."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.invocation import (
    JSON,
    opened_library,
    print_json,
    report_error,
    source_names,
    stopping_on_signals,
)
from windrow.cli.sources.source_check import StepDisplay
from windrow.cli.terminal import print_hint, print_line, printable
from windrow.errors import UsageError, WindrowError

if TYPE_CHECKING:
    from windrow.harvest.options import HarvestOptions, Observer, Stopper
    from windrow.model.run import Run
    from windrow.wiring import Library

# `windrow harvest --dry-run`: what a harvest would do. Nothing is stored.


def preview(library: Library, names: Sequence[str], options: HarvestOptions, *, is_json: bool) -> int:
    """Show what each source would bring. Return the exit code."""
    from windrow.wiring.source_kinds import kind_for, refuse_meaningless

    steps = StepDisplay(is_quiet=is_json)
    values: list[Any] = []
    has_problem = False
    for name in names:
        settings = library.source(name)
        refuse_meaningless(settings, options)
        for found in kind_for(settings).preview(library, settings, options, steps):
            values.append(found.values)
            has_problem |= found.has_problem
            for line in () if is_json else found.lines:
                print_line(printable(line.words), style=line.style)
    if is_json:
        print_json(values)
    else:
        print_line("Nothing was stored.", style="dim")
    return 1 if has_problem else 0


# Memory is kept between the pages of a harvest. A page of a list takes some megabytes, and the next one as
# much. By default glibc returns such blocks to the system at once, and the kernel has to clear the new
# ones. Only for commands that end when their work is done.

# Parameters of glibc's `mallopt`; see malloc.h.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
KEPT_BYTES = 256 * 1024 * 1024  # free bytes at the end of the heap before it shrinks
LARGE_BYTES = 32 * 1024 * 1024  # larger blocks are returned at once; the maximum that glibc accepts


def keep_freed_memory() -> None:
    """Keep freed memory in this process. Without effect if the C library is not glibc."""
    if sys.platform != "linux":
        return
    with suppress(ImportError, OSError, AttributeError):
        from ctypes import CDLL

        library = CDLL(None)
        library.mallopt(_MMAP_THRESHOLD, LARGE_BYTES)
        library.mallopt(_TRIM_THRESHOLD, KEPT_BYTES)


def add_harvest(app: typer.Typer) -> None:
    app.command("harvest", short_help="Bring in what is new since the last harvest.")(harvest)


def harvest(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Sources; none: all enabled.", autocompletion=source_names),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Start from the beginning, not from the last harvest.")
    ] = False,
    since: Annotated[
        str | None, typer.Option("--from", metavar="DATE", help="Only what changed since.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="DATE", help="Only what changed up to.")
    ] = None,
    sets: Annotated[
        list[str] | None, typer.Option("--set", metavar="SPEC", help="Only this set; repeatable.")
    ] = None,
    formats: Annotated[
        list[str] | None, typer.Option("--format", metavar="PREFIX", help="Only this format; repeatable.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, metavar="N", help="At most so many records of each list.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, max=64, metavar="N", help="Sources at the same time.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Ask what there is; store nothing.")] = False,
    one_by_one: Annotated[
        bool, typer.Option("--one-by-one", help="Fetch identifiers first, then each record by itself.")
    ] = False,
    reconcile: Annotated[
        bool, typer.Option("--reconcile", help="Mark as deleted what the repository no longer lists.")
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare what arrived with ListIdentifiers; fetch what lacks.")
    ] = False,
    ignore_retry_after: Annotated[
        bool, typer.Option("--ignore-retry-after", help="Ask now, even if the source asked us to wait.")
    ] = False,
    no_index: Annotated[
        bool, typer.Option("--no-index", help="Leave the index as it is; `windrow index` follows later.")
    ] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Bring in what is new since the last harvest; go on where a stopped one was.

    Exit codes: 0 all good, 1 failed, 3 partial, 75 try later, 130 interrupted.
    """
    from windrow.harvest.many_sources import harvest_many
    from windrow.harvest.options import HarvestOptions
    from windrow.wiring import harvesting

    options = HarvestOptions(
        is_full=full,
        since=_date(since, "--from"),
        until=_date(until, "--until"),
        sets=tuple(sets or ()),
        formats=tuple(formats or ()),
        limit=limit,
        is_dry=dry_run,
        is_one_by_one=one_by_one,
        is_reconciling=reconcile,
        is_verifying=verify,
    )
    with opened_library() as opened, stopping_on_signals() as stopper:
        chosen = list(dict.fromkeys(names or ())) or [
            name for name, settings in opened.config.sources.items() if settings.enabled
        ]
        if not chosen:
            raise UsageError("there is nothing to harvest", hint="Add a source: windrow source add NAME URL")
        for name in chosen:
            opened.source(name)
        if dry_run:
            raise typer.Exit(preview(opened, chosen, options, is_json=is_json))
        from windrow.cli.harvest_progress import progress_observer

        harvesting.register_sources(opened, chosen)  # the library is opened once here, not in each thread
        keep_freed_memory()
        _reduce_interruptions()
        with progress_observer(is_quiet=is_json) as observer:
            results = harvest_many(
                chosen,
                lambda name: harvesting.harvest(
                    opened,
                    name,
                    options,
                    observer=observer,
                    stopper=stopper,
                    ignore_retry_after=ignore_retry_after,
                ),
                jobs=jobs or opened.config.harvest.jobs,
                stopper=stopper,
            )
        if not no_index:
            follow_index(opened, stopper, is_quiet=is_json)
    raise typer.Exit(report_runs(results, is_json=is_json))


def follow_index(opened: Library, stopper: Stopper, *, is_quiet: bool) -> None:
    """Update the index if there is one: a library that is only harvested has no cost for searching.

    If the library is being served, the update is left to the serving process.
    """
    if opened.store.is_read_only or opened.generations.current() is None or stopper.is_stopping:
        return
    from windrow.cli.progress import Ticker
    from windrow.store.published import list_pages
    from windrow.wiring import indexing

    ticker = Ticker("indexed", is_quiet=is_quiet)
    try:
        done = indexing.follow_index(
            opened, owner="windrow harvest", is_waiting=False, on_progress=ticker, stopper=stopper
        )
        if done.is_held and not is_quiet:
            print_hint("The index is held at an older generation: windrow collection activate lets go of it.")
        list_pages.update_list_pages(opened.store, heed=stopper.check)
    except WindrowError as exc:  # an index error does not change the outcome of the harvest
        print_hint(f"The index is not up to date: {exc}. `windrow index` goes on with it.", is_problem=True)
    finally:
        ticker.clear()


def _date(text: str | None, flag: str) -> str | None:
    from windrow.model.record import parse_datestamp

    if text is not None and parse_datestamp(text) is None:
        raise UsageError(
            f"{flag} {text!r} is not a date", hint="Write it as 2024-05-31 or 2024-05-31T12:00:00Z."
        )
    return text


def report_runs(results: dict[str, Run | WindrowError], *, is_json: bool) -> int:
    """Print the outcomes. Return the worst exit code."""
    from windrow.cli.run_summary import run_as_dict, show_run, show_total
    from windrow.model.run import EXIT_CODES, Run

    codes = []
    if is_json:
        print_json(
            [
                run_as_dict(result)
                if isinstance(result, Run)
                else {"source": name, "outcome": "skipped", "error": str(result), "hint": result.hint}
                for name, result in results.items()
            ]
        )
    for name, result in results.items():
        if isinstance(result, Run):
            if not is_json:
                show_run(result)
            codes.append(EXIT_CODES[result.outcome] if result.outcome else 1)
        else:
            if not is_json:
                print_hint(f"{name}:")
                report_error(result)
            codes.append(result.exit_code)
    if len(results) > 1 and not is_json:
        show_total(results.values())
    return _worst_exit_code(codes)


def _worst_exit_code(codes: list[int]) -> int:
    """Return one of several exit codes: interrupted, failed, partial, try later, ok, in this order."""
    return next((code for code in (130, 1, 2, 3, 75) if code in codes), 0)


def _reduce_interruptions() -> None:
    """Make thread switches and garbage collections rare.

    Pages create many objects without cycles, and the threads that fetch and store yield whenever they wait.
    """
    import gc
    import sys

    gc.freeze()
    gc.set_threshold(100_000, 20, 50)
    sys.setswitchinterval(0.05)


# `windrow refresh`: asks again for stale records that were viewed.


def add_refresh(app: typer.Typer) -> None:
    app.command("refresh", short_help="Ask again for stale records that somebody looked at.")(refresh)


def refresh(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Sources; none: all enabled.", autocompletion=source_names),
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Ask again for the stale records that somebody looked at; `windrow serve` does it by itself.

    Which records are stale is set by a source's `refresh_after`.

    Exit codes: 0 all good or nothing to do, 1 failed, 3 partial, 75 try later, 130 interrupted.
    """
    from windrow.cli.harvest_progress import progress_observer

    with opened_library() as opened, stopping_on_signals() as stopper:
        chosen = _sources_to_refresh(opened, names)
        with progress_observer(is_quiet=is_json) as observer:
            results = _refresh_all(opened, chosen, observer, stopper) if chosen else {}
        if results:
            from windrow.wiring.sets import follow_sets

            follow_sets(opened)
            follow_index(opened, stopper, is_quiet=is_json)
    if results:
        raise typer.Exit(report_runs(results, is_json=is_json))
    if is_json:
        print_json([])
    else:
        print_hint("Nothing waits to be refreshed.")


def _sources_to_refresh(opened: Library, names: list[str] | None) -> list[str]:
    """Return the chosen sources with records waiting to be refreshed."""
    from windrow.store.harvests import refresh_requests

    for name in names or ():
        opened.source(name)
    with opened.store.reading() as connection:
        waiting = refresh_requests.count_waiting(connection)
    if names:
        return [name for name in dict.fromkeys(names) if name in waiting]
    return [name for name, each in opened.config.sources.items() if each.enabled and name in waiting]


def _refresh_all(
    opened: Library, names: list[str], observer: Observer, stopper: Stopper
) -> dict[str, Run | WindrowError]:
    """Refresh the waiting records of each source. Return its run, or the error that prevented it, by name."""
    from windrow.store.harvests.refresh_requests import MAX_WAITING_OF_SOURCE
    from windrow.wiring import single_records

    results: dict[str, Run | WindrowError] = {}
    for name in names:
        if stopper.is_stopping:
            break
        try:
            run = single_records.refresh_source(
                opened,
                name,
                observer=observer,
                stopper=stopper,
                limit=MAX_WAITING_OF_SOURCE,
                seconds=math.inf,
            )
        except WindrowError as exc:
            results[name] = exc
            continue
        if run is not None:
            results[name] = run
    return results
