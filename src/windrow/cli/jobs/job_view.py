"""A job for people and for programs: the words that all verbs of `windrow schedule` share."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from windrow.cli.terminal import hint, printable, say

if TYPE_CHECKING:
    from windrow.model.job import JobRun
    from windrow.schedule.managing import Entry, JobManager
    from windrow.wiring import Library

TIMES_SHOWN = 5
NEVER_RAN = "never"


def manager(opened: Library) -> JobManager:
    """Give what handles the jobs of a library."""
    from windrow.schedule.managing import JobManager

    return JobManager(opened.folder, opened.store, environ=opened.environ)


def local(moment: datetime, entry: Entry) -> str:
    """Give a time as the job's own clock shows it, with its zone."""
    from windrow.schedule.zones import find_zone

    zone = find_zone(entry.cadence.timezone) if entry.cadence else UTC
    return f"{moment.astimezone(zone):%a %Y-%m-%d %H:%M %Z}"


def command(entry: Entry) -> str:
    """Return what a job runs, without the keys that addresses in it may have."""
    from windrow.config.command_lines import OUR_COMMAND

    return OUR_COMMAND.show(entry.settings.run)


def explain(entry: Entry, *, verb: str) -> None:
    """Say back what a job is, in words and with its next times."""
    assert entry.cadence is not None
    say(printable(f"{verb} {entry.name}: {command(entry)}, {entry.cadence.words}."))
    show_times(entry, TIMES_SHOWN)


def show_times(entry: Entry, count: int) -> None:
    """Print the next times of a job, a line each."""
    for place, moment in enumerate(entry.times(time.time(), count)):
        say(f"{'' if place else 'Next:':5} {local(moment, entry)}")


def hint_who_runs(words: str, *, what: str = "it") -> None:
    """Print who will begin a job, or several."""
    if words:
        hint(printable(words))
    else:
        hint(f"`windrow serve` runs {what} while it serves, or `windrow worker` by itself.")


def when(entry: Entry) -> str:
    """Give when a job runs, or why nobody knows."""
    return entry.cadence.words if entry.cadence else f"cannot be read: {entry.problem}"


def coming(entry: Entry, now: float) -> str:
    """Give when a job is begun next, or what keeps it."""
    if entry.state is not None and entry.state.running is not None:
        return "running"
    if entry.is_paused:
        return "paused"
    found = entry.following(now)
    if found is None:
        return "never"
    if is_overdue(entry, now):
        return f"overdue since {local(found, entry)}"
    return "now" if found.timestamp() <= now else local(found, entry)


def is_overdue(entry: Entry, now: float) -> bool:
    """Say whether its time has come long ago, and nobody begins it."""
    from windrow.schedule.taking import LATE_SECONDS

    if entry.state is not None and entry.state.running is not None:
        return False
    found = entry.following(now)
    return found is not None and found.timestamp() + LATE_SECONDS < now


def outcome(entry: Entry) -> str:
    """Give the word for the last run of a job."""
    last = entry.state.last if entry.state else None
    return last.outcome.value if last and last.outcome else NEVER_RAN


def as_dict(entry: Entry, *, now: float, count: int = TIMES_SHOWN) -> dict[str, Any]:
    """Give a job for programs; times are ISO 8601 in UTC."""
    settings, state = entry.settings, entry.state
    following = entry.following(now)
    return {
        "job": entry.name,
        "run": command(entry),
        "when": entry.cadence.words if entry.cadence else None,
        "problem": entry.problem or None,
        "timezone": settings.timezone,
        "host": settings.host,
        "is_paused": entry.is_paused,
        "is_running": state is not None and state.running is not None,
        "is_overdue": is_overdue(entry, now),
        "next": iso(following.timestamp()) if following else None,
        "times": [iso(each.timestamp()) for each in entry.times(now, count)],
        "last_run": run_as_dict(state.last) if state and state.last else None,
        "last_good": iso(state.last_good.ended) if state and state.last_good else None,
        "failing_since": iso(state.failing_since) if state else None,
        "failures": state.failures if state else 0,
    }


def run_as_dict(run: JobRun) -> dict[str, Any]:
    """Give a run for programs; messages about runs have the same names."""
    return {
        "run": run.id,
        "job": run.job,
        "due": iso(run.due),
        "started": iso(run.started),
        "ended": iso(run.ended),
        "outcome": run.outcome.value if run.outcome else None,
        "code": run.code,
        "attempt": run.attempt,
        "summary": run.summary,
        "log": run.log or None,
        "retry_at": iso(run.retry_at),
    }


def iso(seconds: float | None) -> str | None:
    """Give a moment for programs."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()
