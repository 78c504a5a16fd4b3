"""One run of a source, of any kind: claim, attempt, outcome, release.

Every kind of source and every kind of run (harvest, retry, rebuild, refresh, merge …) uses `running`:

    with running(store, settings, "harvest", arguments=…, observer=observer, stopper=stopper) as attempt:
        for page in pages:
            attempt.check()                                # raises Interrupted on a request to stop
            with store.writing() as connection:
                …                                          # store the page
                attempt.counters.seen += len(page)
                attempt.progress(connection)               # counters; renews the lease if that is due
            attempt.note("odd", "one page was empty")      # a problem of the run
    return attempt.run

The block may be a whole asyncio loop (`asyncio.run(crawl(attempt))`). `beat` writes the counters and renews
the lease if nothing else does; `is_stopping` and `check` test for a request to stop.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Protocol

from windrow.errors import Interrupted, SourceBusy, UpstreamBusy, UpstreamError, WindrowError
from windrow.harvest.options import NullObserver, Observer, Stopper
from windrow.model.run import Counters, Outcome, Problem, Run, Severity, decide_outcome
from windrow.store import leases, life_cycle, runs, sources
from windrow.store.connection import Connection
from windrow.store.sources import SourceState
from windrow.store.store import Store

MAX_PROBLEMS = 500  # recorded in full for one run; a source with a fault on every page has millions
HEARTBEAT_SECONDS = 1.0


class Identified(Protocol):
    """The source of a run, such as its settings."""

    @property
    def name(self) -> str:
        """The source's name."""

    @property
    def url(self) -> str:
        """The source's public address."""

    @property
    def endpoint(self) -> str | None:
        """What distinguishes the source from others at this address; None: keep the stored endpoint."""


class Identity(NamedTuple):
    """A source identified by name and address; without an endpoint the stored one is kept."""

    name: str
    url: str
    endpoint: str | None = None


@dataclass(slots=True, kw_only=True)
class Attempt:
    """One run in progress: its number, counters and problems."""

    store: Store
    source: SourceState
    known: SourceState | None  # the source before this run; None for a new one
    run_id: int
    lease: str
    observer: Observer = field(default_factory=NullObserver)
    stopper: Stopper = field(default_factory=Stopper)
    now: Callable[[], datetime]
    counters: Counters = field(default_factory=Counters)
    problems: list[Problem] = field(default_factory=list)
    claimed: int | None = None  # number of entries that the source states
    redact: Callable[[str], str] = str  # removes secrets from the messages of problems
    # Called at the end, on success or failure: before, and inside, the transaction that writes the outcome.
    before_end: Callable[[], None] | None = None
    at_end: Callable[[Connection], None] | None = None
    _run: Run | None = None
    _recorded: BaseException | None = None  # the error that ended the run, if it is among the problems
    _observed: int = 0  # problems already passed to the observer
    _beyond: dict[Severity, int] = field(default_factory=dict)
    _beaten: float = 0.0

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def run(self) -> Run:
        """The stored run, once it is over."""
        assert self._run is not None, "the run is not over"
        return self._run

    @property
    def is_stopping(self) -> bool:
        return self.stopper.is_stopping

    def check(self) -> None:
        """Raise Interrupted after a request to stop; the run then ends as `interrupted`."""
        self.stopper.check()

    def note(
        self,
        code: str,
        message: str,
        *,
        weight: Severity = Severity.PROBLEM,
        url: str | None = None,
        kept: str | None = None,
    ) -> None:
        """Record a problem, without secrets; beyond the limit problems are only counted."""
        if not self.has_room(weight):
            self._beyond[weight] = self._beyond.get(weight, 0) + 1
            return
        redact = self.redact  # a source may repeat its request, with the key in it
        self.problems.append(Problem(code, redact(message), weight, url and redact(url), kept))
        self._observe()

    def has_room(self, weight: Severity) -> bool:
        """Return whether a further problem is recorded, not only counted."""
        return len(self.problems) < MAX_PROBLEMS or weight is Severity.FATAL

    def all_problems(self) -> list[Problem]:
        """Return all problems, with notes on how many more were only counted."""
        more = [Problem("more", f"and {count:,} more", weight) for weight, count in self._beyond.items()]
        return self.problems + more

    def progress(self, connection: Connection) -> None:
        """Write the counters in the given transaction, and renew the lease if that is due."""
        runs.progress(connection, self.run_id, self.counters, self.claimed)
        if time.monotonic() - self._beaten >= HEARTBEAT_SECONDS:
            self._beaten = time.monotonic()
            leases.beat(connection, self.lease)

    def beat(self, *, every_seconds: float = HEARTBEAT_SECONDS) -> None:
        """Write the counters and renew the lease in a transaction of their own, if they are due."""
        if time.monotonic() - self._beaten >= every_seconds:
            self._beaten = time.monotonic()
            with self.store.writing() as connection:
                runs.progress(connection, self.run_id, self.counters, self.claimed)
                leases.beat(connection, self.lease)

    def end(self, error: BaseException | None, *, is_interrupted: bool = False) -> None:
        """Decide the outcome and store it; called by `running`."""
        if error is not None:
            self._abandon(error)
            return
        if self.before_end is not None:
            self.before_end()
        self._observe()
        with self.store.writing() as connection:
            if self.at_end is not None:
                self.at_end(connection)
            problems = self.all_problems()
            outcome = decide_outcome(problems, counters=self.counters, is_interrupted=is_interrupted)
            self._write(connection, problems, outcome)
            self._run = runs.get(connection, self.run_id)

    def _abandon(self, error: BaseException) -> None:
        """Store the outcome while an error propagates; the caller reports it, so the observer does not."""
        outcome = life_cycle.outcome_of(error)
        if outcome is Outcome.FAILED and error is not self._recorded:
            self._recorded = error
            code, words = _classify(error)
            self.problems.append(Problem(code, self.redact(words), Severity.FATAL))
        with self.store.writing() as connection:
            self._write(connection, self.all_problems(), outcome)

    def _write(self, connection: Connection, problems: list[Problem], outcome: Outcome) -> None:
        runs.progress(connection, self.run_id, self.counters, self.claimed)
        runs.add_problems(connection, self.run_id, problems)
        runs.end(connection, self.run_id, outcome=outcome, now=self.now())

    def _observe(self) -> None:
        """Pass new problems to the observer; some are added to the list directly."""
        while self._observed < len(self.problems):
            problem = self.problems[self._observed]
            self._observed += 1
            self.observer.noted(self.name, problem)


