"""`windrow schedule add-template`: several jobs at once, explained before they are added."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.cli import schedule_options as options
from windrow.cli import schedule_view as view
from windrow.cli.completion import source_names
from windrow.cli.schedule_command import check_command
from windrow.cli.state import JSON, library, print_json
from windrow.cli.terminal import hint, printable, say
from windrow.errors import ConfigError

if TYPE_CHECKING:
    from windrow.schedule.templates import TemplateJob


def add_template(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The source.", autocompletion=source_names)],
    template: Annotated[str, typer.Argument(metavar="TEMPLATE", help="Which jobs: robot.")] = "robot",
    *,
    timezone: options.Timezone = None,
    host: options.Host = None,
    is_dry: Annotated[bool, typer.Option("--dry-run", help="Show the jobs and add none.")] = False,
    is_sure: Annotated[bool, typer.Option("--yes", "-y", help="Add them without asking.")] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Add the jobs of a template for a source.

    The template robot keeps a web site current by itself: five jobs that index, harvest, reload and retry.
    """
    from windrow.config.command_lines import split
    from windrow.schedule.cadence import parse_cadence
    from windrow.schedule.templates import jobs_of
    from windrow.schedule.zones import machine_zone

    zone = timezone or machine_zone()
    with library() as opened:
        opened.source(source)
        jobs = jobs_of(template, source)
        taken = [job.name for job in jobs if job.name in opened.config.jobs]
        if taken:
            raise ConfigError(
                f"there is already a job {taken[0]}",
                hint=f"windrow schedule remove {taken[0]}, or windrow schedule edit {taken[0]}",
            )
        for job in jobs:
            check_command(
                split(job.command), sources=opened.config.sources, collections=opened.config.collections
            )
        if not is_json:
            say(f"The template {template} for {source} has {len(jobs)} jobs:")
            for job in jobs:
                words = parse_cadence(job.cadence, timezone=zone).words
                say(printable(f"  {job.name}: {job.purpose}"))
                say(printable(f"    windrow {job.command}, {words}"), style="dim")
        if is_dry:
            if is_json:
                print_json([_job_as_dict(job) for job in jobs])
            return
        if not is_sure and not is_json and sys.stdin.isatty():
            typer.confirm("Add them?", default=True, abort=True, err=True)
        manager = view.manager(opened)
        added = []
        for job in jobs:
            settings = {"run": job.command, "every": job.cadence, "timezone": zone, "host": host}
            entry, who = manager.add(job.name, {key: value for key, value in settings.items() if value})
            added.append(entry)
        if is_json:
            print_json([view.as_dict(entry, now=time.time()) for entry in added])
            return
    say(f"Added {len(added)} jobs.")
    view.hint_who_runs(who, what="them")
    hint(f"To change one: windrow schedule edit {jobs[0].name} --help")


def _job_as_dict(job: TemplateJob) -> dict[str, str]:
    return {"job": job.name, "run": job.command, "every": job.cadence, "purpose": job.purpose}
