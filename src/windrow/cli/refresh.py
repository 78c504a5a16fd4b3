"""`windrow refresh`: ask again for the stale records that somebody looked at."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.cli.completion import source_names
from windrow.cli.harvest import follow_index, report
from windrow.cli.state import JSON, library, print_json, stopping_on_signals
from windrow.cli.terminal import hint
from windrow.errors import WindrowError

if TYPE_CHECKING:
    from windrow.harvest.observer import Observer
    from windrow.harvest.stopping import Stopper
    from windrow.model.run import Run
    from windrow.wiring import Library


def add_to(app: typer.Typer) -> None:
    """Put this command among the others."""
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
    from windrow.cli.progress import watching

    with library() as opened, stopping_on_signals() as stopper:
        chosen = _chosen(opened, names)
        with watching(is_quiet=is_json) as observer:
            results = _refresh_all(opened, chosen, observer, stopper) if chosen else {}
        if results:
            from windrow.wiring.virtual_sets import follow_sets

            follow_sets(opened)
            follow_index(opened, stopper, is_quiet=is_json)
    if results:
        raise typer.Exit(report(results, is_json=is_json))
    if is_json:
        print_json([])
    else:
        hint("Nothing waits to be refreshed.")


def _chosen(opened: Library, names: list[str] | None) -> list[str]:
    """Give the sources that are meant and that something waits of."""
    from windrow.store import refreshes

    for name in names or ():
        opened.source(name)
    with opened.store.reading() as connection:
        waiting = refreshes.waiting(connection)
    if names:
        return [name for name in dict.fromkeys(names) if name in waiting]
    return [name for name, each in opened.config.sources.items() if each.enabled and name in waiting]


def _refresh_all(
    opened: Library, names: list[str], observer: Observer, stopper: Stopper
) -> dict[str, Run | WindrowError]:
    """Refresh what waits of each source; give its run, or the error that kept it from running, by name."""
    from windrow.store.refreshes import MOST_OF_SOURCE
    from windrow.wiring import single_records

    results: dict[str, Run | WindrowError] = {}
    for name in names:
        if stopper.is_stopping:
            break
        try:
            run = single_records.refresh(
                opened, name, observer=observer, stopper=stopper, limit=MOST_OF_SOURCE, seconds=math.inf
            )
        except WindrowError as exc:
            results[name] = exc
            continue
        if run is not None:
            results[name] = run
    return results
