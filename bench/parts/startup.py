"""Part `startup`: how long a person waits for `windrow --help`."""

from __future__ import annotations

import sys

from bench import measure, report, windrow
from bench.workspace import Workspace

ROUNDS = 10
HEADERS = ("command", "wall s", "spread", "CPU s", "peak MB")


def measure_part(space: Workspace) -> list[report.Section]:
    """Give one table, with a Python that does nothing as the floor."""
    measure.say("startup")
    contestants = [
        measure.Contestant(
            "windrow --help", lambda _: [windrow.executable() or "windrow", "--help"], absent=windrow.absent()
        ),
        measure.Contestant("python -c pass", lambda _: [sys.executable, "-c", "pass"]),
    ]
    results = measure.compare(contestants, space.folder, rounds=ROUNDS)
    title = f"Startup: best of {ROUNDS}"
    return [report.Section(title, HEADERS, list(map(_row, results)), [], results, is_good=results[0].is_good)]


def _row(result: measure.Result) -> tuple[str, ...]:
    if not result.is_good:
        return (result.name, result.fault, "", "", "")
    return (
        result.name,
        f"{result.wall_seconds:.3f}",
        f"{result.spread:.2f}",
        f"{result.cpu_seconds:.3f}",
        report.megabytes(result.peak_bytes),
    )
