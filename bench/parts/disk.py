"""Part `disk`: how much room a record takes in the library, beside the XML it came as."""

from __future__ import annotations

from bench import measure, report, windrow
from bench.workspace import Workspace

HEADERS = ("what", "MB", "bytes a record", "÷ XML")


def measure_part(space: Workspace) -> list[report.Section]:
    """Give one table: the pages as served, and the database that holds them."""
    library, site = space.library(), space.served().site
    measure.say("disk")
    sizes = {"XML as served": site.page_bytes, windrow.DATABASE: windrow.database_bytes(library)}
    rows: list[tuple[str, ...]] = [
        (what, f"{size / 1e6:.1f}", f"{size / site.records:,.0f}", report.ratio(size, site.page_bytes))
        for what, size in sizes.items()
    ]
    return [report.Section(f"Disk: {site.records:,} records", HEADERS, rows)]