def utc_now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


@contextmanager
def running(
    store: Store,
    source: Identified,
    kind: str,
    *,
    arguments: Mapping[str, object],
    observer: Observer | None = None,
    stopper: Stopper | None = None,
    now: Callable[[], datetime] = utc_now,
    is_raising: bool = False,
    is_shared: bool = False,
) -> Iterator[Attempt]:
    """Claim a source and start a run; end both however the block ends. `attempt.run` then is the outcome.

    Raises SourceBusy if a live run holds the source, unless several processes may share it (`is_shared`).
    Exceptions in the block:

    - Interrupted: the run ends as `interrupted`.
    - UpstreamError: a fatal problem; a run that met only UpstreamBusy is `skipped`, to be tried later. So is
      one that gives way to another run (SourceBusy).
    - Any other WindrowError (the library or its settings): a fatal problem, and the error is raised, because
      the user must see it.
    - KeyboardInterrupt, SystemExit: the run is `interrupted`, and the exception is raised.
    - Anything else is a defect: the fatal problem `unexpected`. With `is_raising` it is raised as well, for
      runs whose result a user is waiting for.

    The lease is released; see `life_cycle` for a store that cannot be written then.
    """
    lease, owner = leases.lease_name(source.name, kind), leases.own_claim(f"windrow {kind}")

    def begin(connection: Connection) -> Attempt:
        own = lease
        if is_shared and not leases.is_free(connection, lease):
            own = f"{lease}, process {owner.pid}"
        leases.take(connection, own, owner)
        known = sources.find(connection, source.name)
        state = sources.ensure(connection, source.name, source.url, source.endpoint)
        return Attempt(
            store=store,
            source=state,
            known=known,
            run_id=runs.start(connection, state.id, kind, now=now(), arguments=arguments),
            lease=own,
            observer=observer or NullObserver(),
            stopper=stopper or Stopper(),
            now=now,
        )

    attempt = life_cycle.claim(store, begin)
    ending = _Ending()
    with (
        life_cycle.attempting(
            store,
            end=lambda error: attempt.end(error, is_interrupted=ending.is_interrupted),
            give_back=lambda connection: leases.release(connection, attempt.lease, owner),
        ),
        _classified(attempt, ending, is_raising=is_raising),
    ):
        yield attempt
    attempt.observer.ended(attempt.run)


@dataclass(slots=True)
class _Ending:
    is_interrupted: bool = False


@contextmanager
def _classified(attempt: Attempt, ending: _Ending, *, is_raising: bool) -> Iterator[None]:
    """Turn the exception that ended a run into a problem; raise errors that the user must see."""
    try:
        yield
    except Interrupted:
        ending.is_interrupted = True
    except (UpstreamError, SourceBusy) as exc:
        code, words = _classify(exc)
        attempt.note(code, words, weight=Severity.FATAL)
    except WindrowError:
        raise
    except Exception as exc:  # the worker loop: a defect in one source does not stop the others
        if is_raising:
            raise
        code, words = _classify(exc)
        attempt.note(code, words, weight=Severity.FATAL)


def _classify(error: BaseException) -> tuple[str, str]:
    """Return the code and the message of the problem that an error is."""
    if isinstance(error, WindrowError):
        return problem_code(error), describe(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    words = f"{type(error).__name__}: {error} ({Path(place.filename).name}, line {place.lineno})"
    return "unexpected", f"a defect of Windrow, please report it: {words}"


def problem_code(exc: WindrowError | None) -> str:
    if isinstance(exc, (UpstreamBusy, SourceBusy)):
        return "busy"
    return type(exc).__name__.lower() if exc is not None else "failed"


def describe(exc: BaseException) -> str:
    """Return an error's message with its hint."""
    words, hint = str(exc), exc.hint if isinstance(exc, WindrowError) else ""
    if not hint:
        return words
    return f"{words} {hint}" if words.endswith((".", "!", "?")) else f"{words}. {hint}"
