"""`windrow schedule pause` and `resume`: a job that rests, and one that does so no longer."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from windrow.cli import schedule_view as view
from windrow.cli.completion import job_names
from windrow.cli.state import JSON, library, print_json
from windrow.cli.terminal import hint, say

Name = Annotated[str, typer.Argument(help="The job.", autocompletion=job_names)]


def pause(name: Name, is_json: Annotated[bool, JSON] = False) -> None:
    """Let a job rest. A run that is under way goes on."""
    with library() as opened:
        entry = view.manager(opened).pause(name)
    if is_json:
        print_json(view.as_dict(entry, now=time.time()))
        return
    say(f"{name} rests.")
    hint(f"Until: windrow schedule resume {name}")


def resume(name: Name, is_json: Annotated[bool, JSON] = False) -> None:
    """Let a job that rests run again, from its next time on."""
    with library() as opened:
        entry = view.manager(opened).resume(name)
    now = time.time()
    if is_json:
        print_json(view.as_dict(entry, now=now))
        return
    say(f"{name} runs again: {view.coming(entry, now)}.")
