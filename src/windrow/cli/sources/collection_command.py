"""`windrow collection`: import, build and activate the generations of the index, and roll back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.invocation import (
    JSON,
    LIMIT,
    list_limit,
    opened_library,
    print_json,
    source_names,
    stopping_on_signals,
)
from windrow.cli.progress import Ticker
from windrow.cli.terminal import (
    OUTCOME_STYLES,
    format_iso_time,
    format_time,
    plural,
    print_hint,
    print_line,
    print_table,
    printable,
)
from windrow.errors import UsageError

if TYPE_CHECKING:
    from windrow.harvest.collections import CollectionSteps, ImportMode, ImportResult
    from windrow.harvest.options import Stopper
    from windrow.index.activation import Activation
    from windrow.index.feeder import IndexUpdate
    from windrow.model.run import CollectionStep
    from windrow.wiring import Library

# Collections, their steps and the generations of the index, as text and as JSON.

_STEPS = 5  # shown for one collection


def collections_as_dicts(opened: Library) -> dict[str, Any]:
    """Return every collection with its numbers, and the index that they share."""
    records = _record_counts(opened)
    return {
        "collections": [
            {
                "name": settings.name,
                "title": settings.title,
                "sources": list(settings.sources),
                "records": sum(records.get(source, 0) for source in settings.sources),
                "last": _last_step(opened, settings.name),
            }
            for settings in opened.config.collections.values()
        ],
        "index": index_as_dict(opened),
    }


def collection_as_dict(opened: Library, name: str) -> dict[str, Any]:
    from windrow.store import runs

    members = opened.members(name)
    settings, records = opened.config.collections.get(name), _record_counts(opened)
    with opened.store.reading() as connection:
        steps = runs.list_steps(connection, name, limit=_STEPS)
    return {
        "name": name,
        "title": settings.title if settings else name,
        "sources": {
            each: {
                "records": records.get(each, 0),
                "enabled": any(each == member.name and member.enabled for member in members),
            }
            for each in (settings.sources if settings else (name,))
        },
        "steps": [step_as_dict(step) for step in steps],
        "index": index_as_dict(opened),
    }


def index_as_dict(opened: Library) -> dict[str, Any]:
    """Return the active and the waiting generation, the one to roll back to, and whether one is pinned."""
    from windrow.index.activation import find_previous, find_waiting

    generations = opened.generations
    held = generations.hold()
    return {
        "generation": generations.current(),
        "waiting": find_waiting(generations),
        "previous": find_previous(generations),
        "held_since": held.since if held else None,
    }


def step_as_dict(step: CollectionStep) -> dict[str, Any]:
    return {
        "step": step.id,
        "kind": step.kind.value,
        "collection": step.collection or None,
        "started": _time(step.started).isoformat(),
        "ended": _time(step.ended).isoformat() if step.ended is not None else None,
        "seconds": round(step.seconds, 3) if step.seconds is not None else None,
        "state": step.word,
        "records": step.records,
        "generation": step.generation or None,
        "summary": step.summary,
        "by": step.holder,
    }


def imported_as_dict(imported: ImportResult) -> dict[str, Any]:
    from windrow.cli.run_summary import run_as_dict
    from windrow.model.run import Run

    return {
        "outcome": imported.outcome.value,
        "changes": imported.changes,
        "sources": {
            name: run_as_dict(result)
            if isinstance(result, Run)
            else {"outcome": "skipped", "error": str(result), "hint": result.hint}
            for name, result in imported.results.items()
        },
    }


def show_imported(imported: ImportResult) -> None:
    from windrow.cli.run_summary import show_run
    from windrow.model.run import Run

    for name, result in imported.results.items():
        if isinstance(result, Run):
            show_run(result)
        else:
            print_line(f"{name}: ", end="")
            print_line("not harvested", style="bad", end="")
            print_line(f" ({printable(str(result))})")
            if result.hint:
                print_hint(f"  {result.hint}")


def show_list(found: dict[str, Any]) -> None:
    if not found["collections"]:
        print_line(
            "There are no collections; the commands work on single sources and on the whole library as well."
        )
        print_hint("A collection is a section [collections.NAME] in windrow.toml.")
    else:
        rows = [
            (
                each["name"],
                each["title"],
                ", ".join(each["sources"]),
                f"{each['records']:,}",
                _describe_step(each["last"]),
            )
            for each in found["collections"]
        ]
        print_table(("name", "title", "sources", "records", "last step"), rows, right="   r")
    show_index(found["index"])


def show_collection_details(found: dict[str, Any]) -> None:
    print_line(f"{found['name']}: {printable(found['title'])}", style="bold")
    for name, source in found["sources"].items():
        print_line(
            f"  {name:<20} {plural(source['records'], 'record')}{'' if source['enabled'] else ', disabled'}"
        )
    for step in found["steps"]:
        print_line(f"  {format_iso_time(step['started'])}  {_describe_step(step)}")
    show_index(found["index"])


def show_index(index: dict[str, Any]) -> None:
    """Print which generation is active, and which others are available."""
    if index["generation"] is None:
        print_line("There is no index yet.")
    else:
        print_line(f"Searched     {index['generation']}")
    if index["held_since"]:
        since = format_iso_time(index["held_since"])
        print_line(f"Held         since {since}: nothing follows or replaces it", style="warn")
        print_hint("Let go, and search the newest again: windrow collection activate")
    if index["waiting"]:
        print_line(f"Waiting      {index['waiting']}: windrow collection activate")
    if index["previous"]:
        print_line(f"Before it    {index['previous']}: windrow collection rollback")


def show_steps(found: Sequence[CollectionStep]) -> None:
    from windrow.cli.run_summary import format_duration

    rows = [
        (
            format_time(_time(step.started)),
            step.kind.value,
            step.collection or "all",
            format_duration(step.seconds) if step.seconds is not None else "",
            step.word,
            f"{step.records:,}",
            step.generation,
            step.summary,
        )
        for step in found
    ]
    headers = ("started", "step", "collection", "took", "outcome", "records", "generation", "what")
    styles = ["" if step.word == "ok" else OUTCOME_STYLES.get(step.word, "") for step in found]
    print_table(headers, rows, right="   r r", styles=styles)


def _record_counts(opened: Library) -> dict[str, int]:
    from windrow.store.overview import list_overviews

    return {each.name: each.records for each in list_overviews(opened.store, opened.config.sources)}


def _last_step(opened: Library, name: str) -> dict[str, Any] | None:
    from windrow.store import runs

    with opened.store.reading() as connection:
        found = runs.list_steps(connection, name, limit=1)
    return step_as_dict(found[0]) if found else None


def _describe_step(step: dict[str, Any] | None) -> str:
    if step is None:
        return "none yet"
    generation = f" {step['generation']}" if step["generation"] else ""
    return f"{step['kind']}{generation}: {step['state']}, {step['records']:,} records"


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


STEPS_SHOWN = 20
collection_app = typer.Typer(
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


@collection_app.command("list")
def list_collections(is_json: Annotated[bool, JSON] = False) -> None:
    """List collections: their sources, their records, what was done last."""
    with opened_library() as opened:
        found = collections_as_dicts(opened)
    if is_json:
        print_json(found)
    else:
        show_list(found)


@collection_app.command("show")
def show_collection(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A collection or a source.")],
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Show one collection: its sources, its last steps, the generation that is searched."""
    with opened_library() as opened:
        found = collection_as_dict(opened, name)
    if is_json:
        print_json(found)
    else:
        show_collection_details(found)


