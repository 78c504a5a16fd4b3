"""Collections, their steps and the generations of the index, as people and programs see them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from windrow.cli.terminal import OUTCOME_STYLES, columns, hint, iso_moment, moment, plural, printable, say

if TYPE_CHECKING:
    from windrow.harvest.collection_steps import Imported
    from windrow.model.collection_step import CollectionStep
    from windrow.wiring import Library

_STEPS = 5  # of one collection, on its page


def listed(opened: Library) -> dict[str, Any]:
    """Give every collection with its numbers, and the index that they share."""
    records = _records(opened)
    return {
        "collections": [
            {
                "name": settings.name,
                "title": settings.title,
                "sources": list(settings.sources),
                "records": sum(records.get(source, 0) for source in settings.sources),
                "last": _last(opened, settings.name),
            }
            for settings in opened.config.collections.values()
        ],
        "index": index_as_dict(opened),
    }


def portrait(opened: Library, name: str) -> dict[str, Any]:
    """Give one collection, or a source as one."""
    from windrow.store import builds

    members = opened.members(name)
    settings, records = opened.config.collections.get(name), _records(opened)
    with opened.store.reading() as connection:
        steps = builds.steps(connection, name, limit=_STEPS)
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
    """Give which generation is searched, which waits, which can be gone back to, and whether one is held."""
    from windrow.index.swapping import previous, waiting

    generations = opened.generations
    held = generations.hold()
    return {
        "generation": generations.current(),
        "waiting": waiting(generations),
        "previous": previous(generations),
        "held_since": held.since if held else None,
    }


def step_as_dict(step: CollectionStep) -> dict[str, Any]:
    """Give a step as plain values."""
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


def imported_as_dict(imported: Imported) -> dict[str, Any]:
    """Give what was taken in as plain values."""
    from windrow.cli.summary import run_as_dict
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


def show_imported(imported: Imported) -> None:
    """Print how it went with each source."""
    from windrow.cli.summary import show_run
    from windrow.model.run import Run

    for name, result in imported.results.items():
        if isinstance(result, Run):
            show_run(result)
        else:
            say(f"{name}: ", end="")
            say("not harvested", style="bad", end="")
            say(f" ({printable(str(result))})")
            if result.hint:
                hint(f"  {result.hint}")


def show_list(found: dict[str, Any]) -> None:
    """Print the collections, and what is searched."""
    if not found["collections"]:
        say("There are no collections; the commands work on single sources and on the whole library as well.")
        hint("A collection is a section [collections.NAME] in windrow.toml.")
    else:
        rows = [
            (
                each["name"],
                each["title"],
                ", ".join(each["sources"]),
                f"{each['records']:,}",
                _last_words(each["last"]),
            )
            for each in found["collections"]
        ]
        columns(("name", "title", "sources", "records", "last step"), rows, right="   r")
    show_index(found["index"])


def show_portrait(found: dict[str, Any]) -> None:
    """Print one collection."""
    say(f"{found['name']}: {printable(found['title'])}", style="bold")
    for name, source in found["sources"].items():
        say(f"  {name:<20} {plural(source['records'], 'record')}{'' if source['enabled'] else ', disabled'}")
    for step in found["steps"]:
        say(f"  {iso_moment(step['started'])}  {_last_words(step)}")
    show_index(found["index"])


def show_index(index: dict[str, Any]) -> None:
    """Print which generation is searched, and what could be instead."""
    if index["generation"] is None:
        say("There is no index yet.")
    else:
        say(f"Searched     {index['generation']}")
    if index["held_since"]:
        since = iso_moment(index["held_since"])
        say(f"Held         since {since}: nothing follows or replaces it", style="warn")
        hint("Let go, and search the newest again: windrow collection activate")
    if index["waiting"]:
        say(f"Waiting      {index['waiting']}: windrow collection activate")
    if index["previous"]:
        say(f"Before it    {index['previous']}: windrow collection rollback")


def show_steps(found: Sequence[CollectionStep]) -> None:
    """Print the history."""
    from windrow.cli.summary import duration

    rows = [
        (
            moment(_time(step.started)),
            step.kind.value,
            step.collection or "all",
            duration(step.seconds) if step.seconds is not None else "",
            step.word,
            f"{step.records:,}",
            step.generation,
            step.summary,
        )
        for step in found
    ]
    headers = ("started", "step", "collection", "took", "outcome", "records", "generation", "what")
    styles = ["" if step.word == "ok" else OUTCOME_STYLES.get(step.word, "") for step in found]
    columns(headers, rows, right="   r r", styles=styles)


def _records(opened: Library) -> dict[str, int]:
    from windrow.store.overview import overviews

    return {each.name: each.records for each in overviews(opened.store, opened.config.sources)}


def _last(opened: Library, name: str) -> dict[str, Any] | None:
    from windrow.store import builds

    with opened.store.reading() as connection:
        found = builds.steps(connection, name, limit=1)
    return step_as_dict(found[0]) if found else None


def _last_words(step: dict[str, Any] | None) -> str:
    if step is None:
        return "none yet"
    generation = f" {step['generation']}" if step["generation"] else ""
    return f"{step['kind']}{generation}: {step['state']}, {step['records']:,} records"


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
