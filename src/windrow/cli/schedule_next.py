"""`windrow schedule next`: when a job is due, as far ahead as one likes."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from windrow.cli import schedule_view as view
from windrow.cli.completion import job_names
from windrow.cli.state import JSON, library, print_json
from windrow.cli.terminal import hint, say
from windrow.errors import ConfigError

_MOST = 1000


def next_(
    name: Annotated[str, typer.Argument(help="The job.", autocompletion=job_names)],
    count: Annotated[int, typer.Option("-n", "--count", min=1, max=_MOST, help="How many times.")] = 5,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Print the next times of a job, as its own clock shows them."""
    with library() as opened:
        entry = view.manager(opened).entry(name)
    if entry.cadence is None:
        raise ConfigError(f"when {name} is due cannot be read: {entry.problem}")
    now = time.time()
    if is_json:
        print_json(view.as_dict(entry, now=now, count=count))
        return
    for moment in entry.times(now, count):
        say(view.local(moment, entry))
    if entry.is_paused:
        hint(f"It rests now, and none of these will come: windrow schedule resume {name}")
