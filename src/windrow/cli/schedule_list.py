"""`windrow schedule list`: the jobs of a library, a line each."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

from windrow.cli import schedule_view as view
from windrow.cli.state import JSON, library, print_json
from windrow.cli.terminal import OUTCOME_STYLES, columns, hint, say

if TYPE_CHECKING:
    from windrow.schedule.managing import Entry

_HEADERS = ("job", "what", "when", "next", "last")


def list_(is_json: Annotated[bool, JSON] = False) -> None:
    """List the jobs: what they do, when, when next, how the last run ended."""
    with library() as opened:
        entries = view.manager(opened).entries()
    now = time.time()
    if is_json:
        print_json([view.as_dict(entry, now=now) for entry in entries])
    elif entries:
        rows = [_cells(entry, now) for entry in entries]
        columns(_HEADERS, rows, styles=[_style(entry) for entry in entries])
        if any(view.is_overdue(entry, now) for entry in entries):
            hint("Nobody begins what is overdue: `windrow serve` would while it serves, or `windrow worker`.")
    else:
        say("There are no jobs yet.")
        hint("Add one: windrow schedule add nightly --daily --at 03:30 harvest")


def _cells(entry: Entry, now: float) -> tuple[str, ...]:
    return entry.name, entry.settings.run, view.when(entry), view.coming(entry, now), _last(entry)


def _last(entry: Entry) -> str:
    state = entry.state
    if state is None or state.failing_since is None:
        return view.outcome(entry)
    return f"{view.outcome(entry)}, failing since {(view.iso(state.failing_since) or '')[:10]}"


def _style(entry: Entry) -> str:
    is_bad = entry.cadence is None or (entry.state is not None and entry.state.failing_since is not None)
    return OUTCOME_STYLES["failed"] if is_bad else ""
