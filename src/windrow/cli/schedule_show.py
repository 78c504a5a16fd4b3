"""`windrow schedule show`: one job whole, with its last runs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.cli import schedule_view as view
from windrow.cli.completion import job_names
from windrow.cli.state import EVERYTHING, JSON, library, print_json
from windrow.cli.terminal import columns, hint, moment, printable, say

if TYPE_CHECKING:
    from windrow.model.job import JobRun
    from windrow.schedule.managing import Entry

RUNS_SHOWN = 10
_WIDTH = 15


def show(
    name: Annotated[str, typer.Argument(help="The job.", autocompletion=job_names)],
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Show a job: all its settings, its next times, its last runs and where their output is."""
    with library() as opened:
        jobs = view.manager(opened)
        entry, runs = jobs.entry(name), jobs.runs(name, limit=EVERYTHING if is_json else RUNS_SHOWN)
        folder = opened.folder
    now = time.time()
    if is_json:
        print_json(
            view.as_dict(entry, now=now)
            | {"settings": _settings(entry), "runs": list(map(view.run_as_dict, runs))}
        )
        return
    say(entry.name, style="bold")
    _line("does", f"windrow {entry.settings.run}")
    _line("when", view.when(entry))
    _line("next", view.coming(entry, now))
    _show_state(entry)
    for key, value in _settings(entry).items():
        if key not in {"run", "every", "at", "on"}:
            _line(key.replace("_", " "), value)
    _show_runs(runs)
    if any(run.log for run in runs):
        hint(printable(f"The output of a run: windrow run log NUMBER, or in {folder / 'logs' / name}"))


def _settings(entry: Entry) -> dict[str, str]:
    """Give its settings, each as windrow.toml would have it."""
    from windrow.config.fields import fields_of

    fields = fields_of(type(entry.settings))
    return {key: each.show(getattr(entry.settings, each.attribute)) for key, each in fields.items()}


def _show_state(entry: Entry) -> None:
    state = entry.state
    if state is None:
        return
    if state.running is not None:
        _line("running", f"since {_moment(state.running.started)}, by {state.holder}")
    if state.last_good is not None:
        _line("last good", _moment(state.last_good.ended))
    if state.failing_since is not None:
        times = "once" if state.failures == 1 else f"{state.failures:,} times in a row"
        _line("failing", f"since {_moment(state.failing_since)}, {times}")


def _show_runs(runs: Sequence[JobRun]) -> None:
    say()
    if not runs:
        say("It did not run yet.")
        return
    rows = [
        (
            str(run.id),
            _moment(run.started),
            run.outcome.value if run.outcome else "running",
            str(run.attempt) if run.attempt > 1 else "",
            run.summary,
        )
        for run in runs
    ]
    columns(("run", "began", "ended", "try", "in words"), rows, right="r")


def _line(label: str, value: str) -> None:
    if value:
        say(f"  {label:{_WIDTH}}{printable(value)}")


def _moment(seconds: float | None) -> str:
    return moment(None if seconds is None else datetime.fromtimestamp(seconds, UTC))
