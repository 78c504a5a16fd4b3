"""`windrow harvest`: bring in what is new."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from windrow.cli.completion import source_names
from windrow.cli.memory import keep_memory
from windrow.cli.state import JSON, complain, library, print_json, stopping_on_signals
from windrow.cli.terminal import hint
from windrow.errors import UsageError, WindrowError

if TYPE_CHECKING:
    from windrow.harvest.stopping import Stopper
    from windrow.model.run import Run
    from windrow.wiring import Library


def add_to(app: typer.Typer) -> None:
    """Put this command among the others."""
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
    from windrow.harvest.many import run_many
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
    with library() as opened, stopping_on_signals() as stopper:
        chosen = list(dict.fromkeys(names or ())) or [
            name for name, settings in opened.config.sources.items() if settings.enabled
        ]
        if not chosen:
            raise UsageError("there is nothing to harvest", hint="Add a source: windrow source add NAME URL")
        for name in chosen:
            opened.source(name)
        if dry_run:
            from windrow.cli.preview import preview

            raise typer.Exit(preview(opened, chosen, options, is_json=is_json))
        from windrow.cli.progress import watching

        harvesting.enrol(opened, chosen)  # and the library is opened here once, not in each thread
        keep_memory()
        _calm_interpreter()
        with watching(is_quiet=is_json) as observer:
            results = run_many(
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
    raise typer.Exit(report(results, is_json=is_json))


def follow_index(opened: Library, stopper: Stopper, *, is_quiet: bool) -> None:
    """Bring the index up to date, if somebody made one: who only harvests does not pay for searching.

    Where the library is served, that process is at it already, and this one leaves it to it.
    """
    if opened.store.is_read_only or opened.generations.current() is None or stopper.is_stopping:
        return
    from windrow.cli.ticker import Ticker
    from windrow.store import leaves
    from windrow.wiring import indexing

    ticker = Ticker("indexed", is_quiet=is_quiet)
    try:
        done = indexing.follow_index(
            opened, owner="windrow harvest", is_waiting=False, on_progress=ticker, stopper=stopper
        )
        if done.is_held and not is_quiet:
            hint("The index is held at an older generation: windrow collection activate lets go of it.")
        leaves.follow(opened.store, heed=stopper.check)
    except WindrowError as exc:  # the harvest went as it went
        hint(f"The index is not up to date: {exc}. `windrow index` goes on with it.")
    finally:
        ticker.clear()


def _date(text: str | None, flag: str) -> str | None:
    from windrow.model.stamp import read_stamp

    if text is not None and read_stamp(text) is None:
        raise UsageError(
            f"{flag} {text!r} is not a date", hint="Write it as 2024-05-31 or 2024-05-31T12:00:00Z."
        )
    return text


def report(results: dict[str, Run | WindrowError], *, is_json: bool) -> int:
    """Print how it went; give the worst exit code."""
    from windrow.cli.summary import run_as_dict, show_run, show_total
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
                hint(f"{name}:")
                complain(result)
            codes.append(result.exit_code)
    if len(results) > 1 and not is_json:
        show_total(results.values())
    return _worst(codes)


def _worst(codes: list[int]) -> int:
    """One of several: interrupted, failed, partial, try later, ok."""
    return next((code for code in (130, 1, 2, 3, 75) if code in codes), 0)


def _calm_interpreter() -> None:
    """Let it interrupt itself seldom: pages make many objects and none that are cyclic, and the threads that
    fetch and store hand over by themselves whenever they wait."""
    import gc
    import sys

    gc.freeze()
    gc.set_threshold(100_000, 20, 50)
    sys.setswitchinterval(0.05)
