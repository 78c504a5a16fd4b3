"""`windrow collection`: taken in, built aside, activated; gone back from, if need be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli import collection_view
from windrow.cli.completion import source_names
from windrow.cli.state import JSON, LIMIT, library, most_listed, print_json, stopping_on_signals
from windrow.cli.terminal import hint, plural, say
from windrow.cli.ticker import Ticker
from windrow.errors import UsageError

if TYPE_CHECKING:
    from windrow.harvest.collection_steps import CollectionSteps, Imported, Taking
    from windrow.harvest.stopping import Stopper
    from windrow.index.feeder import Fed
    from windrow.index.swapping import Swapped
    from windrow.wiring import Library

STEPS_SHOWN = 20
app = typer.Typer(
    help="Take in, build aside, activate; see what was done, and go back.", no_args_is_help=True
)
NAME = typer.Argument(
    metavar="[NAME]", help="A collection or a source; none: the whole library.", autocompletion=source_names
)
INCREMENTAL = typer.Option("--incremental", help="Take in what is new; this is done if nothing is said.")
KEEP_OLD = typer.Option("--keep-old", help="Take in everything anew; what is there no more stays.")
REMOVE_OLD = typer.Option(
    "--remove-old", help="Take in everything anew; what is there no more becomes a tombstone."
)


@app.command("list")
def list_collections(is_json: Annotated[bool, JSON] = False) -> None:
    """List collections: their sources, their records, what was done last."""
    with library() as opened:
        found = collection_view.listed(opened)
    if is_json:
        print_json(found)
    else:
        collection_view.show_list(found)


@app.command("show")
def show_collection(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A collection or a source.")],
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Show one collection: its sources, its last steps, the generation that is searched."""
    with library() as opened:
        found = collection_view.portrait(opened, name)
    if is_json:
        print_json(found)
    else:
        collection_view.show_portrait(found)


