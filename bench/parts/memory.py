"""Part `memory`: ten times the records should need the same memory and the same time for each."""

from __future__ import annotations

from bench import contestants, measure, report
from bench.workspace import LARGE_FACTOR, Workspace

HEADERS = (
    "harvester",
    "records",
    "peak MB",
    "wall s",
    "µs a record",
    "peak ÷ small",
    "time a record ÷ small",
)


def measure_part(space: Workspace) -> list[report.Section]:
    """Give one table: Windrow and Sickle at a size and at ten times that size."""
    large = space.records * LARGE_FACTOR if space.is_large else space.records
    small = max(1, large // LARGE_FACTOR)
    few, many = (_at(space, records) for records in (small, large))
    rows = [row for pair in zip(few, many, strict=True) for row in _rows(*pair, small, large)]
    remarks = (
        [] if space.is_large else [f"`--large` does the same with {space.records * LARGE_FACTOR:,} records."]
    )
    title = f"Memory: {small:,} and {large:,} records"
    return [
        report.Section(title, HEADERS, rows, remarks, few + many, is_good=few[0].is_good and many[0].is_good)
    ]


def _at(space: Workspace, records: int) -> list[measure.Result]:
    served = space.served(records=records)
    measure.say(f"memory, {records:,} records")
    return measure.compare(contestants.windrow_and_sickle(served), space.folder, rounds=space.rounds)


def _rows(few: measure.Result, many: measure.Result, small: int, large: int) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for result, records in ((few, small), (many, large)):
        if not result.is_good:
            rows.append((result.name, f"{records:,}", result.fault, "", "", "", ""))
            continue
        each = result.wall_seconds / records
        peak, time = "", ""
        if few.is_good:
            peak = report.ratio(result.peak_bytes, few.peak_bytes)
            time = report.ratio(each, few.wall_seconds / small)
        size, wall = report.megabytes(result.peak_bytes), f"{result.wall_seconds:.2f}"
        rows.append((result.name, f"{records:,}", size, wall, f"{each * 1e6:.0f}", peak, time))
    return rows
