"""What is worth another try, and how long to wait before it."""

from __future__ import annotations

import random

from windrow.net.settings import HttpSettings

RETRIED_STATUSES = frozenset({202, 408, 429, 500, 502, 503, 504})
JITTER = 0.25  # of the pause, either way: clients that failed together do not come back together


def backoff(tries: int, settings: HttpSettings) -> float:
    """Give the seconds to pause after so many failed tries: doubled each time, up to the longest wait."""
    pause = settings.backoff_seconds * 2.0 ** min(tries - 1, 30)
    jitter = random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - manners, not secrets
    return min(pause * jitter, settings.max_wait_seconds)
