"""Reads files in processes of their own: the door to `extract` for runs and for the pages of documents.

A run hands over its files with `work`; a page asks for one `picture`, or for one `member` of an archive. Each
file goes as an open descriptor to a child (`worker` holds it, `child` is what runs there) that reads nothing
else. Whatever the file does to the child, it costs that one file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import BoundedSemaphore, Lock
from typing import Any, BinaryIO

from windrow.errors import WindrowError
from windrow.extract.crew import labour
from windrow.extract.job import Job
from windrow.extract.limits import Limits
from windrow.extract.messages import Answer, Errand
from windrow.extract.outcomes import Refusal, Result
from windrow.extract.worker import Order, Worker, can_work

__all__ = ["Limits", "Pool", "Refusal", "Result", "Task"]

MOST_IDLE = 2  # children that wait for the next file: each keeps the memory of all libraries it has used


@dataclass(frozen=True, slots=True)
class Task:
    """One file to be read. `key` is the caller's own and comes back with the outcome."""

    key: Any
    open: Callable[[], BinaryIO]  # called once, in the caller's thread; OSError: the file is gone
    job: Job


class Pool:
    """Children that read files, started when first needed, replaced when they die or have grown old.

    Threads may share it: each call has children to itself. A `work` under way has up to `workers` of them,
    all `picture` and `member` calls together as many again.
    """

    def __init__(self, workers: int | None = None, limits: Limits | None = None) -> None:
        """`workers` are as many as there are processors, where nobody says otherwise."""
        self.workers = workers or os.cpu_count() or 1
        self.limits = limits or Limits()
        self._idle: list[Worker] = []
        self._lock = Lock()
        self._singles = BoundedSemaphore(self.workers)
        self._is_closed = False

    def work(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Result | Refusal]]:
        """Read files, and give each task with its outcome as soon as it is there, in no order.

        Takes from `tasks` no more than two a worker ahead of what it gives. Whoever stops early (closes the
        iterator) ends what is under way. WindrowError where no child can be started.
        """
        with self._borrowed(self.workers) as crew:
            for order, outcome in labour(crew, map(_order, tasks)):
                yield order.key, _result(outcome)

    def picture(self, open: Callable[[], BinaryIO], job: Job) -> bytes | Refusal:  # noqa: A002
        """Give a picture of a file, of the page and the size that the job names."""
        return self._single(Order(open, Errand("picture", job)))

    def member(self, open: Callable[[], BinaryIO], job: Job) -> bytes | Refusal:  # noqa: A002
        """Give the bytes of the job's member of an archive."""
        return self._single(Order(open, Errand("member", job)))

    def close(self) -> None:
        """End the children; those at work end with it. Later calls start others and end them at once."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.close()

    def _single(self, order: Order) -> bytes | Refusal:
        with self._singles, self._borrowed(1) as crew:
            _, outcome = next(labour(crew, iter([order])))
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
                if worker.is_idle and not self._is_closed and len(self._idle) < MOST_IDLE:
                    self._idle.append(worker)
                    continue
            worker.close()


def _order(task: Task) -> Order:
    return Order(task.open, Errand("all", task.job), key=task)


def _result(outcome: Answer | Refusal) -> Result | Refusal:
    if isinstance(outcome, Refusal):
        return outcome
    assert outcome.extract is not None  # `worker` has seen to it
    return Result(outcome.extract, outcome.body or None)
