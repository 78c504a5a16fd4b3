"""Part `provider`: everybody hands out the same records as a repository, a hundred a page."""

from __future__ import annotations

from bench import measure, providers, report, servers
from bench.contestants import difference
from bench.walk import walk
from bench.workspace import Workspace

HEADERS = (
    "provider",
    "CPU ms per 1,000",
    "Windrow ÷",
    "wall s",
    "spread",
    "records/s",
    "requests",
    "MB sent",
    "peak MB",
)
FIRST = {"verb": "ListRecords", "metadataPrefix": "oai_dc"}


def measure_part(space: Workspace) -> list[report.Section]:
    """Give one table: the whole list, read by a client that costs next to nothing."""
    everybody = providers.everybody(space, with_gzip=True)
    truth = list(space.served().site.identifiers())
    measure.say("provider")

    def work(provider: providers.Provider, server: servers.Server) -> providers.Work:
        walked = walk(server.url, FIRST, accept=provider.accept)
        fault = providers.fault_of(walked, difference(truth, walked.identifiers))
        return providers.Work(walked.requests, walked.body_bytes, fault)

    results = providers.compare(everybody, work, rounds=space.rounds)
    ours = results[0]
    return [
        report.Section(
            f"Provider: ListRecords of {space.records:,} records, {providers.PER_PAGE:,} a page",
            HEADERS,
            [_row(result, ours, space.records) for result in results],
            [providers.REMARK, "CPU and peak are the server's alone. The peers do not compress."],
            results,
            is_good=all(result.is_good for result in results[:2]),
        )
    ]


def _row(result: measure.Result, ours: measure.Result, records: int) -> tuple[str, ...]:
    if not result.is_good:
        return (result.name, result.fault, *[""] * (len(HEADERS) - 2))
    return (
        result.name,
        f"{result.cpu_seconds / records * 1e6:.1f}",
        report.ratio(ours.cpu_seconds, result.cpu_seconds) if ours.is_good else "",
        f"{result.wall_seconds:.2f}",
        f"{result.spread:.2f}",
        f"{records / result.wall_seconds:,.0f}",
        f"{result.requests:,}",
        f"{result.body_bytes / 1e6:.1f}",
        report.megabytes(result.peak_bytes),
    )
