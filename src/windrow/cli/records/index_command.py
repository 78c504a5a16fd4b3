"""`windrow index` updates, rebuilds and checks the index; `windrow rebuild` maps every record again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.invocation import JSON, opened_library, print_json, source_names, stopping_on_signals
from windrow.cli.progress import Ticker
from windrow.cli.run_summary import format_size
from windrow.cli.terminal import OUTCOME_STYLES, format_iso_time, plural, print_hint, print_line, print_table
from windrow.errors import NotFound, UsageError

if TYPE_CHECKING:
    from windrow.harvest.options import Stopper
    from windrow.harvest.remapping import CoverageCounter, RebuildResult
    from windrow.index.checks import IndexCheck
    from windrow.index.feeder import IndexUpdate
    from windrow.wiring import Library

RESTART = "windrow index makes it anew. What was started before an upgrade and still runs is to be restarted."
SETTINGS = "`windrow index` rebuilds it. Restart the servers that started before the settings changed."

index_app = typer.Typer(
    help="Bring the search index up to date; `windrow serve` and harvests do it by themselves.",
    invoke_without_command=True,
)


@index_app.callback()
def update_index(
    context: typer.Context,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Build all of it anew, aside; searches go on meanwhile.")
    ] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Bring the index up to date with the library; make it where there is none."""
    if context.invoked_subcommand is not None:
        return
    from windrow.wiring.indexing import follow_index
    from windrow.wiring.web_application import make_servable

    with opened_library() as opened, stopping_on_signals() as stopper:
        holder = opened.generations.writer()
        if holder and not is_json:
            print_hint(f"{holder} is writing to the index, if it still runs; this waits for it.")
        ticker = Ticker("indexed", is_quiet=is_json)
        done = follow_index(opened, is_rebuilding=rebuild, on_progress=ticker, stopper=stopper)
        ticker.clear()
        make_servable(opened, heed=stopper.check)
        records = opened.index.newest().records
    if is_json:
        print_json(_update_as_dict(done, records))
    else:
        _show_update(done, records)


def _update_as_dict(done: IndexUpdate, records: int) -> dict[str, Any]:
    return {
        "records": records,
        "put": done.put,
        "removed": done.removed,
        "sources_removed": done.sources,
        "unreadable": done.unreadable,
        "built": done.is_built,
        "held": done.is_held,
        "reason": done.reason,
        "seconds": round(done.seconds, 3),
    }


def _show_update(done: IndexUpdate, records: int) -> None:
    if done.is_held:
        _show_held(done)
        return
    if done.is_built:
        print_line(f"Built a new index, because {done.reason}: ", end="")
    if done.put or done.removed or done.sources:
        speed = (done.put + done.removed) / max(done.seconds, 1e-6)
        print_line(
            f"{plural(done.put, 'record')} indexed, {done.removed:,} removed"
            f" ({done.seconds:.1f} s, {speed:,.0f} a second)"
        )
    elif not done.is_built:
        print_line("Nothing is new.")
    else:
        print_line("the library is empty")
    if done.sources:
        print_line(f"  {plural(done.sources, 'source')} that the library has no more: all of it removed")
    if done.unreadable:
        print_line(
            f"  {plural(done.unreadable, 'record')} cannot be mapped: found by identifier only", style="warn"
        )
        print_hint("See why: windrow rebuild")
    print_line(f"{plural(records, 'record')} can be found.")


def _show_held(done: IndexUpdate) -> None:
    from windrow.index.feeder import LET_GO

    if done.is_built:
        print_line(f"Built {done.generation}: {plural(done.put, 'record')}. It waits.")
    print_line("The index is pinned to an older generation by a rollback, and is not updated.", style="warn")
    print_hint(LET_GO)


@index_app.command("status")
def status(is_json: Annotated[bool, JSON] = False) -> None:
    """Say how far the index is, and how large."""
    from windrow.index.feeder import LET_GO
    from windrow.index.tantivy.damage import REBUILD

    with opened_library() as opened:
        found = _status(opened)
    if is_json:
        print_json(found)
        return
    if found["damaged"]:
        print_line(f"The index cannot be read: {found['damaged']}.", style="bad")
        print_hint(REBUILD)
        return
    if found["generation"] is None:
        print_line("There is no index yet.")
        print_hint("Next: windrow index")
        return
    print_line(f"Generation   {found['generation']}, {format_size(found['bytes'])}")
    print_line(f"Records      {found['records']:,}")
    if found["held_since"]:
        since = format_iso_time(found["held_since"])
        print_line(f"Held         since {since}: nothing follows or replaces it", style="warn")
        print_hint(LET_GO)
    if found["made_otherwise"]:
        by = "this version, with other settings" if found["other_settings"] else "another version of Windrow"
        print_line(f"Made by      {by}", style="warn")
        print_hint(SETTINGS if found["other_settings"] else RESTART)
    print_line(f"Up to date   {_describe_backlog(found['behind'], is_other=found['made_otherwise'])}")
    print_line(f"Written      {format_iso_time(found['when'])}")
    if found["waiting"]:
        print_line(f"Waiting      {found['waiting']}: windrow collection activate")


