"""A runner on a clock that a test turns, with children that end when it says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from windrow.model.job_state import JobRun, JobState
from windrow.schedule.job_claims import FinishedRun, JobClaims
from windrow.schedule.job_runner import JobRunner
from windrow.schedule.scheduled_job import Job
from windrow.store import jobs
from windrow.store.jobs import ClaimedJob
from windrow.store.leases import Claim
from windrow.store.store import Store, create_store

BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
LEASE = 60.0
HOUR = 3600.0


class Every:
    """A cadence: so many seconds apart, counted from the beginning."""

    def __init__(self, seconds: float) -> None:
        self._step = timedelta(seconds=seconds)

    def after(self, moment: datetime) -> datetime:
        return BEGINNING + ((moment - BEGINNING) // self._step + 1) * self._step


@dataclass
class Clock:
    """Gives the time that it was set to."""

    now: float = BEGINNING.timestamp()

    def __call__(self) -> float:
        return self.now


@dataclass
class Puppet:
    """A child that ends with the code it is given, at once or when a test sets it."""

    job: Job
    taken: ClaimedJob
    code: int | None = None
    words: str = ""
    heeds: bool = True
    told: list[str] = field(default_factory=list)
    kept: list[tuple[float, float]] = field(default_factory=list)

    def poll(self) -> int | None:
        return self.code

    def keep(self, deadline: float, grace_seconds: float) -> None:
        self.kept.append((deadline, grace_seconds))

    def stop(self) -> None:
        self.told.append("stop")
        if self.heeds and self.code is None:
            self.code = 130

    def kill(self) -> None:
        self.told.append("kill")
        self.code = -9

    def last_words(self) -> str:
        return self.words


class Stage:
    """One store, one clock, the jobs, and any number of runners."""

    def __init__(self, store: Store, *found: Job) -> None:
        self.store = store
        self.clock = Clock()
        self.slept = 0.0  # seconds of the clock that nobody was awake for
        self.jobs: Mapping[str, Job] = {job.name: job for job in found}
        self.children: list[Puppet] = []
        self.finished: list[FinishedRun] = []
        self.codes: Callable[[Job, ClaimedJob], int | None] = lambda _job, _taken: 0
        self.presses = 0  # of Ctrl-C, while a runner waits for its children
        self.runner = self.hire()

    def hire(self, name: str = "one", *, most: int = 2, lease_seconds: float = LEASE) -> JobRunner:
        """Another runner on the same store; its process is on no machine that is known here."""
        claim = Claim(name, 1, "elsewhere.example", "1")
        desk = JobClaims(self.store, claim, clock=self.clock, lease_seconds=lease_seconds)
        return JobRunner(
            desk,
            lambda: self.jobs,
            self.begin,
            most=most,
            grace_seconds=30.0,
            clock=self.clock,
            monotonic=self._monotonic,
            awake=lambda: self.clock.now - self.slept,
            on_finished=self.finished.append,
        )

    def _monotonic(self) -> float:
        if self.presses and self.children:
            self.presses -= 1
            raise KeyboardInterrupt
        return self.clock.now

    def begin(self, job: Job, taken: ClaimedJob, on_end: Callable[[], None]) -> Puppet:
        self.children.append(Puppet(job, taken, self.codes(job, taken)))
        return self.children[-1]

    def settle(self, runner: JobRunner | None = None) -> None:
        """Look twice: what is begun at once and ends at once has ended then."""
        for _ in range(2):
            (runner or self.runner).poll()

    def pass_time(self, seconds: float, *, step: float = 60.0) -> None:
        """Let time go by, with a look now and then."""
        end = self.clock.now + seconds
        while self.clock.now < end:
            self.clock.now = min(end, self.clock.now + step)
            self.settle()

    def runs(self, name: str | None = None) -> list[JobRun]:
        """Every run, the first one first."""
        with self.store.reading() as connection:
            return jobs.list_runs(connection, name, limit=100_000)[::-1]

    def outcomes(self, name: str | None = None) -> list[str]:
        return [str(run.outcome or "under way") for run in self.runs(name)]

    def state(self, name: str) -> JobState:
        with self.store.reading() as connection:
            found = jobs.get_state(connection, name, now=self.clock.now)
        assert found is not None
        return found


def job(name: str = "hourly", seconds: float = HOUR, **changes: object) -> Job:
    """A job that is due each so many seconds."""
    values: dict[str, object] = {"name": name, "command": ("harvest",), "times": Every(seconds)}
    values |= {"mark": f"every {seconds} seconds"} | changes
    return Job(**values)  # type: ignore[arg-type]


@contextmanager
def staged(folder: Path, *found: Job) -> Iterator[Stage]:
    """A stage with these jobs; everybody has looked once, so all due times are known."""
    store = create_store(folder)
    try:
        stage = Stage(store, *found)
        stage.runner.poll()
        yield stage
    finally:
        store.close()
