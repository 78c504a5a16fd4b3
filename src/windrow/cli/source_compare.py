"""`windrow source compare`: the formats of a repository side by side, on the same records."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli.completion import source_names
from windrow.cli.source_asking import Steps, asking, library_if_any, named_or_new
from windrow.cli.source_options import base_url
from windrow.cli.state import JSON, print_json
from windrow.cli.terminal import hint, plural, printable, say, terminal_width, width
from windrow.errors import NotFound, UsageError

if TYPE_CHECKING:
    from windrow.sources.compare import Comparison
    from windrow.sources.portrait import Portrait

_GAP = 2
_MOST_SAMPLED = 1000


def compare(
    ctx: typer.Context,
    target: Annotated[
        str,
        typer.Argument(
            metavar="NAME|URL", help="A source, or an OAI-PMH base URL.", autocompletion=source_names
        ),
    ],
    sample: Annotated[
        int,
        typer.Option("--sample", min=1, max=_MOST_SAMPLED, metavar="N", help="How many records to look at."),
    ] = 20,
    formats: Annotated[
        list[str] | None, typer.Option("--format", metavar="PREFIX", help="Only this format; repeatable.")
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Show which fields each format fills.

    The same records are fetched in every format the repository offers. Nothing is stored.
    """
    from windrow.config.source_kinds import kind_of
    from windrow.sources import compare as sources

    target = base_url(target) if "://" in target else target
    steps = Steps(is_quiet=is_json)
    with library_if_any(ctx) as opened:
        config, settings = named_or_new(opened, target)
        kind = kind_of(settings)
        if not kind.is_repository:
            raise UsageError(
                f"{settings.name} is {kind.label}, which has no formats to choose from: there is nothing"
                " to compare",
                hint=f"What it shows: windrow source check {settings.name}",
            )
        spec = settings.sets[0] if settings.sets else None
        with asking(opened, config, settings, steps) as client:
            found = sources.compare(
                client, sample=sample, formats=formats or (), spec=spec, on_step=steps.step
            )
    if is_json:
        print_json(_as_dict(found))
        return
    if found.best is None:
        reasons = "; ".join(f"{item.prefix}: {item.trouble}" for item in found.portraits if item.trouble)
        raise NotFound("there are no records to compare", hint=reasons or "The repository lists none.")
    _show(found, found.best, settings.name if settings.name == target else None)


def _as_dict(found: Comparison) -> dict[str, Any]:
    return {
        "identifiers": list(found.identifiers),
        "best": found.best.prefix if found.best else None,
        "formats": [
            {
                "format": item.prefix,
                "reader": item.reader,
                "records": item.records,
                "bytes": item.mean_bytes,
                "score": round(item.score, 3),
                "trouble": item.trouble or None,
                "fields": {
                    name: {"share": round(fill.share, 3), "values": round(fill.mean, 2)}
                    for name, fill in item.fills.items()
                },
            }
            for item in found.portraits
        ],
    }


def _show(found: Comparison, best: Portrait, source: str | None) -> None:
    drawn = [item for item in found.portraits if item.records]
    say(f"{plural(len(found.identifiers), 'record')}: how many have a field, how many values each has")
    for group in _groups(drawn):
        say()
        _table(group)
    say()
    say(
        f"{printable(best.prefix)} fills most: {best.score:.1f} of {len(best.fills) - 1} fields a record.",
        style="bold",
    )
    for line in _remarks(found, best):
        say(printable(line))
    if source is not None:
        hint(f"Next: windrow source edit {source} --format {printable(best.prefix)}")


def _groups(drawn: Sequence[Portrait]) -> Iterator[list[Portrait]]:
    """Part the formats into tables that fit the terminal; off a terminal, eighty columns."""
    room = terminal_width() if sys.stdout.isatty() else 80
    label = _label_width(drawn[0])
    group: list[Portrait] = []
    used = label
    for item in drawn:
        needed = _GAP + max(width(cell) for cell in _cells(item))
        if group and used + needed > room:
            yield group
            group, used = [], label
        group.append(item)
        used += needed
    yield group


def _table(group: Sequence[Portrait]) -> None:
    label = _label_width(group[0])
    names = ["", *group[0].fills, "bytes a record"]
    cells = [_cells(item) for item in group]
    sizes = [max(width(cell) for cell in column) for column in cells]
    for row, name in enumerate(names):
        line = name.ljust(label)
        for column, size in zip(cells, sizes, strict=True):
            line += " " * (_GAP + size - width(column[row])) + column[row]
        say(line.rstrip(), style="" if row else "bold")


def _label_width(item: Portrait) -> int:
    return max(len(name) for name in (*item.fills, "bytes a record"))


def _cells(item: Portrait) -> list[str]:
    """One column: the prefix, a cell a field, the bytes."""
    shares = [
        f"{fill.share:.0%} {f'×{fill.mean:.1f}':>5}" if fill.share else "–" + " " * 6
        for fill in item.fills.values()
    ]
    return [printable(item.prefix), *shares, f"{item.mean_bytes:,}"]


def _remarks(found: Comparison, best: Portrait) -> Iterator[str]:
    others = [item for item in found.portraits if item is not best and item.records]
    alone = [
        name
        for name, fill in best.fills.items()
        if fill.share and not any(item.fills[name].share for item in others)
    ]
    if alone and others:
        yield f"Only there: {', '.join(alone)}."
    elsewhere = {
        name: [item.prefix for item in others if item.fills[name].share]
        for name, fill in best.fills.items()
        if not fill.share
    }
    lacking = [f"{name} ({', '.join(prefixes)})" for name, prefixes in elsewhere.items() if prefixes]
    if lacking:
        yield f"It lacks what others have: {', '.join(lacking)}."
    for item in found.portraits:
        if item.records and item.reader is None:
            yield f"{item.prefix} has no reader of its own: its fields are picked out by their names."
        if item.trouble:
            yield f"{item.prefix}: {item.records} of {len(found.identifiers)} records ({item.trouble})."
