"""A run that is not a harvest, from claim to outcome: what `retry` and `rebuild` have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from windrow.model.run import Counters, Outcome, Problem, Run, judge
from windrow.store import leases, runs, sources
from windrow.store.sources import SourceState
from windrow.store.store import Store


@dataclass(slots=True)
class Attempt:
    """One run under way: its number, what it counted, what it must tell."""

    store: Store
    source: SourceState
    run_id: int
    counters: Counters = field(default_factory=Counters)
    problems: list[Problem] = field(default_factory=list)
    is_ended: bool = False

    def end(self, *, is_interrupted: bool = False) -> Run:
        """Write down how it went; give the run as the store remembers it."""
        outcome = judge(self.problems, counters=self.counters, is_interrupted=is_interrupted)
        self.is_ended = True
        with self.store.writing() as connection:
            runs.progress(connection, self.run_id, self.counters, None)
            runs.add_problems(connection, self.run_id, self.problems)
            runs.end(connection, self.run_id, outcome=outcome, now=this_second())
            run = runs.get(connection, self.run_id)
        assert run is not None
        return run


@contextmanager
def attempting(
    store: Store,
    name: str,
    url: str,
    *,
    endpoint: str | None = None,
    kind: str,
    lease: str,
    arguments: Mapping[str, object],
) -> Iterator[Attempt]:
    """Claim the work and start a run for it; the claim is given back, and no run is left open behind."""
    claim = leases.ourselves(f"windrow {kind}")
    with store.writing() as connection:
        leases.take(connection, lease, claim)
        source = sources.ensure(connection, name, url, endpoint)
        run_id = runs.start(connection, source.id, kind, now=this_second(), arguments=arguments)
    attempt = Attempt(store, source, run_id)
    try:
        yield attempt
    finally:
        with store.writing() as connection:
            if not attempt.is_ended:  # an error is on its way out: the run failed with it
                runs.end(connection, run_id, outcome=Outcome.FAILED, now=this_second())
            leases.release(connection, lease, claim)


def this_second() -> datetime:
    """Give the time, aware. Not from `work`, which would bring the whole client along: mapping needs none."""
    return datetime.now(UTC).replace(microsecond=0)
