"""`windrow schedule add`: a new job in windrow.toml, explained back with its next times."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from windrow.cli import schedule_options as options
from windrow.cli import schedule_view as view
from windrow.cli.schedule_command import check_command
from windrow.cli.state import JSON, library, print_json
from windrow.errors import UsageError


def add(
    name: Annotated[str, typer.Argument(help="A short name: lower-case letters, digits, dots, dashes.")],
    command: Annotated[
        list[str],
        typer.Argument(metavar="COMMAND...", help="What to do: the words that would follow `windrow`."),
    ],
    *,
    hourly: options.Hourly = False,
    daily: options.Daily = False,
    weekly: options.Weekly = False,
    monthly: options.Monthly = False,
    yearly: options.Yearly = False,
    every: options.Every = None,
    cron: options.Cron = None,
    at: options.At = None,
    on: options.On = None,
    timezone: options.Timezone = None,
    host: options.Host = None,
    overlap: options.Overlap = None,
    jitter: options.Jitter = None,
    time_limit: options.TimeLimit = None,
    attempts: options.Attempts = None,
    backoff: options.Backoff = None,
    catch_up: options.CatchUp = None,
    before: options.Before = None,
    after: options.After = None,
    program_limit: options.ProgramLimit = None,
    tell: options.Tell = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Let something be done at certain times.

    Options come before the command; all that follows belongs to it:
    windrow schedule add nightly --daily --at 03:30 harvest theseus
    """
    from windrow.config.command_lines import join
    from windrow.schedule.zones import machine_zone

    named = {"hourly": hourly, "daily": daily, "weekly": weekly, "monthly": monthly, "yearly": yearly}
    often = options.frequency(named, every, cron)
    if often is None:
        raise UsageError(
            "nothing says how often",
            hint="Say --daily --at 03:30, --weekly --on mon, --every '6 hours' or --cron '0 6 * * 1'.",
        )
    settings = options.checked(
        {
            "every": often,
            "at": at,
            "on": on,
            "timezone": timezone or machine_zone(),
            "host": host,
            "overlap": overlap,
            "jitter": jitter,
            "time_limit": time_limit,
            "attempts": attempts,
            "backoff": backoff,
            "catch_up": catch_up,
            "before": options.program(before, "--before"),
            "after": options.program(after, "--after"),
            "program_limit": program_limit,
            "tell": tell,
        }
    )
    with library() as opened:
        config = opened.config
        words = check_command(command, sources=config.sources, collections=config.collections)
        entry, told = view.manager(opened).add(name, {"run": join(words), **settings})
    if is_json:
        print_json(view.as_dict(entry, now=time.time()))
        return
    view.explain(entry, verb="Added")
    view.hint_who_runs(told)
