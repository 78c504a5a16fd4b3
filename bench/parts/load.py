"""Part `load`: two hundred clients at once, some slow, some hanging up, some flooding.

Nobody may get anything but an answer or a 503, and memory must not grow with the crowd.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from bench import crowd, measure, pages, providers, report
from bench.crowd import Tally
from bench.errors import ContestantError
from bench.process_tree import Used
from bench.workspace import Workspace

SECONDS = 10.0
SCALE = 10  # times twenty clients
ALLOWED = {200, 503}
HEADERS = ("clients", "number", "200", "503", "other", "broken", "p50 ms", "p95 ms", "p99 ms", "longest ms")
REMARK = (
    "Times are those of whole answers with 200. Steady clients pause between questions and wait a second "
    "after a 503; floods send sixteen at a time without a pause, and run into the limit for one client."
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened, and what the server used before, and after all were gone."""

    tallies: list[Tally]
    before: Used
    after: Used


def measure_part(space: Workspace) -> list[report.Section]:
    """Give two tables: what the clients saw, and the server's memory."""
    provider = providers.windrow_provider(space.library(), space.folder)
    clients = SCALE * 20
    measure.say(f"load: {clients} clients for {SECONDS:.0f} s")
    title = f"Load: {clients} clients at once for {SECONDS:.0f} s"
    try:
        outcome = _let_loose(provider, [pages.identifier(number) for number in range(space.records)])
    except ContestantError as exc:
        return [report.Section(title, ("fails",), [(str(exc),)], is_good=False)]
    return [
        report.Section(
            title, HEADERS, list(map(_row, outcome.tallies)), [REMARK], is_good=_is_good(outcome.tallies)
        ),
        _memory(outcome),
    ]


def _let_loose(provider: providers.Provider, identifiers: list[str]) -> Outcome:
    with provider.start() as server:
        providers.wake(server)
        before = server.used()
        tallies = asyncio.run(crowd.gather(server.url, identifiers, scale=SCALE, seconds=SECONDS))
        providers.wake(server)  # it answers still
        return Outcome(tallies, before, server.used())


def _is_good(tallies: list[Tally]) -> bool:
    return all(
        tally.statuses.keys() <= ALLOWED and tally.statuses[200] and not tally.broken for tally in tallies
    )


def _row(tally: Tally) -> tuple[str, ...]:
    other = sum(number for status, number in tally.statuses.items() if status not in ALLOWED)
    broken = ", ".join(f"{number} {what}" for what, number in tally.broken.items())
    times = (tally.percentile(share) for share in (0.5, 0.95, 0.99, 1.0))
    return (
        tally.name,
        f"{tally.clients}",
        f"{tally.statuses[200]:,}",
        f"{tally.statuses[503]:,}",
        f"{other:,}",
        broken or "0",
        *(f"{seconds * 1e3:.0f}" if seconds else "" for seconds in times),
    )


def _memory(outcome: Outcome) -> report.Section:
    before, after = outcome.before, outcome.after
    row = (
        report.megabytes(before.resident_bytes),
        report.megabytes(after.resident_bytes),
        report.megabytes(after.peak_bytes),
        f"{after.cpu_seconds - before.cpu_seconds:.1f}",
    )
    headers = ("RSS MB before", "RSS MB after", "peak MB", "server CPU s")
    return report.Section("Load: the server", headers, [row])
