"""The runner: takes what is due, begins it, keeps its lease, sees to its end. Any number of them at once.

`taking` speaks with the store, `child` with the processes, `onward` says what is next. One thread looks; the
threads of children only wake it. What a look finds is all in the store, so a runner can be killed anywhere.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

from windrow.config.jobs import QUEUE
from windrow.errors import NotFound, SourceBusy, StoreError, WindrowError
from windrow.model.job import JobOutcome
from windrow.schedule.child import Child
from windrow.schedule.guarding import boot_time
from windrow.schedule.job import Job
from windrow.schedule.limits import Running
from windrow.schedule.taking import Desk, Finished
from windrow.store.jobs import Taken

LOOK_SECONDS = 1.0  # between two looks; one that finds nothing due costs less than a millisecond
LEAST_SECONDS = 0.05
BEATS = 4  # in the length of a lease
GRACE_SECONDS = 30.0
# A run that hears nothing from us stops after so much of its lease, and is killed a little later.
_SAFE_SHARE, _LAST_SHARE = 0.75, 0.125

log = logging.getLogger("windrow.schedule")


class Start(Protocol):
    """The way a run is begun; `on_end` is to be called, from any thread, when it has ended."""

    def __call__(self, job: Job, taken: Taken, on_end: Callable[[], None]) -> Child:
        """Begin it."""


class Runner:
    """Runs jobs until it is told to stop, or looks once where a test says when."""

    def __init__(
        self,
        desk: Desk,
        jobs: Callable[[], Mapping[str, Job]],
        start: Start,
        *,
        most: int = 2,
        grace_seconds: float = GRACE_SECONDS,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = boot_time,
        awake: Callable[[], float] = time.monotonic,
        on_finished: Callable[[Finished], None] = lambda _: None,
    ) -> None:
        self._desk = desk
        self._jobs = jobs
        self._start = start
        self._most = most
        self._grace_seconds = grace_seconds
        self._clock = clock
        self._monotonic = monotonic
        self._awake = awake
        self._on_finished = on_finished
        self._known: Mapping[str, Job] | None = None
        self._running: list[Running] = []
        self._last_beat = monotonic()
        self._last_look = clock() - awake()
        self._careful_until = awake()
        self._is_stopping = False
        self._news = threading.Event()

    def stop(self) -> None:
        """Ask it to end, from any thread: runs are told to stop and given time for it."""
        self._is_stopping = True
        self._news.set()

    def run(self) -> None:
        """Look until it is told to stop, then end what runs. What fails is logged, and tried again."""
        told = ""
        while not self._is_stopping:
            self._news.clear()
            wait = self._desk.lease_seconds / BEATS  # after a failure; leases outlast a few of them
            try:
                wait, told = self.look(), ""
            except WindrowError as exc:
                if str(exc) != told:
                    told = str(exc)
                    log.error("jobs are not looked after: %s %s", exc, exc.hint)
            except Exception:
                log.exception("jobs are not looked after")
            if not self._is_stopping:
                self._news.wait(wait)
        self._end()

    def run_all_due(self) -> None:
        """Run what is due by now, and what becomes due meanwhile, to the end; then stop."""
        while not self._is_stopping:
            self._news.clear()
            wait = self.look()
            if not self._running and not self._is_due():
                break
            self._news.wait(wait)
        self._end()

    def run_named(self, name: str, *, is_patient: bool = False) -> Finished | None:
        """Run one job now, due or not; None where somebody took it over. SourceBusy says who is at it.

        With `is_patient`, one whose source is busy is tried again as a due one would be, and what could not
        be begun because the job was under way already is noted as skipped.
        """
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

    def _take_named(self, job: Job, *, is_patient: bool) -> Taken:
        """Take a job; a patient caller waits for one under way whose due times queue up, to the next."""
        last = job.after(self._clock())
        while True:
            try:
                return self._desk.take_named(job.name)
            except SourceBusy as exc:
                now = self._clock()
                if (
                    is_patient
                    and job.overlap == QUEUE
                    and now < last
                    and self._wait_until(now + LOOK_SECONDS)
                ):
                    continue
                if is_patient:
                    self._tell(self._desk.skip(job, exc))
                raise

    def _wait_until(self, moment: float) -> bool:
        """Wait until a moment of the clock; return False if asked to stop before."""
        while not self._is_stopping and (left := moment - self._clock()) > 0:
            self._news.clear()
            if not self._is_stopping:
                self._news.wait(min(left, LOOK_SECONDS))
        return not self._is_stopping

    def _give_up(self, finished: Finished) -> Finished:
        """End a wait for another try because the runner is asked to stop."""
        last = self._desk.give_up(finished)
        self._tell(last)
        return last

    def _see_to_named(self) -> Finished | None:
        """See to the one run under way until it has ended."""
        done: list[Finished] = []
        while self._running:
            self._news.clear()
            if self._is_stopping:
                self._ask_all()
            done += self._see_to_running()
            if self._running:
                self._news.wait(min(LOOK_SECONDS, self._desk.lease_seconds / BEATS))
        return done[0] if done else None

    def look(self) -> float:
        """See to what runs and take what is due; give how many seconds the next look can wait."""
        self._follow_settings()
        self._see_to_running()
        may_take_over = not self._is_careful()
        free = self._most - len(self._running)
        if free > 0 and self._is_due():
            known, lease_began = self._known or {}, boot_time()
            for found in self._desk.take(known, free, may_take_over=may_take_over):
                if isinstance(found, Finished):
                    self._tell(found)
                else:
                    self._begin(known[found.job], found, lease_began)
        return self._wait_seconds()

    @property
    def is_busy(self) -> bool:
        """Is anything under way?"""
        return bool(self._running)

    def _follow_settings(self) -> None:
        jobs = self._jobs()
        if jobs is not self._known or self._was_put_back():
            self._desk.sync(jobs)
            self._known = jobs

    def _was_put_back(self) -> bool:
        """Say whether the clock went back since the last look."""
        ahead = self._clock() - self._awake()
        return self._last_look - ahead > self._desk.lease_seconds / BEATS

    def _is_careful(self) -> bool:
        """Say whether the machine has just slept, or its clock was put forward.

        Then all leases seem to be over, and whoever holds them gets the time to keep them, or to notice.
        """
        ahead = self._clock() - self._awake()
        if ahead - self._last_look > self._desk.lease_seconds / BEATS:
            self._careful_until = self._awake() + self._desk.lease_seconds
        self._last_look = ahead
        return self._awake() < self._careful_until

    def _is_due(self) -> bool:
        first = self._desk.next_at()
        return first is not None and first <= self._clock()

    def _wait_seconds(self) -> float:
        longest = min(LOOK_SECONDS, self._desk.lease_seconds / BEATS)
        if len(self._running) >= self._most:
            return longest
        first = self._desk.next_at()
        return longest if first is None else min(longest, max(LEAST_SECONDS, first - self._clock()))

    def _begin(
        self,
        job: Job,
        taken: Taken,
        lease_began: float,
        *,
        is_named: bool = False,
        is_patient: bool = False,
    ) -> None:
        try:
            child = self._start(job, taken, self._news.set)
        except (OSError, WindrowError) as exc:
            log.error("%s could not be begun: %s", job.name, exc)
            summary = f"could not be begun: {exc}"
            self._finish(job, taken, JobOutcome.FAILED, code=None, summary=summary, is_named=is_named)
            return
        running = Running(
            job,
            taken,
            child,
            self._monotonic(),
            self._grace_seconds,
            is_named=is_named,
            is_patient=is_patient,
        )
        self._running.append(running)
        self._keep(running, lease_began)

    def _keep(self, running: Running, lease_began: float) -> None:
        lease = self._desk.lease_seconds
        deadline = lease_began + lease * _SAFE_SHARE
        running.keep(deadline, lease * _LAST_SHARE, boot=boot_time())

    def _see_to_running(self) -> list[Finished]:
        """Note the ends of runs, bound those under way, keep their leases."""
        done: list[Finished] = []
        for running in list(self._running):
            running.bound(self._monotonic())
            code = running.child.poll()
            if code is not None:
                done += self._ended(running, code)
        if self._running and self._monotonic() - self._last_beat >= self._desk.lease_seconds / BEATS:
            self._beat()
        return done

    def _ended(self, running: Running, code: int) -> list[Finished]:
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
        self._running.remove(running)  # only now: where the store cannot be reached, it is tried again
        return [finished] if finished else []

    def _finish(
        self,
        job: Job,
        taken: Taken,
        outcome: JobOutcome,
        *,
        code: int | None,
        summary: str,
        is_named: bool,
        is_patient: bool = False,
        is_cut: bool = False,
    ) -> Finished | None:
        finished = self._desk.finish(
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
        self._tell(finished)
        return finished

    def _tell(self, finished: Finished) -> None:
        """Let others know of a run that ended; whatever they make of it, the runner goes on."""
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
        lost = {taken.run for taken in self._desk.beat([running.taken for running in self._running])}
        self._last_beat = self._monotonic()
        for running in list(self._running):
            if running.taken.run in lost:
                log.warning("%s: run %d was taken over", running.job.name, running.taken.run)
                running.child.kill()
                self._running.remove(running)
            else:
                self._keep(running, lease_began)

    def _ask_all(self) -> None:
        for running in self._running:
            running.ask(self._monotonic())

    def _end(self) -> None:
        """Let what runs come to an end: asked first, killed when its time is up, its lease given back."""
        self._is_stopping = True
        self._ask_all()
        last = self._monotonic() + self._grace_seconds + self._desk.lease_seconds
        while self._running and self._monotonic() < last:
            self._news.clear()
            try:
                self._see_to_running()
            except StoreError as exc:
                log.error("what ran cannot be noted: %s", exc)
            if self._running:
                self._news.wait(min(LOOK_SECONDS, self._desk.lease_seconds / BEATS))
