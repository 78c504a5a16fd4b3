"""`windrow source check`: a repository probed before it is added, and what each finding means."""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.cli.completion import source_names
from windrow.cli.source_asking import Steps, hide_secrets, library_if_any, named_or_new
from windrow.cli.source_options import base_url
from windrow.cli.state import JSON, print_json
from windrow.cli.terminal import hint, printable, say, terminal_width

if TYPE_CHECKING:
    from windrow.sources.findings.finding import Finding
    from windrow.wiring.source_kinds import Shown

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
    steps = Steps(is_quiet=is_json)
    with library_if_any(ctx) as opened:
        config, settings = named_or_new(opened, target)
        hide_secrets(config)
        question = Asking(config=config, library=opened, steps=steps)
        found = kind_for(settings).check(settings, question, prefix=prefix)
    if is_json:
        print_json(dict(found.values))
    else:
        _show(found)
    raise typer.Exit(found.failure.exit_code if found.failure else 0)


def _show(found: Shown) -> None:
    topics = max((len(item.topic) for item in found.findings), default=0)
    for item in found.findings:
        _show_finding(item, topics)
    for line in found.lines:
        say(printable(line.words), style=line.style)
    for words in found.hints:
        hint(printable(words))


def _show_finding(item: Finding, topics: int) -> None:
    """One line; on a terminal folded under itself where it is too long."""
    words = item.found + (f" → Windrow {item.action}" if item.action else "")
    head = f"{item.grade:<{_GRADE_WIDTH}}"
    say(head, style=_STYLES[item.grade], end="")
    lines = [printable(words)]
    if sys.stdout.isatty():
        room = max(terminal_width() - len(head) - topics - 5, _NARROWEST)
        lines = textwrap.wrap(lines[0], room, break_on_hyphens=False) or [""]
    say(f"  {item.topic:<{topics}}  {lines[0]}")
    for line in lines[1:]:
        say(" " * (len(head) + topics + 4) + line)
