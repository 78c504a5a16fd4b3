"""`windrow harvest --dry-run`: what a harvest would do. Nothing is stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from windrow.cli.source_asking import Steps
from windrow.cli.state import print_json
from windrow.cli.terminal import printable, say

if TYPE_CHECKING:
    from windrow.harvest.options import HarvestOptions
    from windrow.wiring import Library


def preview(library: Library, names: Sequence[str], options: HarvestOptions, *, is_json: bool) -> int:
    """Show what each source would bring; return the exit code."""
    from windrow.wiring.source_kinds import kind_for, refuse_meaningless

    steps = Steps(is_quiet=is_json)
    values: list[Any] = []
    has_problem = False
    for name in names:
        settings = library.source(name)
        refuse_meaningless(settings, options)
        for found in kind_for(settings).preview(library, settings, options, steps):
            values.append(found.values)
            has_problem |= found.has_problem
            for line in () if is_json else found.lines:
                say(printable(line.words), style=line.style)
    if is_json:
        print_json(values)
    else:
        say("Nothing was stored.", style="dim")
    return 1 if has_problem else 0
