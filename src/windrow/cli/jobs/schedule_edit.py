"""`windrow schedule add`, `add-template` and `edit`: jobs in windrow.toml, with all other bytes kept."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.cli.invocation import JSON, job_names, opened_library, print_json, source_names
from windrow.cli.jobs import job_view as view
from windrow.cli.jobs.job_command_line import check_command
from windrow.cli.terminal import print_hint, print_line, printable
from windrow.config.fields import fields_of, shorten, suggest
from windrow.config.job_settings import JobSettings, split_command_line
from windrow.config.kinds import SettingError
from windrow.config.settings_reference import help_text
from windrow.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from windrow.schedule.scheduled_job import TemplateJob

# The flags that `schedule add` and `schedule edit` share, and how they become settings of windrow.toml.


def _help(key: str) -> str:
    return help_text(f"jobs.NAME.{key}")


Hourly = Annotated[bool, typer.Option("--hourly", help="Every hour.")]
Daily = Annotated[bool, typer.Option("--daily", help="Every day.")]
Weekly = Annotated[bool, typer.Option("--weekly", help="Every week.")]
Monthly = Annotated[bool, typer.Option("--monthly", help="Every month.")]
Yearly = Annotated[bool, typer.Option("--yearly", help="Every year.")]
Every = Annotated[
    str | None,
    typer.Option("--every", metavar="TEXT", help="Any other: '6 hours', '20 minutes', '2 days', weekdays."),
]
Cron = Annotated[
    str | None, typer.Option("--cron", metavar="EXPR", help="A cron expression, such as '*/30 * * * *'.")
]
At = Annotated[str | None, typer.Option("--at", metavar="TIME", help=_help("at"))]
On = Annotated[str | None, typer.Option("--on", metavar="DAY", help=_help("on"))]
Timezone = Annotated[
    str | None,
    typer.Option(
        "--timezone",
        metavar="ZONE",
        help="The time zone, such as Europe/Helsinki. [default: that of this machine]",
    ),
]
Host = Annotated[
    str | None, typer.Option("--host", metavar="here|cron|systemd|launchd|schtasks", help=_help("host"))
]
Overlap = Annotated[str | None, typer.Option("--overlap", metavar="skip|queue", help=_help("overlap"))]
Jitter = Annotated[str | None, typer.Option("--jitter", metavar="TIME", help=_help("jitter"))]
TimeLimit = Annotated[str | None, typer.Option("--time-limit", metavar="TIME", help=_help("time_limit"))]
Attempts = Annotated[int | None, typer.Option("--attempts", metavar="N", help=_help("attempts"))]
Backoff = Annotated[str | None, typer.Option("--backoff", metavar="TIME", help=_help("backoff"))]
CatchUp = Annotated[bool | None, typer.Option("--catch-up/--no-catch-up", help=_help("catch_up"))]
Before = Annotated[
    str | None,
    typer.Option(
        "--before", metavar="LINE", help="A program to run first, with its arguments; no shell reads it."
    ),
]
After = Annotated[
    str | None, typer.Option("--after", metavar="LINE", help="The same, to run after the command.")
]
ProgramLimit = Annotated[
    str | None, typer.Option("--program-limit", metavar="TIME", help=_help("program_limit"))
]


def _note_deprecation(value: str | None) -> str | None:
    if value is not None:
        print_hint("--tell is deprecated and will be removed: use --notify")
    return value


Notify = Annotated[
    str | None, typer.Option("--notify", metavar="failure|change|always|never", help=_help("tell"))
]
OldNotify = Annotated[str | None, typer.Option("--tell", hidden=True, callback=_note_deprecation)]
_FLAGS = {"tell": "notify"}  # of settings whose flags have another name


def chosen_frequency(words: Mapping[str, bool], every: str | None, cron: str | None) -> str | None:
    """Return the one frequency that was given; None if there is none."""
    said = {f"--{word}": word for word, is_said in words.items() if is_said}
    said |= {flag: text for flag, text in (("--every", every), ("--cron", cron)) if text is not None}
    if len(said) > 1:
        raise UsageError(f"{' and '.join(said)}: a job has one cadence", hint="Make it two jobs.")
    return next(iter(said.values()), None)


def parse_program(line: str | None, flag: str) -> list[str] | None:
    """Return a program and its arguments as a list for windrow.toml."""
    try:
        return None if line is None else list(split_command_line(line))
    except SettingError as exc:
        raise UsageError(f"{flag} {exc}") from None


def check_settings(settings: Mapping[str, object]) -> dict[str, object]:
    """Return the settings as windrow.toml would have them; UsageError names the wrong flag."""
    fields = fields_of(JobSettings)
    given = {key: value for key, value in settings.items() if value is not None}
    for key, value in given.items():
        try:
            fields[key].read(value)
        except SettingError as exc:
            raise UsageError(f"--{_FLAGS.get(key, key).replace('_', '-')} {exc}") from None
    return given


def check_keys(keys: tuple[str, ...]) -> None:
    """Refuse names that are no settings of a job, and settings that a job requires."""
    fields = fields_of(JobSettings)
    for key in keys:
        if key not in fields:
            raise UsageError(
                f"a job has no setting {shorten(key)}.{suggest(key, fields)}",
                hint=f"It has: {', '.join(fields)}.",
            )
        if fields[key].is_required:
            raise UsageError(f"a job cannot be without {key}")


# `windrow schedule add`.


def add(
    name: Annotated[str, typer.Argument(help="A short name: lower-case letters, digits, dots, dashes.")],
    command: Annotated[
        list[str],
        typer.Argument(metavar="COMMAND...", help="What to do: the words that would follow `windrow`."),
    ],
    *,
    hourly: Hourly = False,
    daily: Daily = False,
    weekly: Weekly = False,
    monthly: Monthly = False,
    yearly: Yearly = False,
    every: Every = None,
    cron: Cron = None,
    at: At = None,
    on: On = None,
    timezone: Timezone = None,
    host: Host = None,
    overlap: Overlap = None,
    jitter: Jitter = None,
    time_limit: TimeLimit = None,
    attempts: Attempts = None,
    backoff: Backoff = None,
    catch_up: CatchUp = None,
    before: Before = None,
    after: After = None,
    program_limit: ProgramLimit = None,
    notify: Notify = None,
    tell: OldNotify = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Add a job: a command that runs at certain times.

    Options come before the command; all that follows belongs to it:
    windrow schedule add nightly --daily --at 03:30 harvest theseus
    """
    from windrow.config.job_settings import join_command_line
    from windrow.schedule.cadence import machine_zone

    named = {"hourly": hourly, "daily": daily, "weekly": weekly, "monthly": monthly, "yearly": yearly}
    often = chosen_frequency(named, every, cron)
    if often is None:
        raise UsageError(
            "nothing says how often",
            hint="Say --daily --at 03:30, --weekly --on mon, --every '6 hours' or --cron '0 6 * * 1'.",
        )
    settings = check_settings(
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
            "before": parse_program(before, "--before"),
            "after": parse_program(after, "--after"),
            "program_limit": program_limit,
            "tell": tell if notify is None else notify,
        }
    )
    with opened_library() as opened:
        config = opened.config
        words = check_command(command, sources=config.sources, collections=config.collections)
        entry, told = view.make_manager(opened).add(name, {"run": join_command_line(words), **settings})
    if is_json:
        print_json(view.job_as_dict(entry, now=time.time()))
        return
    view.explain_job(entry, verb="Added")
    view.print_runner_hint(told)


