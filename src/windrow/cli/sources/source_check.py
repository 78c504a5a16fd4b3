"""`windrow source check` and `compare`: probe a repository, and compare its metadata formats."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windrow.cli import terminal
from windrow.cli.invocation import JSON, opened_library, print_json, source_names
from windrow.cli.sources.source_flags import base_url
from windrow.cli.terminal import (
    add_mask,
    display_width,
    plural,
    print_hint,
    print_line,
    printable,
    shorten,
    terminal_width,
)
from windrow.config.loader import LIBRARY_VARIABLE
from windrow.config.network_values import mask_url
from windrow.errors import LibraryMissing, NotFound, UpstreamBusy, UsageError

if TYPE_CHECKING:
    from windrow.config.schema import Config, SourceSettings
    from windrow.net.politeness import Wait
    from windrow.sources.format_comparison import Comparison, FormatCoverage
    from windrow.sources.oai_client import OaiClient
    from windrow.sources.repository_findings import Finding
    from windrow.wiring import Library
    from windrow.wiring.source_kinds import Shown

# How a repository is asked from the command line: settings, patience, and a status line.

MAX_WAIT_SECONDS = 600.0  # for one command
_STEP_TEXTS = "asked"  # the name of a source that exists only for this command


@dataclass(slots=True)
class StepDisplay:
    """Shows the current step: one changing line on a terminal, a line per step elsewhere."""

    is_quiet: bool = False
    waits: list[Wait] = field(default_factory=list)
    max_waited_seconds: float = MAX_WAIT_SECONDS

    def step(self, name: str) -> None:
        self._show(f"{name} …")

    def wait(self, wait: Wait) -> None:
        """Show a noticeable wait; raise UpstreamBusy if the waits have taken too long."""
        from windrow.net.client import ASKED_TO_WAIT
        from windrow.wiring.oai_source import LATER

        self.waits.append(wait)
        waited = sum(each.seconds for each in self.waits if each.reason == ASKED_TO_WAIT)
        if wait.reason == ASKED_TO_WAIT and waited > self.max_waited_seconds:
            raise UpstreamBusy(
                f"{wait.url}: the server asks for {wait.seconds:.0f} s more, {waited:.0f} s in all",
                seconds=wait.seconds,
                hint=LATER,
            )
        if wait.seconds >= 1:
            self._show(f"waiting {wait.seconds:.0f} s: {wait.reason}")

    def done(self) -> None:
        if not self.is_quiet and not terminal.is_quiet() and sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _show(self, words: str) -> None:
        if self.is_quiet or terminal.is_quiet():
            return
        if sys.stderr.isatty() and not terminal.is_verbose():
            sys.stderr.write("\r\x1b[K" + shorten(printable(words), terminal_width() - 1))
            sys.stderr.flush()
        else:
            print_hint(printable(words))


@contextmanager
def open_client(
    opened: Library | None, config: Config, settings: SourceSettings, steps: StepDisplay
) -> Iterator[OaiClient]:
    """Yield a client for a repository that may not be a source yet, with its secrets masked."""
    from windrow.wiring import oai_source as wired

    hide_secrets(config)
    with wired.open_probe_client(opened, config, settings, steps, environ=os.environ) as client:
        yield client


def hide_secrets(config: Config) -> None:
    from windrow.config.secrets import mask_for

    add_mask(mask_for(config, os.environ))


def prospective_config(folder: Path | None, name: str, table: Mapping[str, object]) -> Config:
    """Return the configuration with one more source; without a library, with only that source."""
    from windrow.config.loader import load_document
    from windrow.config.schema import FILE_NAME, SOURCES
    from windrow.config.toml_document import Document, read_document

    document = read_document(folder / FILE_NAME) if folder else Document(Path.cwd() / FILE_NAME, "", {})
    values: dict[str, Any] = deepcopy(dict(document.values))
    values.setdefault(SOURCES, {})[name] = dict(table)
    return load_document(replace(document, values=values), environ=os.environ)


def find_or_make_settings(opened: Library | None, target: str) -> tuple[Config, SourceSettings]:
    """Return the settings for a source's name, for the address of a source, or for a new address."""
    is_address = "://" in target
    known = opened.config.sources if opened else {}
    for name, settings in known.items():
        if opened is not None and (target == name or (is_address and settings.url == target)):
            return opened.config, settings
    if not is_address:
        sources = f"; the sources of this library: {', '.join(sorted(known)) or 'none yet'}" if opened else ""
        raise NotFound(
            f"{mask_url(target)!r} is neither a source nor an address",
            hint=f"An address begins with https://{sources}.",
        )
    name = next(
        name
        for name in (_STEP_TEXTS, *(f"{_STEP_TEXTS}{n}" for n in range(len(known) + 1)))
        if name not in known
    )
    config = prospective_config(opened.folder if opened else None, name, {"url": target})
    return config, config.sources[name]


@contextmanager
def library_if_any(ctx: typer.Context) -> Iterator[Library | None]:
    """Yield the library; None if there is none and none was named."""
    is_named = ctx.find_root().params.get("library_") or os.environ.get(LIBRARY_VARIABLE)
    with ExitStack() as stack:
        opened = None
        try:
            opened = stack.enter_context(opened_library())
        except LibraryMissing:
            if is_named:
                raise
        yield opened


_STYLES = {"good": "good", "note": "warn", "problem": "bad"}
_GRADE_WIDTH = 7
_NARROWEST = 40


