"""The life cycle of every kind of run: claim, attempt, outcome, release.

    held = claim(store, take)                                # `take` runs in a transaction of its own
    with attempting(store, end=end, give_back=give_back):
        …                                                    # the attempt

Runs of sources (`harvest.run.running`), steps of collections (`runs.record_step`), the workers of a crawl and
the delivery of notifications all follow it. Runs of jobs are processes, which `schedule.job_runner` polls;
inside such a process the run itself follows it, and the exit code is its outcome.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from windrow.errors import Interrupted, StoreError
from windrow.model.run import Outcome
from windrow.store.connection import Connection
from windrow.store.store import Store

Held = TypeVar("Held")
Release = Callable[[Connection], object]
# SystemExit: the process was asked to exit, as by a handler of SIGTERM.
_STOPPED = (Interrupted, KeyboardInterrupt, SystemExit)

_LOG = logging.getLogger("windrow.store")


def outcome_of(error: BaseException) -> Outcome:
    """Return the outcome of a run that this error has ended."""
    return Outcome.INTERRUPTED if isinstance(error, _STOPPED) else Outcome.FAILED


def claim(store: Store, take: Callable[[Connection], Held]) -> Held:
    """Call `take` in a transaction, after the releases that could not be stored when they were due."""
    late: list[Release] = []
    try:
        with store.writing() as connection:
            late, store.late_releases[:] = store.late_releases[:], []
            for each in late:
                each(connection)
            return take(connection)
    except BaseException:
        store.late_releases += late
        raise


def release(store: Store, give_back: Release) -> None:
    """Release a claim in a transaction.

    If the library cannot be written, this is logged, and the claim is released by the next `claim` of this
    process; if there is none, it expires with the process.
    """
    try:
        with store.writing() as connection:
            give_back(connection)
    except StoreError as exc:
        _LOG.warning("a claim cannot be released yet: %s", exc)
        store.late_releases.append(give_back)


@contextmanager
def attempting(
    store: Store,
    *,
    end: Callable[[BaseException | None], object],
    give_back: Release | None = None,
) -> Iterator[None]:
    """Run the block, store its outcome with `end` and release its claim, however the block ends.

    `end` receives the error that ended the block, or None; an error of `end` itself ends the run, too, and is
    passed to a second call. Neither a store that cannot take the outcome of a failed block, nor one that
    cannot take the release, hides the error of the block.
    """
    try:
        try:
            yield
            end(None)
        except BaseException as error:
            try:
                end(error)
            except StoreError as exc:
                _LOG.warning("the outcome of a run cannot be stored: %s", exc)
            raise
    finally:
        if give_back is not None:
            release(store, give_back)
