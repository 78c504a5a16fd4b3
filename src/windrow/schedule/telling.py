"""People told how runs of jobs went: decides by `occasions`, words by `messages`, sends by `ways`.

Called after a run has ended and was noted. What cannot be delivered is told of in the log of that run and
never keeps the schedule: it is tried again with the job's next run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from windrow.config.jobs import JobSettings
from windrow.config.schema import Config
from windrow.errors import Undelivered, WindrowError
from windrow.model.job import JobOutcome, JobRun, JobState
from windrow.schedule.logs import add_note, last_lines
from windrow.schedule.masking import mask_for
from windrow.schedule.messages import Message, News, compose, compose_test
from windrow.schedule.occasions import occasion
from windrow.schedule.ways import Way, ways_of
from windrow.store import told as memory
from windrow.store.store import Store
from windrow.store.told import Told

LINES_SENT = 15  # of the end of the output, where a run failed


class _Sent(NamedTuple):
    """What became of a message by one way."""

    problem: str  # empty: none
    has_arrived: bool  # with somebody at least


class Teller:
    """Tells people of runs, as the settings say at that moment."""

    def __init__(
        self,
        config: Callable[[], Config],
        store: Store,
        *,
        environ: Mapping[str, str],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._config = config
        self._store = store
        self._environ = environ
        self._clock = clock

    def told(self, run: JobRun, state: JobState | None) -> list[str]:
        """Tell of a run that has ended, if it is worth it; give what went wrong in that, in words.

        `state` is how the job stands now that the run is noted. Takes as long as the ways do.
        """
        try:
            config = self._config()
        except WindrowError as exc:
            return [f"nobody was told: {exc}"]
        job = config.jobs.get(run.job)
        ways = ways_of(config, environ=self._environ)
        if job is None or not ways:
            return []
        problems = self._tell(config, job, ways, run, state)
        for problem in problems:
            add_note(config.path, run.log, problem)
        return problems

    def try_out(self) -> dict[str, str]:
        """Send a message by every way that is set; give what went wrong by way, empty where it arrived."""
        config = self._config()
        message = compose_test(_title(config))
        return {way.name: _send(way, message).problem for way in ways_of(config, environ=self._environ)}

    def _tell(
        self, config: Config, job: JobSettings, ways: list[Way], run: JobRun, state: JobState | None
    ) -> list[str]:
        before = self._remembered(run, state)
        found = occasion(job.tell, run, before, now=self._clock())
        after = _counted(before, run, state)
        sent: list[_Sent] = []
        if found is not None:
            lines = last_lines(config.path, run.log, LINES_SENT) if not run.is_good else []
            message = compose(News(found, _title(config), job, run, state, after, lines))
            sent = self._send_all(config, ways, message)
        self._remember(run, before, after, is_told=any(each.has_arrived for each in sent))
        return [each.problem for each in sent if each.problem]

    def _send_all(self, config: Config, ways: list[Way], message: Message) -> list[_Sent]:
        mask = mask_for(config, self._environ)
        facts = {
            name: mask.text(each) if isinstance(each, str) else each for name, each in message.facts.items()
        }
        safe = Message(mask.text(message.title), mask.text(message.text), facts)
        sent = [(way, _send(way, safe)) for way in ways]
        return [
            _Sent(each.problem and mask.text(f"not told by {way.name}: {each.problem}"), each.has_arrived)
            for way, each in sent
        ]

    def _remembered(self, run: JobRun, state: JobState | None) -> Told | None:
        """Give what was told of the failures that this run belongs to, or ends."""
        with self._store.reading() as connection:
            found = memory.find(connection, run.job)
        is_other = found and not run.is_good and state and state.failing_since not in (None, found.since)
        return None if is_other else found  # those of an earlier time, whose end nobody could be told of

    def _remember(self, run: JobRun, before: Told | None, after: Told | None, *, is_told: bool) -> None:
        if after is None:
            return
        with self._store.writing() as connection:
            if run.is_good and (is_told or before is None or before.at is None):
                memory.forget(connection, run.job)
            elif not run.is_good:
                memory.keep(connection, run.job, replace(after, at=self._clock()) if is_told else after)


def _counted(before: Told | None, run: JobRun, state: JobState | None) -> Told | None:
    """Give the failures so far with this run."""
    if run.outcome is not JobOutcome.FAILED or run.retry_at is not None:
        return before
    ended = run.ended or run.started
    since = (state.failing_since if state else None) or (before.since if before else ended)
    failures = (state.failures if state else 0) or (before.failures if before else 0) + 1
    return Told(since, failures, before.at if before else None)


def _send(way: Way, message: Message) -> _Sent:
    try:
        way.send(message)
    except Undelivered as exc:
        words = f"{exc}. {exc.hint}" if exc.hint else str(exc)
        return _Sent(words, has_arrived=exc.is_partial)
    return _Sent("", has_arrived=True)


def _title(config: Config) -> str:
    return config.library.name or config.path.resolve().name
