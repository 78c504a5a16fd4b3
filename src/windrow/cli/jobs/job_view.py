"""Jobs in words and as JSON, shared by all verbs of `windrow schedule`."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from windrow.cli.terminal import print_hint, print_line, printable

if TYPE_CHECKING:
    from windrow.model.job_state import JobRun
    from windrow.schedule.job_manager import JobEntry, JobManager
    from windrow.wiring import Library

TIMES_SHOWN = 5
NEVER_RAN = "never"


def make_manager(opened: Library) -> JobManager:
    from windrow.schedule.job_manager import JobManager

    return JobManager(opened.folder, opened.store, environ=opened.environ)


def local_time(moment: datetime, entry: JobEntry) -> str:
    """Return a time in the job's time zone, with the zone."""
    from windrow.schedule.cadence import find_zone

    zone = find_zone(entry.cadence.timezone) if entry.cadence else UTC
    return f"{moment.astimezone(zone):%a %Y-%m-%d %H:%M %Z}"


def command_text(entry: JobEntry) -> str:
    """Return the command of a job, without secrets in its addresses."""
    from windrow.config.job_settings import OUR_COMMAND

    return OUR_COMMAND.show(entry.settings.run)


def explain_job(entry: JobEntry, *, verb: str) -> None:
    assert entry.cadence is not None
    print_line(printable(f"{verb} {entry.name}: {command_text(entry)}, {entry.cadence.words}."))
    show_times(entry, TIMES_SHOWN)


def show_times(entry: JobEntry, count: int) -> None:
    for place, moment in enumerate(entry.times(time.time(), count)):
        print_line(f"{'' if place else 'Next:':5} {local_time(moment, entry)}")


def print_runner_hint(words: str, *, what: str = "it") -> None:
    if words:
        print_hint(printable(words))
    else:
        print_hint(f"`windrow serve` runs {what} while it serves, or `windrow worker` by itself.")


def describe_cadence(entry: JobEntry) -> str:
    """Return when a job runs, or why that is unknown."""
    return entry.cadence.words if entry.cadence else f"cannot be read: {entry.problem}"


def describe_next_start(entry: JobEntry, now: float) -> str:
    """Return the next start of a job, or what prevents it."""
    if entry.state is not None and entry.state.running is not None:
        return "running"
    if entry.is_paused:
        return "paused"
    found = entry.following(now)
    if found is None:
        return "never"
    if is_overdue(entry, now):
        return f"overdue since {local_time(found, entry)}"
    return "now" if found.timestamp() <= now else local_time(found, entry)


def is_overdue(entry: JobEntry, now: float) -> bool:
    """Return whether a job should have started long ago but no runner has started it."""
    from windrow.schedule.job_claims import LATE_SECONDS

    if entry.state is not None and entry.state.running is not None:
        return False
    found = entry.following(now)
    return found is not None and found.timestamp() + LATE_SECONDS < now


def last_outcome(entry: JobEntry) -> str:
    last = entry.state.last if entry.state else None
    return last.outcome.value if last and last.outcome else NEVER_RAN


def job_as_dict(entry: JobEntry, *, now: float, count: int = TIMES_SHOWN) -> dict[str, Any]:
    """Return a job as plain values; times are ISO 8601 in UTC."""
    settings, state = entry.settings, entry.state
    following = entry.following(now)
    return {
        "job": entry.name,
        "run": command_text(entry),
        "when": entry.cadence.words if entry.cadence else None,
        "problem": entry.problem or None,
        "timezone": settings.timezone,
        "host": settings.host,
        "is_paused": entry.is_paused,
        "is_running": state is not None and state.running is not None,
        "is_overdue": is_overdue(entry, now),
        "next": iso_time(following.timestamp()) if following else None,
        "times": [iso_time(each.timestamp()) for each in entry.times(now, count)],
        "last_run": run_as_dict(state.last) if state and state.last else None,
        "last_good": iso_time(state.last_good.ended) if state and state.last_good else None,
        "failing_since": iso_time(state.failing_since) if state else None,
        "failures": state.failures if state else 0,
    }


def run_as_dict(run: JobRun) -> dict[str, Any]:
    """Return a run as plain values, with the same keys as in notifications."""
    return {
        "run": run.id,
        "job": run.job,
        "due": iso_time(run.due),
        "started": iso_time(run.started),
        "ended": iso_time(run.ended),
        "outcome": run.outcome.value if run.outcome else None,
        "code": run.code,
        "attempt": run.attempt,
        "summary": run.summary,
        "log": run.log or None,
        "retry_at": iso_time(run.retry_at),
    }


def iso_time(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()
