"""`windrow rebuild`: every record mapped again, without harvesting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.completion import source_names
from windrow.cli.state import JSON, library, print_json, stopping_on_signals
from windrow.cli.terminal import OUTCOME_STYLES, columns, hint, plural, say
from windrow.cli.ticker import Ticker
from windrow.errors import NotFound

if TYPE_CHECKING:
    from windrow.harvest.rebuild import Fill, Rebuilt
    from windrow.harvest.stopping import Stopper
    from windrow.wiring import Library


def add_to(app: typer.Typer) -> None:
    """Put this command among the others."""
    app.command("rebuild")(rebuild_all)


def rebuild_all(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SOURCE]...", help="Sources; none: all.", autocompletion=source_names),
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Map every record again: how many documents, which fields they fill, what fails.

    Nothing is asked of the sources. Exit codes: 0 all mapped, 3 some failed and are in quarantine.
    """
    from windrow.harvest.rebuild import rebuild
    from windrow.model.run import EXIT_CODES, Outcome
    from windrow.wiring.set_roles import follow_roles
    from windrow.wiring.virtual_sets import check_sets, follow_sets

    results: list[Rebuilt] = []
    with library() as opened, stopping_on_signals() as stopper:
        check_sets(opened)
        chosen = _choose(opened, list(dict.fromkeys(names or ())))
        _stop_collector()
        for name, url in chosen.items():
            ticker = Ticker(name, is_quiet=is_json)
            results.append(rebuild(opened.store, name, url, stopper=stopper, progress=ticker))
            ticker.clear()
            if stopper.is_stopping:
                break
        follow_roles(opened, changed=list(chosen))
        follow_sets(opened, is_remapped=True)
        if opened.generations.current() is not None and not stopper.is_stopping:
            _index(opened, stopper, is_quiet=is_json)
    if is_json:
        print_json([as_dict(result) for result in results])
    else:
        _show(results)
    outcomes = {result.run.outcome for result in results}
    for outcome in (Outcome.INTERRUPTED, Outcome.FAILED, Outcome.PARTIAL):
        if outcome in outcomes:
            raise typer.Exit(EXIT_CODES[outcome])


def _index(opened: Library, stopper: Stopper, *, is_quiet: bool) -> None:
    """Build the index anew from what documents read now."""
    from windrow.wiring.indexing import follow_index  # not for a library without one: it is slow to load

    ticker = Ticker("indexed", is_quiet=is_quiet)
    done = follow_index(opened, is_rebuilding=True, on_progress=ticker, stopper=stopper)
    ticker.clear()
    if done.is_held and not is_quiet:
        hint(f"The index is held; {done.generation} waits: windrow collection activate")


def _choose(opened: Library, names: list[str]) -> dict[str, str]:
    """Give the sources the library holds something of, with their addresses."""
    from windrow.store import sources

    with opened.store.reading() as connection:
        held = sources.addresses(connection)
    for name in names:
        if name not in held:
            opened.source(name)
            raise NotFound(f"{name} has not been harvested yet", hint=f"Next: windrow harvest {name}")
    return {name: held[name] for name in names or held}


def _stop_collector() -> None:
    """Documents are made and dropped by the thousand and none is cyclic: looking for cycles is wasted."""
    import gc

    gc.freeze()
    gc.disable()


def as_dict(result: Rebuilt) -> dict[str, Any]:
    """Give the outcome of one source as plain values."""
    return {
        "run": result.run.id,
        "source": result.run.source,
        "outcome": result.run.outcome.value if result.run.outcome else None,
        "documents": result.documents,
        "failed": result.failed,
        "resolved": result.resolved,
        "seconds": round(result.seconds, 3),
        "records_per_second": round(_speed(result)),
        "formats": {
            prefix: {"documents": fill.documents, "failed": fill.failed, "filled": dict(fill.filled())}
            for prefix, fill in result.fills.items()
        },
    }


def _show(results: list[Rebuilt]) -> None:
    if not results:
        say("There is nothing to map yet.")
        hint("Next: windrow harvest")
    for result in results:
        outcome = result.run.outcome.value if result.run.outcome else ""
        say(f"{result.run.source}: ", end="")
        say(outcome, style=OUTCOME_STYLES.get(outcome, ""), end="")
        say(f" (run {result.run.id}, {result.seconds:.1f} s)")
        say(f"  {plural(result.documents, 'document')} made, {_speed(result):,.0f} a second")
        if result.fills:
            _show_fills(dict(result.fills))
        if result.failed:
            say(f"  {plural(result.failed, 'record')} cannot be mapped", style="warn")
            hint(f"See them: windrow quarantine list {result.run.source}")
        if result.resolved:
            say(f"  {plural(result.resolved, 'earlier failure')} can be mapped now")


def _show_fills(fills: dict[str, Fill]) -> None:
    filled = {prefix: fill.filled() for prefix, fill in fills.items()}
    names = [name for name in next(iter(filled.values())) if any(counts[name] for counts in filled.values())]
    rows = [
        (f"  {name}", *(_share(filled[prefix][name], fill.documents) for prefix, fill in fills.items()))
        for name in names
    ]
    columns(("  filled", *fills), rows, right=" " + "r" * len(fills))


def _share(count: int, total: int) -> str:
    share = 100 * count / total if total else 0.0
    return f"{share:.1f} %" if 0 < share < 99.95 and count < total else f"{share:.0f} %"


def _speed(result: Rebuilt) -> float:
    return (result.documents + result.failed) / max(result.seconds, 1e-6)
