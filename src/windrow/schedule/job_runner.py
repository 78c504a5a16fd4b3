"""The job runner: take due jobs, start them, keep their leases, store their ends. Any number may run at once.

A single thread polls; threads of child processes only wake it. All state is in the store, so a runner can be
killed at any time.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from windrow.config.job_settings import QUEUE, JobSettings, ScheduleSettings
from windrow.config.schema import FILE_NAME
from windrow.config.secrets import Mask
from windrow.errors import ConfigError, NotFound, SourceBusy, StoreError, WindrowError
from windrow.model.job_state import JobOutcome, outcome_of_exit_code
from windrow.schedule.job_claims import FinishedRun, JobClaims
from windrow.schedule.job_process import Child, ProcessStarter, Sink, boot_time
from windrow.schedule.run_logs import log_name, open_log
from windrow.schedule.scheduled_job import Job, JobsFile, build_jobs
from windrow.store.jobs import ClaimedJob
from windrow.store.leases import own_claim
from windrow.store.store import Store

# The summary of a run: one line out of all its output.

MAX_SUMMARY_CHARACTERS = 300
_ERROR, _FATAL = "error: ", "✗ "


def summarize_output(output: str) -> str:
    """Return the most informative line of a run's output.

    That is the last error line. Otherwise it is the last line that is not indented, with the first of its
    details: "theseus: ok (run 4, 2 s); 12 new, …" rather than the number of requests.
    """
    lines = [line for line in map(_printable, output.splitlines()) if line.strip()]
    errors = [line.removeprefix(_ERROR) for line in lines if line.startswith(_ERROR)]
    fatal = [line.strip().removeprefix(_FATAL) for line in lines if line.strip().startswith(_FATAL)]
    found = errors or fatal or [_headline(lines)]
    return " ".join(found[-1].split())[:MAX_SUMMARY_CHARACTERS]


def _headline(lines: list[str]) -> str:
    heads = [place for place, line in enumerate(lines) if not line[0].isspace()]
    if not heads:
        return lines[-1] if lines else ""
    head, *details = lines[heads[-1] :]
    return f"{head}; {details[0].strip()}" if details else head


def _printable(line: str) -> str:
    return "".join(filter(str.isprintable, line.expandtabs(1)))


# A current run and its bounds: time limit, request to stop, loss of its lease.


_STOPPED = "stopped because the runner was; the next one goes on with it"


@dataclass(slots=True)
class ActiveRun:
    """One run from start to end. Moments are those of a monotonic clock."""

    job: Job
    taken: ClaimedJob
    child: Child
    began: float
    grace_seconds: float  # between the request to stop and the kill
    is_named: bool = False
    is_patient: bool = False
    stop_requested_at: float | None = None  # when it was asked to stop
    deadline: float = math.inf  # until when it may run without a message, by `boot_time`
    was_late: bool = False  # a message came after the deadline, so it may be about to end
    is_cut: bool = False  # it ended for that reason
    is_overdue: bool = False
    is_killed: bool = False

    def bound(self, moment: float) -> None:
        """Enforce the bounds: stop it at its time limit, kill it if it does not stop."""
        limit = self.job.limit_seconds
        if limit is not None and self.stop_requested_at is None and moment - self.began >= limit:
            self.is_overdue = True
            self.request_stop(moment)
        if (
            self.stop_requested_at is not None
            and not self.is_killed
            and moment - self.stop_requested_at >= self.grace_seconds
        ):
            self.is_killed = True
            self.child.kill()

    def request_stop(self, moment: float) -> None:
        """Ask it to stop, once."""
        if self.stop_requested_at is None:
            self.stop_requested_at = moment
            self.child.stop()

    def keep(self, deadline: float, grace_seconds: float, *, boot: float) -> None:
        self.was_late = self.was_late or boot >= self.deadline
        self.deadline = deadline
        self.child.keep(deadline, grace_seconds)

    def verdict(self, code: int, *, boot: float) -> tuple[JobOutcome, str]:
        last_line = summarize_output(self.child.last_words())
        self.is_cut = code != 0 and (self.was_late or boot >= self.deadline)
        if self.is_cut:  # the machine slept, or the store could not be reached
            return JobOutcome.INTERRUPTED, "stopped because its lease was not kept in time; begun again"
        if self.is_overdue:
            return JobOutcome.FAILED, f"stopped after {self.job.limit_seconds:,.0f} s, its time limit"
        if self.stop_requested_at is not None and code != 0 and (code < 0 or code in (130, 143)):
            return JobOutcome.INTERRUPTED, _STOPPED
        if code < 0:
            return JobOutcome.FAILED, f"ended by signal {-code}"
        if code == 0 or last_line:
            return outcome_of_exit_code(code), last_line
        return outcome_of_exit_code(code), f"ended with exit code {code}"


RUNNER_POLL_SECONDS = 1.0  # between two polls; one that finds nothing due costs less than a millisecond
MIN_WAIT_SECONDS = 0.05
HEARTBEATS_PER_LEASE = 4  # per length of a lease
GRACE_SECONDS = 30.0
# A run without messages stops after this share of its lease, and is killed a little later.
_SAFE_SHARE, _LAST_SHARE = 0.75, 0.125

log = logging.getLogger("windrow.schedule")


class StartRun(Protocol):
    """Starts a run; calls `on_end`, from any thread, when it has ended."""

    def __call__(self, job: Job, taken: ClaimedJob, on_end: Callable[[], None]) -> Child:
        pass


class JobRunner:
    """Runs jobs until it is stopped; tests call `poll` themselves."""

    def __init__(
        self,
        claims: JobClaims,
        jobs: Callable[[], Mapping[str, Job]],
        start: StartRun,
        *,
        most: int = 2,
        grace_seconds: float = GRACE_SECONDS,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = boot_time,
        awake: Callable[[], float] = time.monotonic,
        on_finished: Callable[[FinishedRun], None] = lambda _: None,
    ) -> None:
        self._claims = claims
        self._jobs = jobs
        self._start = start
        self._most = most
        self._grace_seconds = grace_seconds
        self._clock = clock
        self._monotonic = monotonic
        self._awake = awake
        self._on_finished = on_finished
        self._known: Mapping[str, Job] | None = None
        self._running: list[ActiveRun] = []
        self._last_beat = monotonic()
        self._last_poll = clock() - awake()
        self._careful_until = awake()
        self._is_stopping = False
        self._wake = threading.Event()
        self._logged = ""  # the last error that was logged while ends were stored

    @property
    def _heartbeat_seconds(self) -> float:
        return self._claims.lease_seconds / HEARTBEATS_PER_LEASE

    def stop(self) -> None:
        """Stop the runner, from any thread: runs are asked to stop and given time for it."""
        self._is_stopping = True
        self._wake.set()

    def run(self) -> None:
        """Poll until stopped, then end all runs. Failures are logged and tried again."""
        reported = ""
        with self._ending_runs():
            while not self._is_stopping:
                self._wake.clear()
                wait = self._heartbeat_seconds  # after a failure; leases outlast several of them
                try:
                    wait, reported = self.poll(), ""
                except WindrowError as exc:
                    if str(exc) != reported:
                        reported = str(exc)
                        log.error("jobs are not looked after: %s %s", exc, exc.hint)
                except Exception:
                    log.exception("jobs are not looked after")
                if not self._is_stopping:
                    self._wake.wait(wait)
        self._end()

    def run_all_due(self) -> None:
        """Run all jobs that are due, or become due meanwhile, to the end; then stop."""
        with self._ending_runs():
            while not self._is_stopping:
                self._wake.clear()
                wait = self.poll()
                if not self._running and not self._is_due():
                    break
                self._wake.wait(wait)
        self._end()

    def run_named(self, name: str, *, is_patient: bool = False) -> FinishedRun | None:
        """Run one job now, due or not; None if it was taken over. Raises SourceBusy with the holder.

        With `is_patient`, the run is retried while its source is busy, as a due run would be, and a run that
        could not start because the job was already running is stored as skipped.
        """
        with self._ending_runs():
            return self._run_named(name, is_patient=is_patient)

    def _run_named(self, name: str, *, is_patient: bool) -> FinishedRun | None:
        self._follow_settings()
        job = (self._known or {}).get(name)
        if job is None:
            raise NotFound(f"there is no job {name!r}", hint="`windrow schedule list` shows those there are.")
        finished, tries = None, 0
        while finished is None or not finished.is_final:
            if finished is not None and not self._wait_until(finished.run.retry_at or 0.0):
                return self._give_up(finished)
            tries, lease_began = tries + 1, boot_time()
            taken = replace(self._take_named(job, is_patient=is_patient), tries=tries)
            self._begin(job, taken, lease_began, is_named=True, is_patient=is_patient)
            finished = self._see_to_named()
            if finished is None:
                return None
        return finished

    def _take_named(self, job: Job, *, is_patient: bool) -> ClaimedJob:
        """Take a job.

        A patient caller waits for a current run if due times queue up, until the next due time.
        """
        last = job.after(self._clock())
        while True:
            try:
                return self._claims.take_named(job.name)
            except SourceBusy as exc:
                now = self._clock()
                if (
                    is_patient
                    and job.overlap == QUEUE
                    and now < last
                    and self._wait_until(now + RUNNER_POLL_SECONDS)
                ):
                    continue
                if is_patient:
                    self._report(self._claims.skip(job, exc))
                raise

    def _wait_until(self, moment: float) -> bool:
        """Wait until a moment of the clock; return False on a request to stop."""
        while not self._is_stopping and (left := moment - self._clock()) > 0:
            self._wake.clear()
            if not self._is_stopping:
                self._wake.wait(min(left, RUNNER_POLL_SECONDS))
        return not self._is_stopping

    def _give_up(self, finished: FinishedRun) -> FinishedRun:
        """End the wait for a retry, because the runner is asked to stop."""
        last = self._claims.give_up(finished)
        self._report(last)
        return last

    def _see_to_named(self) -> FinishedRun | None:
        """Wait for the end of the run; raise StoreError if the store cannot take it before its lease ends."""
        done: list[FinishedRun] = []
        last: float | None = None  # until when storing the end is tried
        while self._running:
            self._wake.clear()
            if self._is_stopping:
                self._request_stop_of_all()
            try:
                done += self._see_to_running()
            except StoreError as exc:
                has_ended = all(running.child.poll() is not None for running in self._running)
                if has_ended and last is None:
                    last = self._monotonic() + self._claims.lease_seconds
                if last is not None and self._monotonic() >= last:
                    self._running.clear()  # its lease expires, and it is recorded as lost
                    raise
                self._log_unstored(exc)
            if self._running:
                self._wake.wait(min(RUNNER_POLL_SECONDS, self._heartbeat_seconds))
        return done[0] if done else None

    def poll(self) -> float:
        """Attend to current runs and take due jobs; return the seconds until the next poll."""
        self._follow_settings()
        self._see_to_running()
        may_take_over = not self._is_careful()
        free = self._most - len(self._running)
        if free > 0 and self._is_due():
            known, lease_began = self._known or {}, boot_time()
            for found in self._claims.take(known, free, may_take_over=may_take_over):
                if isinstance(found, FinishedRun):
                    self._report(found)
                else:
                    self._begin(known[found.job], found, lease_began)
        return self._wait_seconds()

    @property
    def is_busy(self) -> bool:
        return bool(self._running)

    def _follow_settings(self) -> None:
        jobs = self._jobs()
        if jobs is not self._known or self._was_put_back():
            self._claims.sync(jobs)
            self._known = jobs

    def _was_put_back(self) -> bool:
        """Return whether the clock was set back since the last poll."""
        ahead = self._clock() - self._awake()
        return self._last_poll - ahead > self._heartbeat_seconds

    def _is_careful(self) -> bool:
        """Return whether the machine has just slept, or its clock was set forward.

        All leases then seem to have expired, so their holders get time to renew them, or to notice.
        """
        ahead = self._clock() - self._awake()
        if ahead - self._last_poll > self._heartbeat_seconds:
            self._careful_until = self._awake() + self._claims.lease_seconds
        self._last_poll = ahead
        return self._awake() < self._careful_until

    def _is_due(self) -> bool:
        first = self._claims.next_at()
        return first is not None and first <= self._clock()

    def _wait_seconds(self) -> float:
        longest = min(RUNNER_POLL_SECONDS, self._heartbeat_seconds)
        if len(self._running) >= self._most:
            return longest
        first = self._claims.next_at()
        return longest if first is None else min(longest, max(MIN_WAIT_SECONDS, first - self._clock()))

    def _begin(
        self,
        job: Job,
        taken: ClaimedJob,
        lease_began: float,
        *,
        is_named: bool = False,
        is_patient: bool = False,
    ) -> None:
        began = self._monotonic()
        try:
            child = self._start(job, taken, self._wake.set)
        except Exception as exc:  # the worker loop: a defect in one job does not stop the others
            is_known = isinstance(exc, (OSError, WindrowError))
            log.error("%s could not be begun: %s", job.name, exc, exc_info=None if is_known else exc)
            summary = f"could not be begun: {exc}" if is_known else f"could not be begun: {exc!r}"
            self._finish(job, taken, JobOutcome.FAILED, code=None, summary=summary, is_named=is_named)
            return
        except BaseException:  # Ctrl-C
            with suppress(StoreError):
                self._finish(
                    job,
                    taken,
                    JobOutcome.INTERRUPTED,
                    code=None,
                    summary=_STOPPED,
                    is_named=is_named,
                    is_cut=True,
                )
            raise
        running = ActiveRun(
            job,
            taken,
            child,
            began,
            self._grace_seconds,
            is_named=is_named,
            is_patient=is_patient,
        )
        self._running.append(running)
        self._keep(running, lease_began)

    def _keep(self, running: ActiveRun, lease_began: float) -> None:
        lease = self._claims.lease_seconds
        deadline = lease_began + lease * _SAFE_SHARE
        running.keep(deadline, lease * _LAST_SHARE, boot=boot_time())

    def _see_to_running(self) -> list[FinishedRun]:
        """Store the ends of runs, enforce bounds and renew leases."""
        done: list[FinishedRun] = []
        for running in list(self._running):
            running.bound(self._monotonic())
            code = running.child.poll()
            if code is not None:
                done += self._ended(running, code)
        if self._running and self._monotonic() - self._last_beat >= self._heartbeat_seconds:
            self._beat()
        return done

    def _ended(self, running: ActiveRun, code: int) -> list[FinishedRun]:
        outcome, summary = running.verdict(code, boot=boot_time())
        job = (self._known or {}).get(running.job.name, running.job)
        finished = self._finish(
            job,
            running.taken,
            outcome,
            code=code,
            summary=summary,
            is_named=running.is_named,
            is_patient=running.is_patient,
            is_cut=running.is_cut,
        )
        self._running.remove(running)  # only now: if the store cannot be reached, it is tried again
        return [finished] if finished else []

    def _finish(
        self,
        job: Job,
        taken: ClaimedJob,
        outcome: JobOutcome,
        *,
        code: int | None,
        summary: str,
        is_named: bool,
        is_patient: bool = False,
        is_cut: bool = False,
    ) -> FinishedRun | None:
        finished = self._claims.finish(
            job,
            taken,
            outcome,
            code=code,
            summary=summary,
            is_cut=is_cut or self._is_stopping,
            is_named=is_named,
            is_patient=is_patient,
        )
        if finished is None:
            log.warning("%s: run %d ended too late, it was taken over", job.name, taken.run)
            return None
        self._report(finished)
        return finished

    def _report(self, finished: FinishedRun) -> None:
        """Log the end of a run and call `on_finished`; its errors do not stop the runner."""
        run = finished.run
        log.log(
            logging.INFO if run.is_good else logging.WARNING, "%s: %s %s", run.job, run.outcome, run.summary
        )
        try:
            self._on_finished(finished)
        except Exception:
            log.exception("%s: what follows a run failed", run.job)

    def _beat(self) -> None:
        lease_began = boot_time()
        lost = {taken.run for taken in self._claims.beat([running.taken for running in self._running])}
        self._last_beat = self._monotonic()
        for running in list(self._running):
            if running.taken.run in lost:
                log.warning("%s: run %d was taken over", running.job.name, running.taken.run)
                running.child.kill()
                self._running.remove(running)
            else:
                self._keep(running, lease_began)

    def _request_stop_of_all(self) -> None:
        for running in self._running:
            running.request_stop(self._monotonic())

    @contextmanager
    def _ending_runs(self) -> Iterator[None]:
        """End all runs if an error, or Ctrl-C, leaves the block."""
        try:
            yield
        except BaseException:
            if self._running:
                self._end()
            raise

    def _end(self) -> None:
        """End all runs: ask them to stop, kill them after the grace period, release their leases.

        If the store cannot be written for so long, the leases expire, and the runs are recorded as lost.
        """
        self._is_stopping = True
        self._request_stop_of_all()
        last = self._monotonic() + self._grace_seconds + self._claims.lease_seconds
        while self._running and self._monotonic() < last:
            self._wake.clear()
            try:
                self._see_to_running()
            except StoreError as exc:
                self._log_unstored(exc)
            if self._running:
                self._wake.wait(min(RUNNER_POLL_SECONDS, self._heartbeat_seconds))

    def _log_unstored(self, exc: StoreError) -> None:
        if str(exc) != self._logged:
            self._logged = str(exc)
            log.error("the end of a run cannot be stored: %s", exc)


# Assembly of the runner of one library.


def build_runner(
    folder: Path,
    store: Store,
    settings: ScheduleSettings,
    read: Callable[[], Mapping[str, JobSettings]],
    *,
    owner: str,
    module: str,
    make_mask: Callable[[], Mask],
    environ: Mapping[str, str],
    clock: Callable[[], float] = time.time,
    echoes: tuple[Sink, Sink] | None = None,
    on_finished: Callable[[FinishedRun], None] = lambda _: None,
) -> JobRunner:
    """Build the runner of a library's jobs. `read` returns the jobs as windrow.toml currently defines them.

    `module` runs command lines with `python -m`. `make_mask` returns the mask that removes secrets from logs;
    `echoes` are additional sinks for output and errors.
    """
    claims = JobClaims(store, own_claim(owner), clock=clock, lease_seconds=settings.lease)

    def begin_log(job: Job, taken: ClaimedJob) -> Sink:
        claims.note_log(taken, log_name(job.name, taken.run))
        return open_log(
            folder,
            job.name,
            taken.run,
            most_bytes=settings.log_bytes,
            keep=settings.keep_logs,
            mask=make_mask(),
        )

    return JobRunner(
        claims,
        JobsFile(folder / FILE_NAME, lambda: readable_jobs(read())),
        ProcessStarter(
            folder,
            module,
            environ=environ,
            open_log=begin_log,
            make_clean=lambda: make_mask().text,
            echoes=echoes,
        ),
        most=settings.jobs,
        grace_seconds=settings.grace,
        clock=clock,
        on_finished=on_finished,
    )


def readable_jobs(settings: Mapping[str, JobSettings]) -> dict[str, Job]:
    """Build the jobs; one whose times cannot be read is logged, and does not prevent the others."""
    found: dict[str, Job] = {}
    for name, each in settings.items():
        try:
            found |= build_jobs({name: each})
        except ConfigError as exc:
            log.error("job %s is not run: %s %s", name, exc, exc.hint)
    return found
