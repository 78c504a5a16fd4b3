"""Part `mapping`: what it costs to read every stored record into its fields again, beside Sickle."""

from __future__ import annotations

from pathlib import Path

from bench import contestants, measure, report, windrow
from bench.workspace import Workspace


def measure_part(space: Workspace) -> list[report.Section]:
    """Give one table: `windrow rebuild` on a harvested library, and Sickle on the same records."""
    library = space.library()
    measure.say("mapping")
    sickle = contestants.windrow_and_sickle(space.served())[1]

    def check(_folder: Path) -> str:
        lacking = space.records - windrow.mapped(library)
        return f"LOST {lacking:,}" if lacking else ""

    rebuild = measure.Contestant("windrow rebuild", lambda _: windrow.command(library, "rebuild"), check)
    results = measure.compare([rebuild, sickle], space.folder, rounds=space.rounds)
    return [
        report.Section(
            f"Mapping: {space.records:,} records",
            report.HARVEST_HEADERS,
            report.harvest_rows(results, space.records),
            ["Sickle's row is its whole harvest, download included: it maps each record while it reads it."],
            results,
            is_good=results[0].is_good,
        )
    ]
