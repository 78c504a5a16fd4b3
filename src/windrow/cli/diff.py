"""`windrow diff`: what a run added, changed, deleted, restored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.run import find_run
from windrow.cli.state import JSON, library, print_json
from windrow.cli.terminal import cut, hint, plural, printable, say, shorten

if TYPE_CHECKING:
    from windrow.harvest.differences import Differences, FieldChange, Touched
    from windrow.model.run import Run

_MARKS = {"added": ("+", "good"), "deleted": ("-", "bad"), "restored": ("+", "good")}
_LONGEST_VALUE = 200
_CONTEXT = 30

TOUCHED_SHOWN = 20  # of each kind


def add_to(app: typer.Typer) -> None:
    """Put this command among the others."""
    app.command("diff")(diff)


def diff(
    number: Annotated[int, typer.Argument(metavar="RUN", help="The run's number; see `windrow run list`.")],
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            "-n",
            min=0,
            metavar="N",
            help="At most so many of each kind; 0: all. [default: 20; with --json all]",
        ),
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Show what a run added, changed, deleted and restored, field by field."""
    from windrow.harvest.differences import differences

    most = limit if limit is not None else 0 if is_json else TOUCHED_SHOWN
    with library() as opened, opened.store.reading() as connection:
        run = find_run(connection, number)
        found = differences(connection, number, limit=most or None)
    if is_json:
        print_json({"run": run.id, "source": run.source, **_as_dict(found)})
    else:
        _show(run, found)


def _as_dict(found: Differences) -> dict[str, Any]:
    return {
        "counts": found.counts,
        "records": [
            {
                "kind": item.kind,
                "identifier": item.identifier,
                "title": item.title,
                "fields": [
                    {"field": field.name, "gone": list(field.gone), "come": list(field.come)}
                    for field in item.fields
                ],
                "note": item.note or None,
            }
            for item in found.touched
        ],
    }


def _show(run: Run, found: Differences) -> None:
    say(f"Run {run.id} of {run.source}, {run.started:%Y-%m-%d %H:%M} UTC", style="bold")
    counts = [f"{count:,} {kind}" for kind, count in found.counts.items() if count]
    if not counts:
        say("  It changed nothing.")
        return
    say("  " + ", ".join(counts))
    kind = ""
    for item in found.touched:
        if item.kind != kind:
            kind = item.kind
            say()
            say(kind.capitalize(), style="bold")
        _show_item(item)
    hidden = sum(found.counts.values()) - len(found.touched)
    if hidden:
        hint(f"… and {plural(hidden, 'record')} more: --limit 0 shows all")


def _show_item(item: Touched) -> None:
    mark, style = _MARKS.get(item.kind, ("~", "warn"))
    say(f"  {mark} ", style=style, end="")
    note = f" ({item.note})" if item.note else ""
    say(cut(f"{printable(item.identifier)}  {printable(item.title or '')}{printable(note)}".rstrip()))
    for field in item.fields:
        show_field(field)


def show_field(field: FieldChange) -> None:
    """Print one field: what is gone, what has come."""
    say(f"      {field.name}", style="dim")
    for mark, style, values in (("-", "bad", field.gone), ("+", "good", field.come)):
        others = field.come if mark == "-" else field.gone
        for place, value in enumerate(values):
            other = others[place] if len(others) == len(values) else ""
            say(f"        {mark} ", style=style, end="")
            say(_differing(printable(value), printable(other)))


def _differing(value: str, other: str) -> str:
    """Give a value; of a long one the part in which it differs from the other, with a little around it."""
    if len(value) <= _LONGEST_VALUE:
        return value
    start = _shared(value, other)
    end = _shared(value[start:][::-1], other[start:][::-1])
    first = max(0, start - _CONTEXT) if other else 0
    last = min(len(value), len(value) - end + _CONTEXT) if other else len(value)
    before, after = "…" if first else "", "…" if last < len(value) else ""
    return before + shorten(value[first:last], _LONGEST_VALUE) + after


def _shared(one: str, other: str) -> int:
    """How many letters two texts have in common from their start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (mine, yours) in pairs if mine != yours), min(len(one), len(other)))
