"""`windrow schedule edit`: settings of one job changed in windrow.toml, every other byte kept."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.cli import schedule_options as options
from windrow.cli import schedule_view as view
from windrow.cli.completion import job_names
from windrow.cli.schedule_command import check_command
from windrow.cli.state import JSON, library, print_json
from windrow.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from windrow.config.jobs import JobSettings


def edit(
    name: Annotated[str, typer.Argument(help="The job.", autocompletion=job_names)],
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="[COMMAND]...", help="Another thing to do, in place of what it does."),
    ] = None,
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
    unset: Annotated[
        list[str] | None, typer.Option("--unset", metavar="KEY", help="Back to the default; repeatable.")
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Change a job.

    What is not said stays. Another frequency keeps the time of day where it can have one.
    """
    from windrow.config.command_lines import join

    words = {"hourly": hourly, "daily": daily, "weekly": weekly, "monthly": monthly, "yearly": yearly}
    changes = options.checked(
        {
            "every": options.frequency(words, every, cron),
            "at": at,
            "on": on,
            "timezone": timezone,
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
    options.check_keys(tuple(unset or ()))
    changes |= dict.fromkeys(unset or ())
    if not changes and not command:
        raise UsageError("there is nothing to change", hint="windrow schedule edit --help lists what can be.")
    with library() as opened:
        if command:
            config = opened.config
            checked = check_command(command, sources=config.sources, collections=config.collections)
            changes["run"] = join(checked)
        jobs = view.manager(opened)
        entry, told = jobs.change(name, _settled(jobs.entry(name).settings, changes))
    if is_json:
        print_json(view.as_dict(entry, now=time.time()))
        return
    view.explain(entry, verb="Changed")
    if told:
        view.hint_who_runs(told)


def _settled(before: JobSettings, changes: dict[str, object]) -> dict[str, object]:
    """Give the changes, with the day and the time of the old cadence taken out where the new one has none."""
    if "every" not in changes:
        return changes
    from windrow.schedule.cadence import parse_cadence

    whole: dict[str, object] = {"on": None, **changes}
    if "at" in changes or before.at is None:
        return whole
    try:
        parse_cadence(
            str(whole["every"]),
            at=before.at,
            on=str(whole["on"]) if whole["on"] else None,
            timezone=str(whole.get("timezone") or before.timezone),
        )
    except ConfigError:
        return {"at": None, **whole}
    return whole
