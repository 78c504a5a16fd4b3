"""Job templates: sets of jobs that belong together, added by one command and edited like any job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from windrow.config.layers import suggest
from windrow.errors import NotFound


@dataclass(frozen=True, slots=True)
class TemplateJob:
    """One job of a template; `{source}` in its name and its command is replaced."""

    name: str
    command: str
    cadence: str  # as cron has it
    purpose: str


# The five jobs that kept Studera.NU current for years, at its times.
ROBOT = (
    TemplateJob("{source}-index", "index", "10,40 0-4,6-23 * * *", "bring the index up to date"),
    TemplateJob("{source}-reindex", "index --rebuild", "10 5 * * *", "build the whole index again"),
    TemplateJob(
        "{source}-harvest",
        "harvest {source} --no-index",
        "20,50 0-4,6-23 * * *",
        "ask for the addresses found since the last time, and for those that are due",
    ),
    TemplateJob(
        "{source}-reload",
        "harvest {source} --full --no-index",
        "10 0 * * 1,3,5",
        "ask for all known pages again; those that have not changed cost an answer without content",
    ),
    TemplateJob(
        "{source}-retry",
        "crawl load {source} --start --missing --since 14d --force --harvest",
        "10 0 * * 0,2,4,6",
        "try all start pages again, and the addresses of the last fortnight that are not in the library",
    ),
)
TEMPLATES: Mapping[str, Sequence[TemplateJob]] = {"robot": ROBOT}


def jobs_of(template: str, source: str) -> list[TemplateJob]:
    """Return the jobs of a template for a source."""
    if template not in TEMPLATES:
        known = ", ".join(sorted(TEMPLATES))
        raise NotFound(
            f"there is no job template {template!r}.{suggest(template, TEMPLATES)}",
            hint=f"There is: {known}.",
        )
    return [
        TemplateJob(
            job.name.format(source=source), job.command.format(source=source), job.cadence, job.purpose
        )
        for job in TEMPLATES[template]
    ]