def _describe_backlog(behind: int, *, is_other: bool) -> str:
    if behind:
        return f"no, behind by {plural(behind, 'change')}"
    return "no, it is to be made anew" if is_other else "yes"


def _status(opened: Library) -> dict[str, Any]:
    from windrow.index.activation import find_waiting
    from windrow.index.feeder import changes_behind
    from windrow.index.tantivy.layout import shape

    generations = opened.generations
    held = generations.hold()
    told = {
        "damaged": opened.index.trouble or None,
        "held_since": held.since if held else None,
        "waiting": find_waiting(generations),
    }
    found = generations.current_state()
    if found is None:
        nothing = {"generation": None, "records": 0, "behind": None, "bytes": 0, "when": None}
        return nothing | {"whole": False, "made_otherwise": False, "other_settings": False} | told
    name, state = found
    return told | {
        "generation": name,
        "records": opened.index.newest().records,
        "behind": changes_behind(opened.store, state.cursor),
        "bytes": generations.size(),
        "when": state.when,
        "whole": state.is_whole,
        "made_otherwise": (state.shape, state.mark) != (shape(), generations.mark),
        "other_settings": generations.has_other_settings(state),
    }


@index_app.command("check")
def check(
    fix: Annotated[bool, typer.Option("--fix", help="Put right what differs.")] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Compare the index with the library, record by record.

    Exit codes: 0 they agree, 1 they do not, or the index is damaged.
    """
    with opened_library() as opened:
        checked = _check(opened)
        is_fixed = fix and not checked.is_right
        if is_fixed:
            _repair(opened, checked)
            after = _check(opened)
    result = after if is_fixed else checked
    if is_json:
        print_json(_check_as_dict(checked) | {"fixed": is_fixed and result.is_right})
    else:
        _show_check(checked, is_fixed=is_fixed and result.is_right)
    raise typer.Exit(0 if result.is_right else 1)


def _check(opened: Library) -> IndexCheck:
    from windrow.index.checks import check_index as compare
    from windrow.index.tantivy.live_index import LiveIndex

    index = LiveIndex(opened.generations.folder, types=opened.types)
    index.examine()
    found = opened.generations.current_state()
    if found is None:
        raise UsageError("there is no index to check", hint="Make it: windrow index")
    return compare(opened.store, index.newest(), cursor=found[1].cursor)


def _repair(opened: Library, checked: IndexCheck) -> None:
    from windrow.index.feeder import update_records
    from windrow.wiring.indexing import follow_index

    if follow_index(opened).is_built:  # built from the store's current state: nothing left to fix
        return
    update_records(opened.store, opened.generations, lacking=checked.lacking, surplus=checked.surplus)


def _check_as_dict(checked: IndexCheck) -> dict[str, Any]:
    return {
        "agree": checked.is_right,
        "in_library": checked.stored,
        "in_index": checked.indexed,
        "lacking": len(checked.lacking),
        "surplus": len(checked.surplus),
        "differences": [difference._asdict() for difference in checked.named],
    }


def _show_check(checked: IndexCheck, *, is_fixed: bool) -> None:
    print_line(f"In the library  {plural(checked.stored, 'record')}")
    print_line(f"In the index    {plural(checked.indexed, 'record')}")
    if checked.is_right:
        print_line("They agree.", style="good")
        return
    total = len(checked.lacking) + len(checked.surplus)
    print_line(f"{plural(total, 'record differs', 'records differ')}:", style="bad")
    rows = [(str(each.number), each.source, each.identifier, each.reason) for each in checked.named]
    print_table(("number", "source", "identifier", "why"), rows, right="r")
    if total > len(rows):
        print_hint(f"and {total - len(rows):,} more")
    if is_fixed:
        print_line("Put right.", style="good")
    else:
        print_hint("Put right what differs: windrow index check --fix")


# `windrow rebuild`: maps every record again, without harvesting.


def add_rebuild(app: typer.Typer) -> None:
    app.command("rebuild")(rebuild_all)


def rebuild_all(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SOURCE]...", help="Sources; none: all.", autocompletion=source_names),
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Map every record again, and report which fields are filled and what fails.

    Nothing is asked of the sources. Exit codes: 0 all mapped, 3 some failed and are in quarantine.
    """
    from windrow.harvest.remapping import rebuild_source
    from windrow.model.run import EXIT_CODES, Outcome
    from windrow.wiring.sets import check_sets, follow_roles, follow_sets

    results: list[RebuildResult] = []
    with opened_library() as opened, stopping_on_signals() as stopper:
        check_sets(opened)
        chosen = _choose_sources(opened, list(dict.fromkeys(names or ())))
        _pause_garbage_collector()
        for name, url in chosen.items():
            ticker = Ticker(name, is_quiet=is_json)
            results.append(rebuild_source(opened.store, name, url, stopper=stopper, progress=ticker))
            ticker.clear()
            if stopper.is_stopping:
                break
        follow_roles(opened, changed=list(chosen))
        follow_sets(opened, is_remapped=True)
        if opened.generations.current() is not None and not stopper.is_stopping:
            _rebuild_index(opened, stopper, is_quiet=is_json)
    if is_json:
        print_json([rebuild_as_dict(result) for result in results])
    else:
        _show_rebuilds(results)
    outcomes = {result.run.outcome for result in results}
    for outcome in (Outcome.INTERRUPTED, Outcome.FAILED, Outcome.PARTIAL):
        if outcome in outcomes:
            raise typer.Exit(EXIT_CODES[outcome])


def _rebuild_index(opened: Library, stopper: Stopper, *, is_quiet: bool) -> None:
    from windrow.wiring.indexing import follow_index  # slow to import, and not needed without an index

    ticker = Ticker("indexed", is_quiet=is_quiet)
    done = follow_index(opened, is_rebuilding=True, on_progress=ticker, stopper=stopper)
    ticker.clear()
    if done.is_held and not is_quiet:
        print_hint(f"The index is held; {done.generation} waits: windrow collection activate")


def _choose_sources(opened: Library, names: list[str]) -> dict[str, str]:
    """Return the sources with stored records, and their addresses."""
    from windrow.store import sources

    with opened.store.reading() as connection:
        held = sources.addresses(connection)
    for name in names:
        if name not in held:
            opened.source(name)
            raise NotFound(f"{name} has not been harvested yet", hint=f"Next: windrow harvest {name}")
    return {name: held[name] for name in names or held}


def _pause_garbage_collector() -> None:
    """Disable the garbage collector: thousands of documents are created and freed, none of them cyclic."""
    import gc

    gc.freeze()
    gc.disable()


def rebuild_as_dict(result: RebuildResult) -> dict[str, Any]:
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


def _show_rebuilds(results: list[RebuildResult]) -> None:
    if not results:
        print_line("There is nothing to map yet.")
        print_hint("Next: windrow harvest")
    for result in results:
        outcome = result.run.outcome.value if result.run.outcome else ""
        print_line(f"{result.run.source}: ", end="")
        print_line(outcome, style=OUTCOME_STYLES.get(outcome, ""), end="")
        print_line(f" (run {result.run.id}, {result.seconds:.1f} s)")
        print_line(f"  {plural(result.documents, 'document')} made, {_speed(result):,.0f} a second")
        if result.fills:
            _show_fills(dict(result.fills))
        if result.failed:
            print_line(f"  {plural(result.failed, 'record')} cannot be mapped", style="warn")
            print_hint(f"See them: windrow quarantine list {result.run.source}")
        if result.resolved:
            print_line(f"  {plural(result.resolved, 'earlier failure')} can be mapped now")


def _show_fills(fills: dict[str, CoverageCounter]) -> None:
    filled = {prefix: fill.filled() for prefix, fill in fills.items()}
    names = [name for name in next(iter(filled.values())) if any(counts[name] for counts in filled.values())]
    rows = [
        (f"  {name}", *(_share(filled[prefix][name], fill.documents) for prefix, fill in fills.items()))
        for name in names
    ]
    print_table(("  filled", *fills), rows, right=" " + "r" * len(fills))


def _share(count: int, total: int) -> str:
    share = 100 * count / total if total else 0.0
    return f"{share:.1f} %" if 0 < share < 99.95 and count < total else f"{share:.0f} %"


def _speed(result: RebuildResult) -> float:
    return (result.documents + result.failed) / max(result.seconds, 1e-6)
