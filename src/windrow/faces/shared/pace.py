"""How fast something may go: a steady rate with a burst before it, for any number of those who ask.

`gate` and `budget` ask it. Each is remembered as one number, the time at which it will have used up what it
asked for so far; one that is not remembered has its whole burst left.
"""

from __future__ import annotations

_TOLERANCE_SECONDS = 1e-9  # sums of floats are never exact


class Pace:
    """Counts by key. `per_second` 0 is without limit; `most` keys are remembered at a time."""

    def __init__(self, per_second: float, burst: int, *, most: int) -> None:
        self._interval = 1 / per_second if per_second else 0.0
        self._allowance = self._interval * (burst - 1)
        self._most = most
        self._due: dict[str, float] = {}

    def __len__(self) -> int:
        """How many are remembered."""
        return len(self._due)

    def early(self, key: str, now: float) -> float:
        """Give how many seconds too early somebody comes; 0 or less is in time. Costs nothing."""
        early = self._due.get(key, now) - now - self._allowance
        return early if early > _TOLERANCE_SECONDS else 0.0

    def spend(self, key: str, now: float) -> None:
        """Count one request that was let in."""
        if not self._interval:
            return
        self._due[key] = max(self._due.get(key, now), now) + self._interval
        if len(self._due) > self._most:
            self._forget(now)

    def take_back(self, key: str) -> None:
        """Count one request less."""
        if key in self._due:
            self._due[key] -= self._interval

    def _forget(self, now: float) -> None:
        """Forget those with nothing against them; if many are left, all: rather too kind than too large."""
        self._due = {key: due for key, due in self._due.items() if due > now}
        if len(self._due) > self._most // 2:
            self._due.clear()
