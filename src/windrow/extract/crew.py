"""Several workers at one list of orders: each kept supplied, answers handed on as they come, the late ended.

Between `pool`, which lends the workers, and `worker`. No threads: one wait for whoever speaks first.
"""

from __future__ import annotations

import select
import time
from collections.abc import Iterator, Sequence

from windrow.extract.worker import AHEAD, Order, Outcome, Worker

MILLISECONDS = 1_000


def labour(crew: Sequence[Worker], orders: Iterator[Order]) -> Iterator[tuple[Order, Outcome]]:
    """Have the orders done, and give each with its outcome; not in their order.

    Time that the caller takes between two outcomes is not held against the files that are being read.
    """
    for done in _outcomes(crew, orders):
        before = time.monotonic()
        yield done
        _forgive(crew, time.monotonic() - before)


def _outcomes(crew: Sequence[Worker], orders: Iterator[Order]) -> Iterator[tuple[Order, Outcome]]:
    while True:
        yield from _supply(crew, orders)
        busy = [worker for worker in crew if worker.load]
        if not busy:
            return
        for worker in _speaking(busy):
            yield from worker.hear()
        now = time.monotonic()
        for worker in busy:
            if worker.load and worker.deadline < now:
                yield from worker.give_up()


def _supply(crew: Sequence[Worker], orders: Iterator[Order]) -> Iterator[tuple[Order, Outcome]]:
    """Give each worker the files it should have, the idle ones first."""
    for load in range(AHEAD):
        for worker in crew:
            while worker.load <= load:
                order = next(orders, None)
                if order is None:
                    return
                refusal = worker.give(order)
                if refusal is not None:
                    yield order, refusal


def _speaking(busy: Sequence[Worker]) -> list[Worker]:
    """Wait until somebody speaks or is late; give who speaks."""
    waiting = select.poll()
    by_descriptor = {worker.fileno(): worker for worker in busy}
    for descriptor in by_descriptor:
        waiting.register(descriptor, select.POLLIN)
    left = max(0.0, min(worker.deadline for worker in busy) - time.monotonic())
    return [by_descriptor[number] for number, _ in waiting.poll(left * MILLISECONDS + 1)]


def _forgive(crew: Sequence[Worker], seconds: float) -> None:
    for worker in crew:
        worker.deadline += seconds
