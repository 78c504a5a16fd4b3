"""What a run of the tests says at its end about those that were skipped: how many, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

ADVICE = "WINDROW_REQUIRE_ALL=1 makes them fail instead."


def describe_skips(reasons: Iterable[str]) -> list[str]:
    """Return a line with the number of skipped tests, then one for each reason, the commonest first."""
    counts = Counter(reason.removeprefix("Skipped: ") for reason in reasons)
    if not counts:
        return ["No test was skipped."]
    total, width = counts.total(), len(str(max(counts.values())))
    lines = [f"{count:>{width}}  {reason}" for reason, count in counts.most_common()]
    return [f"{total} {'test was' if total == 1 else 'tests were'} skipped. {ADVICE}", *lines]
