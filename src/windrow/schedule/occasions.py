"""Whether a run is worth a message, and which: pure, so that weeks of it can be tried in a moment.

A job that fails is told of at once, then about once a day as long as it goes on, then when it is well again.
"""

from __future__ import annotations

from enum import StrEnum

from windrow.config.jobs import ALWAYS, FAILURE, NEVER
from windrow.model.job import JobOutcome, JobRun
from windrow.store.told import Told

# Less than a day: a job that fails every night fails now a little sooner, now a little later.
AGAIN_SECONDS = 20 * 3600.0


class Occasion(StrEnum):
    """Why people are told; programs that get the message read these words."""

    FAILED = "failed"
    FAILING = "failing"  # still
    RECOVERED = "recovered"
    ENDED = "ended"
    TEST = "test"


def occasion(tell: str, run: JobRun, told: Told | None, *, now: float) -> Occasion | None:
    """Say what is to be told of a run that has ended; None: nothing. What is tried again is not told of."""
    if tell == NEVER or run.retry_at is not None:
        return None
    if run.outcome is JobOutcome.FAILED:
        return _of_failure(tell, told, now)
    if run.is_good and told is not None and told.at is not None:
        return Occasion.RECOVERED
    return Occasion.ENDED if tell == ALWAYS else None


def _of_failure(tell: str, told: Told | None, now: float) -> Occasion | None:
    if told is None or told.at is None:
        return Occasion.FAILED
    if tell == ALWAYS or (tell == FAILURE and now - told.at >= AGAIN_SECONDS):
        return Occasion.FAILING
    return None