def edit(
    name: Annotated[str, typer.Argument(help="The job.", autocompletion=job_names)],
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="[COMMAND]...", help="Another thing to do, in place of what it does."),
    ] = None,
    *,
    hourly: Hourly = False,
    daily: Daily = False,
    weekly: Weekly = False,
    monthly: Monthly = False,
    yearly: Yearly = False,
    every: Every = None,
    cron: Cron = None,
    at: At = None,
    on: On = None,
    timezone: Timezone = None,
    host: Host = None,
    overlap: Overlap = None,
    jitter: Jitter = None,
    time_limit: TimeLimit = None,
    attempts: Attempts = None,
    backoff: Backoff = None,
    catch_up: CatchUp = None,
    before: Before = None,
    after: After = None,
    program_limit: ProgramLimit = None,
    notify: Notify = None,
    tell: OldNotify = None,
    unset: Annotated[
        list[str] | None, typer.Option("--unset", metavar="KEY", help="Back to the default; repeatable.")
    ] = None,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Change a job.

    What is not said stays. Another frequency keeps the time of day where it can have one.
    """
    from windrow.config.job_settings import join_command_line

    words = {"hourly": hourly, "daily": daily, "weekly": weekly, "monthly": monthly, "yearly": yearly}
    changes = check_settings(
        {
            "every": chosen_frequency(words, every, cron),
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
            "before": parse_program(before, "--before"),
            "after": parse_program(after, "--after"),
            "program_limit": program_limit,
            "tell": tell if notify is None else notify,
        }
    )
    check_keys(tuple(unset or ()))
    changes |= dict.fromkeys(unset or ())
    if not changes and not command:
        raise UsageError("there is nothing to change", hint="windrow schedule edit --help lists what can be.")
    with opened_library() as opened:
        if command:
            config = opened.config
            checked = check_command(command, sources=config.sources, collections=config.collections)
            changes["run"] = join_command_line(checked)
        jobs = view.make_manager(opened)
        entry, told = jobs.change(name, _drop_obsolete_times(jobs.entry(name).settings, changes))
    if is_json:
        print_json(view.job_as_dict(entry, now=time.time()))
        return
    view.explain_job(entry, verb="Changed")
    if told:
        view.print_runner_hint(told)


def _drop_obsolete_times(before: JobSettings, changes: dict[str, object]) -> dict[str, object]:
    """Return the changes, without the old day and time if the new frequency has none."""
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


# `windrow schedule add-template`: adds several jobs at once.


def add_template(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The source.", autocompletion=source_names)],
    template: Annotated[str, typer.Argument(metavar="TEMPLATE", help="Which jobs: robot.")] = "robot",
    *,
    timezone: Timezone = None,
    host: Host = None,
    is_dry: Annotated[bool, typer.Option("--dry-run", help="Show the jobs and add none.")] = False,
    is_sure: Annotated[bool, typer.Option("--yes", "-y", help="Add them without asking.")] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Add the jobs of a template for a source.

    The template robot keeps a web site current by itself: five jobs that index, harvest, reload and retry.
    """
    from windrow.config.job_settings import split_command_line
    from windrow.schedule.cadence import machine_zone, parse_cadence
    from windrow.schedule.scheduled_job import template_jobs

    zone = timezone or machine_zone()
    with opened_library() as opened:
        opened.source(source)
        jobs = template_jobs(template, source)
        taken = [job.name for job in jobs if job.name in opened.config.jobs]
        if taken:
            raise ConfigError(
                f"there is already a job {taken[0]}",
                hint=f"windrow schedule remove {taken[0]}, or windrow schedule edit {taken[0]}",
            )
        for job in jobs:
            check_command(
                split_command_line(job.command),
                sources=opened.config.sources,
                collections=opened.config.collections,
            )
        if not is_json:
            print_line(f"The template {template} for {source} has {len(jobs)} jobs:")
            for job in jobs:
                words = parse_cadence(job.cadence, timezone=zone).words
                print_line(printable(f"  {job.name}: {job.purpose}"))
                print_line(printable(f"    windrow {job.command}, {words}"), style="dim")
        if is_dry:
            if is_json:
                print_json([_job_as_dict(job) for job in jobs])
            return
        if not is_sure and not is_json and sys.stdin.isatty():
            typer.confirm("Add them?", default=True, abort=True, err=True)
        manager = view.make_manager(opened)
        added = []
        for job in jobs:
            settings = {"run": job.command, "every": job.cadence, "timezone": zone, "host": host}
            entry, who = manager.add(job.name, {key: value for key, value in settings.items() if value})
            added.append(entry)
        if is_json:
            print_json([view.job_as_dict(entry, now=time.time()) for entry in added])
            return
    print_line(f"Added {len(added)} jobs.")
    view.print_runner_hint(who, what="them")
    print_hint(f"To change one: windrow schedule edit {jobs[0].name} --help")


def _job_as_dict(job: TemplateJob) -> dict[str, str]:
    return {"job": job.name, "run": job.command, "every": job.cadence, "purpose": job.purpose}