def check(
    ctx: typer.Context,
    target: Annotated[
        str,
        typer.Argument(
            metavar="URL|NAME", help="An OAI-PMH base URL, or a source.", autocompletion=source_names
        ),
    ],
    prefix: Annotated[
        str | None,
        typer.Option("--format", metavar="PREFIX", help="The metadata format to try. [default: oai_dc]"),
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Look a repository over before harvesting it.

    About a dozen requests; nothing is stored. A source of another kind is looked at as its kind does it.

    Exit codes: 0 it can be harvested, 1 it cannot, 75 it asked to come back later.
    """
    from windrow.wiring.source_kinds import Asking, kind_for

    target = base_url(target) if "://" in target else target
    steps = StepDisplay(is_quiet=is_json)
    with library_if_any(ctx) as opened:
        config, settings = find_or_make_settings(opened, target)
        hide_secrets(config)
        question = Asking(config=config, library=opened, steps=steps)
        found = kind_for(settings).check(settings, question, prefix=prefix)
    if is_json:
        print_json(dict(found.values))
    else:
        _show_findings(found)
    raise typer.Exit(found.failure.exit_code if found.failure else 0)


def _show_findings(found: Shown) -> None:
    topics = max((len(item.topic) for item in found.findings), default=0)
    for item in found.findings:
        _show_probe_finding(item, topics)
    for line in found.lines:
        print_line(printable(line.words), style=line.style)
    for words in found.hints:
        print_hint(printable(words))


def _show_probe_finding(item: Finding, topics: int) -> None:
    """Print one finding in one line, wrapped and indented on a terminal if it is too long."""
    words = item.found + (f" → Windrow {item.action}" if item.action else "")
    head = f"{item.grade:<{_GRADE_WIDTH}}"
    print_line(head, style=_STYLES[item.grade], end="")
    lines = [printable(words)]
    if sys.stdout.isatty():
        room = max(terminal_width() - len(head) - topics - 5, _NARROWEST)
        lines = textwrap.wrap(lines[0], room, break_on_hyphens=False) or [""]
    print_line(f"  {item.topic:<{topics}}  {lines[0]}")
    for line in lines[1:]:
        print_line(" " * (len(head) + topics + 4) + line)


# `windrow source compare`: the formats of a repository side by side, on the same records.

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
    from windrow.sources import format_comparison as sources

    target = base_url(target) if "://" in target else target
    steps = StepDisplay(is_quiet=is_json)
    with library_if_any(ctx) as opened:
        config, settings = find_or_make_settings(opened, target)
        kind = kind_of(settings)
        if not kind.is_repository:
            raise UsageError(
                f"{settings.name} is {kind.label}, which has no formats to choose from: there is nothing"
                " to compare",
                hint=f"What it shows: windrow source check {settings.name}",
            )
        spec = settings.sets[0] if settings.sets else None
        with open_client(opened, config, settings, steps) as client:
            found = sources.compare_formats(
                client, sample=sample, formats=formats or (), spec=spec, on_step=steps.step
            )
    if is_json:
        print_json(_comparison_as_dict(found))
        return
    if found.best is None:
        reasons = "; ".join(f"{item.prefix}: {item.trouble}" for item in found.portraits if item.trouble)
        raise NotFound("there are no records to compare", hint=reasons or "The repository lists none.")
    _show_comparison(found, found.best, settings.name if settings.name == target else None)


def _comparison_as_dict(found: Comparison) -> dict[str, Any]:
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


def _show_comparison(found: Comparison, best: FormatCoverage, source: str | None) -> None:
    drawn = [item for item in found.portraits if item.records]
    print_line(f"{plural(len(found.identifiers), 'record')}: how many have a field, how many values each has")
    for group in _groups(drawn):
        print_line()
        _table(group)
    print_line()
    print_line(
        f"{printable(best.prefix)} fills most: {best.score:.1f} of {len(best.fills) - 1} fields a record.",
        style="bold",
    )
    for line in _remarks(found, best):
        print_line(printable(line))
    if source is not None:
        print_hint(f"Next: windrow source edit {source} --format {printable(best.prefix)}")


def _groups(drawn: Sequence[FormatCoverage]) -> Iterator[list[FormatCoverage]]:
    """Split the formats into tables that fit the terminal, or eighty columns."""
    room = terminal_width() if sys.stdout.isatty() else 80
    label = _label_width(drawn[0])
    group: list[FormatCoverage] = []
    used = label
    for item in drawn:
        needed = _GAP + max(display_width(cell) for cell in _cells(item))
        if group and used + needed > room:
            yield group
            group, used = [], label
        group.append(item)
        used += needed
    yield group


def _table(group: Sequence[FormatCoverage]) -> None:
    label = _label_width(group[0])
    names = ["", *group[0].fills, "bytes a record"]
    cells = [_cells(item) for item in group]
    sizes = [max(display_width(cell) for cell in column) for column in cells]
    for row, name in enumerate(names):
        line = name.ljust(label)
        for column, size in zip(cells, sizes, strict=True):
            line += " " * (_GAP + size - display_width(column[row])) + column[row]
        print_line(line.rstrip(), style="" if row else "bold")


def _label_width(item: FormatCoverage) -> int:
    return max(len(name) for name in (*item.fills, "bytes a record"))


def _cells(item: FormatCoverage) -> list[str]:
    shares = [
        f"{fill.share:.0%} {f'×{fill.mean:.1f}':>5}" if fill.share else "–" + " " * 6
        for fill in item.fills.values()
    ]
    return [printable(item.prefix), *shares, f"{item.mean_bytes:,}"]


def _remarks(found: Comparison, best: FormatCoverage) -> Iterator[str]:
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