@app.command("import")
def take_in(
    name: Annotated[str, NAME] = "",
    incremental: Annotated[bool, INCREMENTAL] = False,
    keep_old: Annotated[bool, KEEP_OLD] = False,
    remove_old: Annotated[bool, REMOVE_OLD] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Take in what the sources of a collection have.

    Exit codes: 0 all good, 1 failed, 3 partial, 75 try later, 130 interrupted.
    """
    from windrow.cli.progress import watching

    taking = _taking(incremental=incremental, keep_old=keep_old, remove_old=remove_old)
    with library() as opened, stopping_on_signals() as stopper:
        with watching(is_quiet=is_json) as observer:
            imported = _steps(opened, name, stopper, observer=observer).take_in(taking)
        _follow_leaves(opened, stopper)
    if is_json:
        print_json(collection_view.imported_as_dict(imported))
    else:
        collection_view.show_imported(imported)
        hint(f"Next: windrow collection build {name}".rstrip())
    raise typer.Exit(_exit_code(imported))


@app.command("build")
def build(name: Annotated[str, NAME] = "", is_json: Annotated[bool, JSON] = False) -> None:
    """Build a new generation of the index aside; searches go on with the active one."""
    with library() as opened, stopping_on_signals() as stopper:
        built = _build(_steps(opened, name, stopper, is_quiet=is_json), opened, is_quiet=is_json)
    if is_json:
        print_json(_built_as_dict(built))
    else:
        _show_built(built)
        hint(f"It waits. Next: windrow collection activate {name}".rstrip())


@app.command("activate")
def activate(
    name: Annotated[str, NAME] = "",
    generation: Annotated[
        str | None,
        typer.Option("--generation", metavar="G", help="This one; none: the newest that waits."),
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Let the generation that was built be searched from now on, in one step; lets go of a held one."""
    from windrow.index import swapping

    with library() as opened, stopping_on_signals() as stopper:
        opened.members(name)
        done = swapping.activate(
            opened.store,
            opened.generations,
            name=generation,
            collection=name,
            owner=f"windrow collection activate {name}".rstrip(),
            stopper=stopper,
        )
    if is_json:
        print_json(_swapped_as_dict(done))
    else:
        _show_activated(done)


@app.command("update")
def update(
    name: Annotated[str, NAME] = "",
    incremental: Annotated[bool, INCREMENTAL] = False,
    keep_old: Annotated[bool, KEEP_OLD] = False,
    remove_old: Annotated[bool, REMOVE_OLD] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Import, build and activate. Where nothing is new, the active generation stays.

    Exit codes: 0 all good, 1 failed, 3 partial, 75 try later, 130 interrupted.
    """
    from windrow.cli.progress import watching

    taking = _taking(incremental=incremental, keep_old=keep_old, remove_old=remove_old)
    with library() as opened, stopping_on_signals() as stopper:
        ticker = Ticker("indexed", is_quiet=is_json)
        with watching(is_quiet=is_json) as observer:
            updated = _steps(opened, name, stopper, observer=observer, ticker=ticker).update(taking)
        ticker.clear()
        _follow_leaves(opened, stopper)
    if is_json:
        print_json(
            {
                "import": collection_view.imported_as_dict(updated.imported),
                "build": _built_as_dict(updated.built) if updated.built else None,
                "activation": _swapped_as_dict(updated.activated) if updated.activated else None,
            }
        )
    else:
        collection_view.show_imported(updated.imported)
        if updated.built and updated.activated:
            _show_built(updated.built)
            _show_activated(updated.activated)
        elif updated.imported.is_any_good:
            say("Nothing is new; the active generation stays.")
        else:
            say("Nothing was built: nothing came in. The active generation stays.", style="warn")
    raise typer.Exit(_exit_code(updated.imported))


@app.command("history")
def history(
    name: Annotated[str | None, NAME] = None,
    limit: Annotated[int | None, LIMIT] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """List imports, builds, activations and rollbacks, newest first."""
    from windrow.store import builds

    most = most_listed(limit, shown=STEPS_SHOWN, is_json=is_json)
    with library() as opened:
        if name is not None:
            opened.members(name)
        with opened.store.reading() as connection:
            found = builds.steps(connection, name, limit=most + 1)
    is_more, found = len(found) > most, found[:most]
    if is_json:
        print_json([collection_view.step_as_dict(step) for step in found])
    elif found:
        collection_view.show_steps(found)
        if is_more:
            hint(f"There are more: --limit {2 * most}")
    else:
        say("Nothing has been imported or built yet.")
        hint(f"Next: windrow collection update {name or ''}".rstrip())


@app.command("rollback")
def rollback(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Let the generation before this one be searched again, and hold it until you let go."""
    from windrow.index import swapping

    with library() as opened:
        if dry_run:
            before, after = opened.generations.current(), swapping.check_rollback(opened.generations)
            done = swapping.Swapped(after, before or "")
        else:
            done = swapping.roll_back(opened.store, opened.generations, owner="windrow collection rollback")
    if is_json:
        print_json({"generation": done.generation, "before": done.before, "held": not dry_run})
        return
    say(f"{done.generation} {'would be' if dry_run else 'is'} searched instead of {done.before}.")
    if not dry_run:
        say("It is held: nothing follows or replaces it.")
        hint("Let go, and search the newest again: windrow collection activate")


def _taking(*, incremental: bool, keep_old: bool, remove_old: bool) -> Taking:
    from windrow.harvest.collection_steps import Taking

    flags = {
        Taking.INCREMENTAL: incremental,
        Taking.KEEP_OLD: keep_old,
        Taking.REMOVE_OLD: remove_old,
    }
    chosen = [taking for taking, is_wanted in flags.items() if is_wanted]
    if len(chosen) > 1:
        raise UsageError(" and ".join(f"--{each}" for each in chosen) + " exclude each other")
    return chosen[0] if chosen else Taking.INCREMENTAL


def _steps(
    opened: Library,
    name: str,
    stopper: Stopper,
    *,
    observer: Any = None,
    ticker: Ticker | None = None,
    is_quiet: bool = False,
) -> CollectionSteps:
    from windrow.harvest.observer import Nobody
    from windrow.wiring.harvesting import collection_steps, enrol

    steps = collection_steps(
        opened,
        name,
        observer=observer or Nobody(),
        stopper=stopper,
        on_progress=ticker or Ticker("indexed", is_quiet=is_quiet),
    )
    if observer is not None:
        if not opened.members(name):
            raise UsageError("there is nothing to take in", hint="Add a source: windrow source add NAME URL")
        enrol(opened, [each.name for each in opened.members(name)])
    return steps


def _build(steps: CollectionSteps, opened: Library, *, is_quiet: bool) -> Fed:
    holder = opened.generations.writer()
    if holder and not is_quiet:
        hint(f"{holder} is writing to the index, if it still runs; this waits for it.")
    return steps.build()


def _follow_leaves(opened: Library, stopper: Stopper) -> None:
    from windrow.store import leaves

    if not stopper.is_stopping:
        leaves.follow(opened.store, heed=stopper.check)


def _exit_code(imported: Imported) -> int:
    from windrow.model.run import EXIT_CODES

    return EXIT_CODES[imported.outcome]


def _built_as_dict(built: Fed) -> dict[str, Any]:
    return {
        "generation": built.generation,
        "records": built.put,
        "unreadable": built.unreadable,
        "seconds": round(built.seconds, 3),
    }


def _show_built(built: Fed) -> None:
    say(f"Built {built.generation} aside: {plural(built.put, 'record')} ({built.seconds:.1f} s)")
    if built.unreadable:
        words = plural(built.unreadable, "record")
        say(f"  {words} cannot be mapped: found by identifier only", style="warn")


def _swapped_as_dict(done: Swapped) -> dict[str, Any]:
    return {
        "generation": done.generation,
        "before": done.before or None,
        "changed": done.is_changed,
        "records": done.records,
        "caught_up": done.put + done.removed,
        "was_held": done.was_held,
    }


def _show_activated(done: Swapped) -> None:
    if done.is_changed:
        instead = f" instead of {done.before}" if done.before else ""
        say(f"{done.generation} is searched now{instead}: {plural(done.records, 'record')}.")
    elif not done.was_held:
        say(f"{done.generation} is searched already; nothing waits.")
    if done.was_held:
        say("The hold is over: the index follows the library again.")
    caught_up = done.put + done.removed
    if caught_up:
        say(f"  {plural(caught_up, 'change')} that came since it was built taken in", style="dim")
