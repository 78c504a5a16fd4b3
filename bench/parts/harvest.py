"""Part `harvest`: everybody brings home the same records, at each page size."""

from __future__ import annotations

from bench import contestants, measure, report
from bench.workspace import Workspace


def measure_part(space: Workspace) -> list[report.Section]:
    """Give a table a page size."""
    return [_at(space, per_page) for per_page in space.per_page]


def _at(space: Workspace, per_page: int) -> report.Section:
    served = space.served(per_page=per_page)
    measure.say(f"harvest, {per_page:,} a page")
    results = measure.compare(contestants.harvesters(served), space.folder, rounds=space.rounds)
    return report.Section(
        f"Harvest: {space.records:,} records, {served.site.page_bytes / 1e6:.0f} MB, {per_page:,} a page",
        report.HARVEST_HEADERS,
        report.harvest_rows(results, space.records),
        ["Windrow fills a database with records, sets, payloads; the others write one flat file."],
        results,
        is_good=results[0].is_good,
    )
