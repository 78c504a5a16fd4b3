"""The pool of child processes that read files: the interface of `extract` for runs and for document pages.

A run passes its files to `work`; a page requests one `picture`, or one `member` of an archive. Each file goes
as an open descriptor to a child (see `child_process` and `child`) that reads nothing else, so a malicious or
broken file costs only itself.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import BoundedSemaphore, Lock
from typing import Any, BinaryIO

from windrow.errors import WindrowError
from windrow.extract.child_process import AHEAD, Order, Outcome, Worker, can_work
from windrow.extract.child_protocol import Answer, Errand
from windrow.extract.reading_job import Job, Limits, Refusal, Result

# Several workers process one list of orders: each is kept supplied, answers are yielded as they arrive, and
# late children are ended. No threads: a single poll waits for all of them.

MILLISECONDS = 1_000


def run_orders(crew: Sequence[Worker], orders: Iterator[Order]) -> Iterator[tuple[Order, Outcome]]:
    """Process the orders, and yield each with its outcome, in any order.

    Time that the caller spends between two outcomes does not count against the files being read.
    """
    for done in _outcomes(crew, orders):
        before = time.monotonic()
        yield done
        _extend_deadlines(crew, time.monotonic() - before)


def _outcomes(crew: Sequence[Worker], orders: Iterator[Order]) -> Iterator[tuple[Order, Outcome]]:
    while True:
        yield from _hand_out(crew, orders)
        busy = [worker for worker in crew if worker.load]
        if not busy:
            return
        for worker in _wait_for_answers(busy):
            yield from worker.hear()
        now = time.monotonic()
        for worker in busy:
            if worker.load and worker.deadline < now:
                yield from worker.give_up()


def _hand_out(crew: Sequence[Worker], orders: Iterator[Order]) -> Iterator[tuple[Order, Outcome]]:
    """Supply each worker with files, idle ones first."""
    for load in range(AHEAD):
        for worker in crew:
            while worker.load <= load:
                order = next(orders, None)
                if order is None:
                    return
                refusal = worker.give(order)
                if refusal is not None:
                    yield order, refusal


def _wait_for_answers(busy: Sequence[Worker]) -> list[Worker]:
    """Wait for answers or the first deadline; return the workers with answers."""
    waiting = select.poll()
    by_descriptor = {worker.fileno(): worker for worker in busy}
    for descriptor in by_descriptor:
        waiting.register(descriptor, select.POLLIN)
    left = max(0.0, min(worker.deadline for worker in busy) - time.monotonic())
    return [by_descriptor[number] for number, _ in waiting.poll(left * MILLISECONDS + 1)]


def _extend_deadlines(crew: Sequence[Worker], seconds: float) -> None:
    for worker in crew:
        worker.deadline += seconds


__all__ = ["Limits", "Pool", "Refusal", "Result", "Task"]

MAX_IDLE_CHILDREN = 2  # each idle child keeps the memory of all libraries it has used


@dataclass(frozen=True, slots=True)
class Task:
    """One file to be read. `key` belongs to the caller and is returned with the outcome."""

    key: Any
    open: Callable[[], BinaryIO]  # called once, in the caller's thread; OSError: the file is gone
    job: Job


class Pool:
    """Children that read files, started when needed, replaced when they crash or have grown old.

    Thread-safe: each call has children of its own. A call of `work` has up to `workers` of them, and all
    `picture` and `member` calls together as many again.
    """

    def __init__(self, workers: int | None = None, limits: Limits | None = None) -> None:
        """`workers` defaults to the number of processors."""
        self.workers = workers or os.cpu_count() or 1
        self.limits = limits or Limits()
        self._idle: list[Worker] = []
        self._lock = Lock()
        self._singles = BoundedSemaphore(self.workers)
        self._is_closed = False

    def work(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Result | Refusal]]:
        """Read files; yield each task with its outcome as soon as it is ready, in any order.

        Reads ahead at most two tasks per worker. Closing the iterator ends current tasks. Raises WindrowError
        if no child can be started.
        """
        with self._borrowed(self.workers) as crew:
            for order, outcome in run_orders(crew, map(_order, tasks)):
                yield order.key, _result(outcome)

    def picture(self, open: Callable[[], BinaryIO], job: Job) -> bytes | Refusal:  # noqa: A002
        """Return a picture of a file, of the page and size that the job specifies."""
        return self._single(Order(open, Errand("picture", job)))

    def member(self, open: Callable[[], BinaryIO], job: Job) -> bytes | Refusal:  # noqa: A002
        """Return the bytes of the job's member of an archive."""
        return self._single(Order(open, Errand("member", job)))

    def close(self) -> None:
        """End the idle children; busy ones end with their calls.

        Later calls start children and end them after use.
        """
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.close()

    def _single(self, order: Order) -> bytes | Refusal:
        with self._singles, self._borrowed(1) as crew:
            _, outcome = next(run_orders(crew, iter([order])))
            return outcome if isinstance(outcome, Refusal) else outcome.body

    @contextmanager
    def _borrowed(self, number: int) -> Iterator[list[Worker]]:
        if not can_work():
            raise WindrowError("Documents can be read on Linux, macOS and other Unix systems only.")
        with self._lock:
            crew = [self._idle.pop() for _ in range(min(number, len(self._idle)))]
        crew += [Worker(self.limits) for _ in range(number - len(crew))]
        try:
            yield crew
        finally:
            self._take_back(crew)

    def _take_back(self, crew: list[Worker]) -> None:
        for worker in crew:
            with self._lock:
                if worker.is_idle and not self._is_closed and len(self._idle) < MAX_IDLE_CHILDREN:
                    self._idle.append(worker)
                    continue
            worker.close()


def _order(task: Task) -> Order:
    return Order(task.open, Errand("all", task.job), key=task)


def _result(outcome: Answer | Refusal) -> Result | Refusal:
    if isinstance(outcome, Refusal):
        return outcome
    assert outcome.extract is not None  # the protocol ensures it
    return Result(outcome.extract, outcome.body or None)
