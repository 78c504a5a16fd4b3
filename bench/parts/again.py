"""Part `again`: a second harvest of a source with nothing new asks little and takes no time."""

from __future__ import annotations

from bench import measure, report, windrow
from bench.workspace import Workspace

HEADERS = ("run", "requests", "wall s", "spread", "CPU s", "peak MB")


def measure_part(space: Workspace) -> list[report.Section]:
    """Give one table: requests counted by the server, time by the clock."""
    library, served = space.library(), space.served()
    measure.say("again")
    asked: list[int] = []
    again = measure.Result("second harvest, nothing new")
    for _ in range(space.rounds):
        before = served.requests()
        usage = measure.run(windrow.command(library, "harvest", "--json"), space.scratch("again"))
        asked.append(served.requests() - before)
        again.fault = again.fault or usage.reason
        again.runs.append(usage)
    row = _row(again, max(asked))
    return [report.Section("Again", HEADERS, [row], [], [again], is_good=again.is_good)]


def _row(result: measure.Result, requests: int) -> tuple[str, ...]:
    if not result.is_good:
        return (result.name, str(requests), result.fault, "", "", "")
    return (
        result.name,
        str(requests),
        f"{result.wall_seconds:.2f}",
        f"{result.spread:.2f}",
        f"{result.cpu_seconds:.2f}",
        report.megabytes(result.peak_bytes),
    )
