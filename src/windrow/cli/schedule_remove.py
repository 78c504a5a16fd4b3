"""`windrow schedule remove`: a job taken out of windrow.toml, and its record out of the host's scheduler."""

from __future__ import annotations

from typing import Annotated

import typer

from windrow.cli import schedule_view as view
from windrow.cli.completion import job_names
from windrow.cli.state import JSON, library, print_json
from windrow.cli.terminal import hint, say


def remove(
    name: Annotated[str, typer.Argument(help="The job.", autocompletion=job_names)],
    leave_record: Annotated[
        bool, typer.Option("--leave-record", help="Do not ask the host's scheduler, if that has its record.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go; change nothing.")] = False,
    is_json: Annotated[bool, JSON] = False,
) -> None:
    """Remove a job. What it brought in stays, and so do the notes on its runs."""
    from windrow.config.jobs import HERE

    with library() as opened:
        jobs = view.manager(opened)
        entry = jobs.entry(name)
        had_record = False if dry_run else jobs.remove(name, is_record_left=leave_record)
    host = entry.settings.host
    if is_json:
        print_json({"job": name, "is_removed": not dry_run, "host": host, "had_record": had_record})
        return
    say(f"{'Would remove' if dry_run else 'Removed'} {name} ({entry.settings.run}).")
    if host != HERE and not dry_run:
        hint(f"Its record is out of {host} as well." if had_record else f"{host} had no record of it.")
