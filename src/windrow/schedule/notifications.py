"""People told how runs of jobs went: decides by `occasions`, words by `messages`, sends by `ways`.

What is to be told of waits in the store's outbox from the moment in which a run ends. It is sent at least
once: what cannot be delivered, or whose sender was killed, is sent by whoever looks next, and given up in the
end.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

from windrow.config.jobs import ALWAYS, JobSettings
from windrow.config.masking import mask_for
from windrow.config.schema import Config
from windrow.errors import Undelivered, WindrowError
from windrow.model.job import JobOutcome, JobRun, JobState
from windrow.schedule.logs import add_note, last_lines
from windrow.schedule.messages import Message, News, compose, compose_test
from windrow.schedule.occasions import occasion
from windrow.schedule.ways import Way, ways_of
from windrow.store import job_runs, jobs, outbox
from windrow.store import told as memory
from windrow.store.connection import Connection
from windrow.store.leases import ourselves
from windrow.store.outbox import Entry
from windrow.store.store import Store
from windrow.store.told import Told

LINES_SENT = 15  # of the end of the output, where a run failed
MOST_AT_ONCE = 1000  # entries of the outbox in one go
FIRST_RETRY_SECONDS = 10.0  # doubled with each attempt
LONGEST_RETRY_SECONDS = 3600.0
MOST_ATTEMPTS = 50
LONGEST_SECONDS = 3 * 86400.0  # after which a message is of no use to anybody


class _Sent(NamedTuple):
    """What became of a message by one way."""

    way: str
    problem: str  # empty: none
    has_arrived: bool  # with somebody at least


@dataclass(frozen=True, slots=True)
class _Case:
    """An entry of the outbox with what it is about, as that stands now."""

    entry: Entry
    job: JobSettings
    run: JobRun
    state: JobState | None
    before: Told | None  # what people were told of the failures that this run belongs to, or ends

    @property
    def after(self) -> Told | None:
        """The failures so far with this run."""
        return _counted(self.before, self.run, self.state)


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

    def send_waiting(self) -> list[str]:
        """Send what is due in the outbox; return what went wrong, in words. Takes as long as the ways do."""
        problems: list[str] = []
        for _ in range(MOST_AT_ONCE):
            with self._store.reading() as connection:
                first = outbox.next_at(connection)
            if first is None or first > self._clock():
                break
            with self._store.writing() as connection:
                entry = outbox.take(connection, ourselves("notifications"), now=self._clock())
            if entry is None:  # another process is at those that are due
                break
            try:
                problems += self._send(entry)
            except BaseException:
                with self._store.writing() as connection:
                    outbox.release(connection, entry, next_at=self._clock() + FIRST_RETRY_SECONDS)
                raise
        return problems

    def seconds_to_next(self) -> float | None:
        """Return how long it is until something in the outbox is due; None if nothing waits."""
        with self._store.reading() as connection:
            found = outbox.next_at(connection)
        return None if found is None else max(0.0, found - self._clock())

    def try_out(self) -> dict[str, str]:
        """Send a message by every way that is set; give what went wrong by way, empty where it arrived."""
        config = self._config()
        ways = ways_of(config, environ=self._environ)
        sent = self._send_all(config, ways, compose_test(_title(config)))
        return {way.name: each.problem for way, each in zip(ways, sent, strict=True)}

    def _send(self, entry: Entry) -> list[str]:
        """Send one entry, or see that there is nothing to send."""
        try:
            config = self._config()
        except WindrowError as exc:
            problem = f"nobody was told: {exc}"
            self._settle(entry, None, [_Sent("", problem, has_arrived=False)])
            return [problem]
        ways = ways_of(config, environ=self._environ)
        case = self._find(config, entry)
        if case is None or not ways:
            self._remove(entry)
            return []
        message = self._message(config, case, ways)
        if message is None:
            self._settle(entry, case, [])
            return []
        open_ways = [way for way in ways if way.name in entry.ways]
        sent = self._send_all(config, open_ways or ways, message)  # the settings may have others by now
        self._settle(entry, case, sent)
        problems = [each.problem for each in sent if each.problem]
        if entry.attempts == 0:  # the log need not have every attempt
            for problem in problems:
                add_note(config.path, case.run.log, problem)
        return problems

    def _find(self, config: Config, entry: Entry) -> _Case | None:
        """Return what an entry is about; None if that is gone, or of no interest any more."""
        job = config.jobs.get(entry.job)
        with self._store.reading() as connection:
            run = job_runs.run(connection, entry.run_id)
            if job is None or run is None:
                return None
            state = jobs.state(connection, entry.job, now=self._clock())
            found = memory.find(connection, entry.job)
            case = _Case(entry, job, run, state, _belonging(found, run, state))
            return None if self._is_outdated(connection, case) else case

    def _is_outdated(self, connection: Connection, case: _Case) -> bool:
        """Say whether a later run of the job has more recent news, that are told instead."""
        if case.job.tell == ALWAYS:
            return False
        for entry in outbox.later(connection, case.entry):
            later = job_runs.run(connection, entry.run_id)
            if later is None or not (later.is_good or later.outcome is JobOutcome.FAILED):
                continue
            is_known = case.before is not None and case.before.at is not None
            if entry.message or later.is_good or case.run.is_good or not is_known:
                return True
        return False

    def _message(self, config: Config, case: _Case, ways: Sequence[Way]) -> Message | None:
        """Return the message of an entry, composed the first time and kept; None: people need not know."""
        entry = case.entry
        if entry.message is not None:
            return Message(**json.loads(entry.message))
        found = occasion(case.job.tell, case.run, case.before, now=self._clock())
        if found is None:
            return None
        mask = mask_for(config, self._environ)
        lines = last_lines(config.path, case.run.log, LINES_SENT) if not case.run.is_good else []
        # Before they are cut to size: the first half of a secret would not be known for one.
        lines, run = list(map(mask.text, lines)), replace(case.run, summary=mask.text(case.run.summary))
        news = News(found, _title(config), case.job, run, case.state, case.after, lines)
        message = self._masked(config, compose(news))
        with self._store.writing() as connection:
            outbox.compose(connection, entry, json.dumps(asdict(message)), [way.name for way in ways])
        return message

    def _masked(self, config: Config, message: Message) -> Message:
        """Return a message without secrets: it is kept in the store, and leaves the machine."""
        mask = mask_for(config, self._environ)
        facts = {
            name: mask.text(each) if isinstance(each, str) else each for name, each in message.facts.items()
        }
        return Message(mask.text(message.title), mask.text(message.text), facts)

    def _send_all(self, config: Config, ways: Sequence[Way], message: Message) -> list[_Sent]:
        """Send a message by every way. It is masked here too: it may have been composed by older settings."""
        mask, safe = mask_for(config, self._environ), self._masked(config, message)
        sent = [_send(way, safe) for way in ways]
        return [
            each._replace(problem=each.problem and mask.text(f"not told by {each.way}: {each.problem}"))
            for each in sent
        ]

    def _settle(self, entry: Entry, case: _Case | None, sent: Sequence[_Sent]) -> None:
        """Note in one transaction what became of an entry, and what people know now."""
        lacking = [each for each in sent if not each.has_arrived]
        now, attempts = self._clock(), entry.attempts + 1
        with self._store.writing() as connection:
            if case is not None:
                is_told = any(each.has_arrived for each in sent)
                _remember(connection, case, is_told=is_told, now=now)
            if not lacking:
                outbox.remove(connection, entry, has_arrived=bool(sent))
                return
            wait = min(FIRST_RETRY_SECONDS * 2.0 ** min(entry.attempts, 30), LONGEST_RETRY_SECONDS)
            is_over = attempts >= MOST_ATTEMPTS or now + wait - entry.created > LONGEST_SECONDS
            outbox.postpone(
                connection,
                entry,
                next_at=now + wait,
                ways=[each.way for each in lacking if each.way],
                problem="; ".join(each.problem for each in lacking),
                given_up=now if is_over else None,
            )

    def _remove(self, entry: Entry) -> None:
        with self._store.writing() as connection:
            outbox.remove(connection, entry)


def _belonging(found: Told | None, run: JobRun, state: JobState | None) -> Told | None:
    """Return what was told of the failures that this run belongs to, or ends."""
    is_other = found and not run.is_good and state and state.failing_since not in (None, found.since)
    return None if is_other else found  # those of an earlier time, whose end nobody could be told of


def _remember(connection: Connection, case: _Case, *, is_told: bool, now: float) -> None:
    before, after = case.before, case.after
    if after is None:
        return
    if case.run.is_good and (is_told or before is None or before.at is None):
        memory.forget(connection, case.run.job)
    elif not case.run.is_good:
        memory.keep(connection, case.run.job, replace(after, at=now) if is_told else after)


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
        return _Sent(way.name, words, has_arrived=exc.is_partial)
    return _Sent(way.name, "", has_arrived=True)


def _title(config: Config) -> str:
    return config.library.name or config.path.resolve().name
