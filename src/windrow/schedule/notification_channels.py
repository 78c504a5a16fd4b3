"""The message about a run: a line, a text for people, and the same facts for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from windrow.config.jobs import JobSettings
from windrow.errors import ConfigError
from windrow.model.job import JobRun, JobState
from windrow.schedule.occasions import Occasion
from windrow.schedule.zones import find_zone
from windrow.store.told import Told

LONGEST_LINE = 400  # of the output
_LABEL = 10
_UNITS = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))


@dataclass(frozen=True, slots=True)
class Message:
    """What is sent, by whichever way. `title` has only our own words: chat rooms read more into others."""

    title: str
    text: str
    facts: dict[str, object]

    def as_json(self) -> bytes:
        """Give it for programs. `text` is what most chat rooms show."""
        return json.dumps({"text": self.title} | self.facts, ensure_ascii=False).encode()


@dataclass(frozen=True, slots=True)
class News:
    """All that a message is made from. `lines` are the end of the run's output."""

    occasion: Occasion
    library: str
    job: JobSettings
    run: JobRun
    state: JobState | None
    told: Told | None  # the failures before and with this run; None: none
    lines: Sequence[str] = ()


def compose(news: News) -> Message:
    """Give the message about a run."""
    title = f"{news.library}: {news.job.name} {_verdict(news)}"
    return Message(title, "\n".join((title, "", *_details(news))) + "\n", _facts(news, title))


def compose_test(library: str) -> Message:
    """Give a message that only shows that messages arrive."""
    title = f"{library}: a message to see that messages arrive"
    facts: dict[str, object] = {"occasion": Occasion.TEST.value, "library": library, "title": title}
    return Message(title, f"{title}\n\nNothing has happened. Jobs will be told of in the same way.\n", facts)


def _verdict(news: News) -> str:
    outcome = news.run.outcome.value if news.run.outcome else "running"
    failures = news.told.failures if news.told else 0
    if news.occasion is Occasion.RECOVERED:
        return f"is {outcome} again after {_counted(failures, 'failure')}"
    if news.told and (news.occasion is Occasion.FAILING or failures > 1):
        since = _local(news.told.since, news.job)
        return f"{outcome}: failing since {since}, {_counted(failures, 'failure')}"
    return outcome


def _details(news: News) -> Iterator[str]:
    run, job, state = news.run, news.job, news.state
    yield _line("what", f"windrow {job.run}")
    yield _line("in words", _plain(run.summary))
    yield _line("due", _local(run.due, job))
    yield _line("started", _local(run.started, job))
    if run.ended is not None:
        tries = f", at attempt {run.attempt}" if run.attempt > 1 else ""
        yield _line("took", f"{_span(run.ended - run.started)}{tries}")
    if state is not None and state.last_good is not None and not run.is_good:
        yield _line("last good", _local(state.last_good.started, job))
    if state is not None and state.at is not None and not state.is_paused:
        yield _line("next", _local(state.at, job))
    if run.log:
        yield _line("output", f"windrow run log {run.id}")
    if news.lines:
        yield from ("", "Its last lines:", *(f"    {_plain(line)}" for line in news.lines))


def _facts(news: News, title: str) -> dict[str, object]:
    run, state, told = news.run, news.state, news.told
    return {
        "occasion": news.occasion.value,
        "library": news.library,
        "title": title,
        "job": news.job.name,
        "command": f"windrow {news.job.run}",
        "run": run.id,
        "outcome": run.outcome.value if run.outcome else None,
        "code": run.code,
        "attempt": run.attempt,
        "summary": run.summary,
        "due": _iso(run.due),
        "started": _iso(run.started),
        "ended": _iso(run.ended),
        "failing_since": _iso(told.since) if told else None,
        "failures": told.failures if told else 0,
        "next": _iso(state.at) if state else None,
        "log": run.log or None,
    }


def _plain(line: str) -> str:
    """Give a line that no reader of mail stumbles over."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in line[:LONGEST_LINE])


def _line(label: str, value: str) -> str:
    return f"{label:{_LABEL}} {value}".rstrip()


def _local(seconds: float, job: JobSettings) -> str:
    """Give a time as the job's own clock shows it."""
    try:
        zone = find_zone(job.timezone)
    except ConfigError:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"
    return f"{datetime.fromtimestamp(seconds, zone):%Y-%m-%d %H:%M %Z}"


def _iso(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _span(seconds: float) -> str:
    """Give a length of time in its two largest units."""
    left = max(0, round(seconds))
    parts: list[str] = []
    for unit, size in _UNITS:
        count, left = divmod(left, size)
        if count or (unit == "s" and not parts):
            parts.append(f"{count} {unit}")
    return " ".join(parts[:2])


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun if count == 1 else noun + 's'}"