@collection_app.command("import")
def import_collection(
    name: Annotated[str, NAME] = "",
    incremental: Annotated[bool, INCREMENTAL] = False,
    keep_old: Annotated[bool, KEEP_OLD] = False,
    remove_old: Annotated[bool, REMOVE_OLD] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Take in what the sources of a collection have.

    Exit codes: 0 all good, 1 failed, 3 partial, 75 try later, 130 interrupted.
    """
    from windrow.cli.harvest_progress import progress_observer

    taking = _observed_import(incremental=incremental, keep_old=keep_old, remove_old=remove_old)
    with opened_library() as opened, stopping_on_signals() as stopper:
        with progress_observer(is_quiet=is_json) as observer:
            imported = _steps(opened, name, stopper, observer=observer).take_in(taking)
        _update_list_pages(opened, stopper)
    if is_json:
        print_json(imported_as_dict(imported))
    else:
        show_imported(imported)
        print_hint(f"Next: windrow collection build {name}".rstrip())
    raise typer.Exit(_exit_code(imported))


@collection_app.command("build")
def build(name: Annotated[str, NAME] = "", is_json: Annotated[bool, JSON] = False) -> None:
    """Build a new generation of the index aside; searches go on with the active one."""
    with opened_library() as opened, stopping_on_signals() as stopper:
        built = _build(_steps(opened, name, stopper, is_quiet=is_json), opened, is_quiet=is_json)
    if is_json:
        print_json(_built_as_dict(built))
    else:
        _show_built(built)
        print_hint(f"It waits. Next: windrow collection activate {name}".rstrip())


@collection_app.command("activate")
def activate(
    name: Annotated[str, NAME] = "",
    generation: Annotated[
        str | None,
        typer.Option("--generation", metavar="G", help="This one; none: the newest that waits."),
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Let the generation that was built be searched from now on, in one step; lets go of a held one."""
    from windrow.index import activation

    with opened_library() as opened, stopping_on_signals() as stopper:
        opened.members(name)
        done = activation.activate(
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


@collection_app.command("update")
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
    from windrow.cli.harvest_progress import progress_observer

    taking = _observed_import(incremental=incremental, keep_old=keep_old, remove_old=remove_old)
    with opened_library() as opened, stopping_on_signals() as stopper:
        ticker = Ticker("indexed", is_quiet=is_json)
        with progress_observer(is_quiet=is_json) as observer:
            updated = _steps(opened, name, stopper, observer=observer, ticker=ticker).update(taking)
        ticker.clear()
        _update_list_pages(opened, stopper)
    if is_json:
        print_json(
            {
                "import": imported_as_dict(updated.imported),
                "build": _built_as_dict(updated.built) if updated.built else None,
                "activation": _swapped_as_dict(updated.activated) if updated.activated else None,
            }
        )
    else:
        show_imported(updated.imported)
        if updated.built and updated.activated:
            _show_built(updated.built)
            _show_activated(updated.activated)
        elif updated.imported.is_any_good:
            print_line("Nothing is new; the active generation stays.")
        else:
            print_line("Nothing was built: nothing came in. The active generation stays.", style="warn")
    raise typer.Exit(_exit_code(updated.imported))


@collection_app.command("history")
def history(
    name: Annotated[str | None, NAME] = None,
    limit: Annotated[int | None, LIMIT] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """List imports, builds, activations and rollbacks, newest first."""
    from windrow.store import runs

    most = list_limit(limit, shown=STEPS_SHOWN, is_json=is_json)
    with opened_library() as opened:
        if name is not None:
            opened.members(name)
        with opened.store.reading() as connection:
            found = runs.list_steps(connection, name, limit=most + 1)
    is_more, found = len(found) > most, found[:most]
    if is_json:
        print_json([step_as_dict(step) for step in found])
    elif found:
        show_steps(found)
        if is_more:
            print_hint(f"There are more: --limit {2 * most}")
    else:
        print_line("Nothing has been imported or built yet.")
        print_hint(f"Next: windrow collection update {name or ''}".rstrip())


@collection_app.command("rollback")
def rollback(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Let the generation before this one be searched again, and hold it until you let go."""
    from windrow.index import activation

    with opened_library() as opened:
        if dry_run:
            before, after = opened.generations.current(), activation.check_rollback(opened.generations)
            done = activation.Activation(after, before or "")
        else:
            done = activation.roll_back(opened.store, opened.generations, owner="windrow collection rollback")
    if is_json:
        print_json({"generation": done.generation, "before": done.before, "held": not dry_run})
        return
    print_line(f"{done.generation} {'would be' if dry_run else 'is'} searched instead of {done.before}.")
    if not dry_run:
        print_line("It is held: nothing follows or replaces it.")
        print_hint("Let go, and search the newest again: windrow collection activate")


def _observed_import(*, incremental: bool, keep_old: bool, remove_old: bool) -> ImportMode:
    from windrow.harvest.collections import ImportMode

    flags = {
        ImportMode.INCREMENTAL: incremental,
        ImportMode.KEEP_OLD: keep_old,
        ImportMode.REMOVE_OLD: remove_old,
    }
    chosen = [taking for taking, is_wanted in flags.items() if is_wanted]
    if len(chosen) > 1:
        raise UsageError(" and ".join(f"--{each}" for each in chosen) + " exclude each other")
    return chosen[0] if chosen else ImportMode.INCREMENTAL


def _steps(
    opened: Library,
    name: str,
    stopper: Stopper,
    *,
    observer: Any = None,
    ticker: Ticker | None = None,
    is_quiet: bool = False,
) -> CollectionSteps:
    from windrow.harvest.options import NullObserver
    from windrow.wiring.harvesting import collection_steps, register_sources

    steps = collection_steps(
        opened,
        name,
        observer=observer or NullObserver(),
        stopper=stopper,
        on_progress=ticker or Ticker("indexed", is_quiet=is_quiet),
    )
    if observer is not None:
        if not opened.members(name):
            raise UsageError("there is nothing to take in", hint="Add a source: windrow source add NAME URL")
        register_sources(opened, [each.name for each in opened.members(name)])
    return steps


def _build(steps: CollectionSteps, opened: Library, *, is_quiet: bool) -> IndexUpdate:
    holder = opened.generations.writer()
    if holder and not is_quiet:
        print_hint(f"{holder} is writing to the index, if it still runs; this waits for it.")
    return steps.build()


def _update_list_pages(opened: Library, stopper: Stopper) -> None:
    from windrow.store.published import list_pages

    if not stopper.is_stopping:
        list_pages.update_list_pages(opened.store, heed=stopper.check)


def _exit_code(imported: ImportResult) -> int:
    from windrow.model.run import EXIT_CODES

    return EXIT_CODES[imported.outcome]


def _built_as_dict(built: IndexUpdate) -> dict[str, Any]:
    return {
        "generation": built.generation,
        "records": built.put,
        "unreadable": built.unreadable,
        "seconds": round(built.seconds, 3),
    }


def _show_built(built: IndexUpdate) -> None:
    print_line(f"Built {built.generation} aside: {plural(built.put, 'record')} ({built.seconds:.1f} s)")
    if built.unreadable:
        words = plural(built.unreadable, "record")
        print_line(f"  {words} cannot be mapped: found by identifier only", style="warn")


def _swapped_as_dict(done: Activation) -> dict[str, Any]:
    return {
        "generation": done.generation,
        "before": done.before or None,
        "changed": done.is_changed,
        "records": done.records,
        "caught_up": done.put + done.removed,
        "was_held": done.was_held,
    }


def _show_activated(done: Activation) -> None:
    if done.is_changed:
        instead = f" instead of {done.before}" if done.before else ""
        print_line(f"{done.generation} is searched now{instead}: {plural(done.records, 'record')}.")
    elif not done.was_held:
        print_line(f"{done.generation} is searched already; nothing waits.")
    if done.was_held:
        print_line("The hold is over: the index follows the library again.")
    caught_up = done.put + done.removed
    if caught_up:
        print_line(f"  {plural(caught_up, 'change')} that came since it was built taken in", style="dim")
