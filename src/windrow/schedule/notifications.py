"""Delivery of notifications: reports on runs wait in the store's outbox from the end of the run on.

A report is sent at least once: if it cannot be delivered, or its sender was killed, it is sent again by the
next process that checks the outbox, and abandoned after some days.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import NamedTuple, Protocol

from windrow.config.job_settings import ALWAYS, JobSettings
from windrow.config.schema import Config
from windrow.config.secrets import mask_for
from windrow.errors import Undelivered, WindrowError
from windrow.model.job_state import JobOutcome, JobRun, JobState
from windrow.schedule.notification_channels import (
    Message,
    NotificationChannel,
    RunReport,
    compose_message,
    compose_test_message,
    configured_channels,
    decide_occasion,
)
from windrow.schedule.run_logs import add_note, last_lines
from windrow.store import jobs, life_cycle, outbox
from windrow.store import outbox as memory
from windrow.store.connection import Connection
from windrow.store.leases import own_claim
from windrow.store.outbox import NotificationState, OutboxEntry
from windrow.store.store import Store

LINES_SENT = 15  # of the end of the output of a failed run
MAX_ENTRIES_AT_ONCE = 1000  # of the outbox per call
FIRST_RETRY_SECONDS = 10.0  # doubled with each attempt
MAX_RETRY_SECONDS = 3600.0
MAX_ATTEMPTS = 50
MAX_MESSAGE_AGE_SECONDS = 3 * 86400.0  # after which a message is useless


class _Delivery(NamedTuple):
    """The result of sending a message through one channel."""

    channel: str
    problem: str  # "" if none
    has_arrived: bool  # with at least one recipient


@dataclass(frozen=True, slots=True)
class _OutboxEntry:
    """An entry of the outbox with the current state of its job and run."""

    entry: OutboxEntry
    job: JobSettings
    run: JobRun
    state: JobState | None
    before: (
        NotificationState | None
    )  # notifications sent about the failures that this run belongs to, or ends

    @property
    def after(self) -> NotificationState | None:
        return _count_failures(self.before, self.run, self.state)


class Notifier:
    """Sends reports on runs, according to the current settings."""

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
        """Send the due entries of the outbox; return the problems. Takes as long as the channels do."""
        problems: list[str] = []
        for _ in range(MAX_ENTRIES_AT_ONCE):
            with self._store.reading() as connection:
                first = outbox.next_at(connection)
            if first is None or first > self._clock():
                break
            entry = life_cycle.claim(self._store, self._take)
            if entry is None:  # another process is sending the due entries
                break
            with life_cycle.attempting(self._store, end=partial(self._release_unsent, entry)):
                problems += self._send(entry)
        return problems

    def _take(self, connection: Connection) -> OutboxEntry | None:
        return outbox.take(connection, own_claim("notifications"), now=self._clock())

    def _release_unsent(self, entry: OutboxEntry, error: BaseException | None) -> None:
        """Release an entry after an error; otherwise its outcome was stored, which released it."""
        if error is not None:
            next_at = self._clock() + FIRST_RETRY_SECONDS
            life_cycle.release(
                self._store, lambda connection: outbox.release(connection, entry, next_at=next_at)
            )

    def seconds_to_next(self) -> float | None:
        """Return the seconds until an entry is due; None if the outbox is empty."""
        with self._store.reading() as connection:
            found = outbox.next_at(connection)
        return None if found is None else max(0.0, found - self._clock())

    def try_out(self) -> dict[str, str]:
        """Send a test message through every channel; return the problems by channel, "" if it arrived."""
        config = self._config()
        channels = configured_channels(config, environ=self._environ)
        sent = self._send_all(config, channels, compose_test_message(_title(config)))
        return {channel.name: each.problem for channel, each in zip(channels, sent, strict=True)}

    def _send(self, entry: OutboxEntry) -> list[str]:
        try:
            config = self._config()
        except WindrowError as exc:
            problem = f"nobody was told: {exc}"
            self._settle(entry, None, [_Delivery("", problem, has_arrived=False)])
            return [problem]
        channels = configured_channels(config, environ=self._environ)
        case = self._find(config, entry)
        if case is None or not channels:
            self._remove(entry)
            return []
        message = self._message(config, case, channels)
        if message is None:
            self._settle(entry, case, [])
            return []
        open_channels = [channel for channel in channels if channel.name in entry.ways]
        # the settings may have other channels by now
        sent = self._send_all(config, open_channels or channels, message)
        self._settle(entry, case, sent)
        problems = [each.problem for each in sent if each.problem]
        if entry.attempts == 0:  # one note in the log is enough
            for problem in problems:
                add_note(config.path, case.run.log, problem)
        return problems

    def _find(self, config: Config, entry: OutboxEntry) -> _OutboxEntry | None:
        """Return the subject of an entry; None if it is gone, or outdated."""
        job = config.jobs.get(entry.job)
        with self._store.reading() as connection:
            run = jobs.get_run(connection, entry.run_id)
            if job is None or run is None:
                return None
            state = jobs.get_state(connection, entry.job, now=self._clock())
            found = memory.find_state(connection, entry.job)
            case = _OutboxEntry(entry, job, run, state, _related_state(found, run, state))
            return None if self._is_outdated(connection, case) else case

    def _is_outdated(self, connection: Connection, case: _OutboxEntry) -> bool:
        """Return whether a later run of the job has more recent news, which is sent instead."""
        if case.job.tell == ALWAYS:
            return False
        for entry in outbox.list_later_entries(connection, case.entry):
            later = jobs.get_run(connection, entry.run_id)
            if later is None or not (later.is_good or later.outcome is JobOutcome.FAILED):
                continue
            is_known = case.before is not None and case.before.at is not None
            if entry.message or later.is_good or case.run.is_good or not is_known:
                return True
        return False

    def _message(
        self, config: Config, case: _OutboxEntry, channels: Sequence[NotificationChannel]
    ) -> Message | None:
        """Return the message of an entry, which is composed once and stored; None if none is needed."""
        entry = case.entry
        if entry.message is not None:
            return Message(**json.loads(entry.message))
        found = decide_occasion(case.job.tell, case.run, case.before, now=self._clock())
        if found is None:
            return None
        mask = mask_for(config, self._environ)
        lines = last_lines(config.path, case.run.log, LINES_SENT) if not case.run.is_good else []
        # Mask before truncation: half of a secret would not be recognised.
        lines, run = list(map(mask.text, lines)), replace(case.run, summary=mask.text(case.run.summary))
        report = RunReport(found, _title(config), case.job, run, case.state, case.after, lines)
        message = self._masked(config, compose_message(report))
        with self._store.writing() as connection:
            outbox.compose(
                connection, entry, json.dumps(asdict(message)), [channel.name for channel in channels]
            )
        return message

    def _masked(self, config: Config, message: Message) -> Message:
        """Return a message without secrets, as it is stored and leaves the machine."""
        mask = mask_for(config, self._environ)
        facts = {
            name: mask.text(each) if isinstance(each, str) else each for name, each in message.facts.items()
        }
        return Message(mask.text(message.title), mask.text(message.text), facts)

    def _send_all(
        self, config: Config, channels: Sequence[NotificationChannel], message: Message
    ) -> list[_Delivery]:
        """Send a message through every channel. It is masked again: older settings may have composed it."""
        mask, safe = mask_for(config, self._environ), self._masked(config, message)
        sent = [_send(channel, safe) for channel in channels]
        return [
            each._replace(problem=each.problem and mask.text(f"not told by {each.channel}: {each.problem}"))
            for each in sent
        ]

    def _settle(self, entry: OutboxEntry, case: _OutboxEntry | None, sent: Sequence[_Delivery]) -> None:
        """Store in one transaction what happened to an entry, and what has been reported."""
        lacking = [each for each in sent if not each.has_arrived]
        now, attempts = self._clock(), entry.attempts + 1
        with self._store.writing() as connection:
            if case is not None:
                is_reported = any(each.has_arrived for each in sent)
                _remember(connection, case, is_reported=is_reported, now=now)
            if not lacking:
                outbox.remove(connection, entry, has_arrived=bool(sent))
                return
            wait = min(FIRST_RETRY_SECONDS * 2.0 ** min(entry.attempts, 30), MAX_RETRY_SECONDS)
            is_over = attempts >= MAX_ATTEMPTS or now + wait - entry.created > MAX_MESSAGE_AGE_SECONDS
            outbox.postpone(
                connection,
                entry,
                next_at=now + wait,
                ways=[each.channel for each in lacking if each.channel],
                problem="; ".join(each.problem for each in lacking),
                given_up=now if is_over else None,
            )

    def _remove(self, entry: OutboxEntry) -> None:
        with self._store.writing() as connection:
            outbox.remove(connection, entry)


def _related_state(
    found: NotificationState | None, run: JobRun, state: JobState | None
) -> NotificationState | None:
    """Return the state of the failures that this run belongs to, or ends."""
    is_other = found and not run.is_good and state and state.failing_since not in (None, found.since)
    return None if is_other else found  # failures of an earlier time, whose end could not be reported


def _remember(connection: Connection, case: _OutboxEntry, *, is_reported: bool, now: float) -> None:
    before, after = case.before, case.after
    if after is None:
        return
    if case.run.is_good and (is_reported or before is None or before.at is None):
        memory.forget_state(connection, case.run.job)
    elif not case.run.is_good:
        memory.save_state(connection, case.run.job, replace(after, at=now) if is_reported else after)


def _count_failures(
    before: NotificationState | None, run: JobRun, state: JobState | None
) -> NotificationState | None:
    if run.outcome is not JobOutcome.FAILED or run.retry_at is not None:
        return before
    ended = run.ended or run.started
    since = (state.failing_since if state else None) or (before.since if before else ended)
    failures = (state.failures if state else 0) or (before.failures if before else 0) + 1
    return NotificationState(since, failures, before.at if before else None)


def _send(channel: NotificationChannel, message: Message) -> _Delivery:
    try:
        channel.send(message)
    except Undelivered as exc:
        words = f"{exc}. {exc.hint}" if exc.hint else str(exc)
        return _Delivery(channel.name, words, has_arrived=exc.is_partial)
    return _Delivery(channel.name, "", has_arrived=True)


def _title(config: Config) -> str:
    return config.library.name or config.path.resolve().name


# Sending has a thread of its own: a mail server may take half a minute, and leases must be renewed meanwhile.

MAX_WAIT_SECONDS = 60.0  # between two checks: another process may have left entries
log = logging.getLogger("windrow.schedule")


class Sender(Protocol):
    """Sends notifications."""

    def send_waiting(self) -> list[str]:
        """Send what is due; return the problems."""

    def seconds_to_next(self) -> float | None:
        """Return the seconds until an entry is due; None if the outbox is empty."""


class NotificationThread:
    """Sends waiting entries from `start` on, and again after each call, which returns at once."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._wake = threading.Event()
        self._is_closing = False
        self._thread = threading.Thread(target=self._work, name="telling", daemon=True)

    def start(self) -> None:
        """Start with what other processes left."""
        self._thread.start()

    def __call__(self, _ended: object = None) -> None:
        """Check the outbox again, because a run has ended."""
        self._wake.set()

    def close(self, seconds: float | None = None) -> None:
        """Send what is due, for at most `seconds`; the rest stays in the outbox."""
        self._is_closing = True
        self._wake.set()
        self._thread.join(seconds)

    def _work(self) -> None:
        while True:
            is_last = self._is_closing
            self._wake.clear()
            wait = self._look()
            if is_last:
                return
            if not self._is_closing:
                self._wake.wait(wait)

    def _look(self) -> float:
        """Send what is due; return the seconds until the next check."""
        try:
            for problem in self._sender.send_waiting():
                log.warning("%s", problem)
            coming = self._sender.seconds_to_next()
        except Exception:  # in any case, waiting entries are sent another time
            log.exception("people are not told")
            return MAX_WAIT_SECONDS
        return MAX_WAIT_SECONDS if coming is None else min(max(coming, 1.0), MAX_WAIT_SECONDS)
