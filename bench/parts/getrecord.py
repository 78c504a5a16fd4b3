"""Part `getrecord`: one record after another, by identifiers drawn at random."""

from __future__ import annotations

from random import Random

from bench import measure, pages, providers, report, servers
from bench.walk import HEADER, Client
from bench.workspace import Workspace

REQUESTS = 5_000
HEADERS = ("provider", "CPU ms a request", "Windrow ÷", "wall ms a request", "spread", "peak MB")


def measure_part(space: Workspace) -> list[report.Section]:
    """Give one table: the same questions to everybody, on one connection where the server keeps it."""
    everybody = providers.everybody(space, with_gzip=False)
    asked = [pages.identifier(number) for number in Random(5).choices(range(space.records), k=REQUESTS)]
    measure.say("getrecord")

    def work(_provider: providers.Provider, server: servers.Server) -> providers.Work:
        client = Client(server.url)
        try:
            wrong = sum(not _is_answered(client, identifier) for identifier in asked)
        finally:
            client.close()
        return providers.Work(client.requests, client.body_bytes, f"{wrong:,} WRONG" if wrong else "")

    results = providers.compare(everybody, work, rounds=space.rounds)
    return [
        report.Section(
            f"GetRecord: {REQUESTS:,} of {space.records:,} records",
            HEADERS,
            [_row(result, results[0]) for result in results],
            [providers.REMARK, "wsgiref closes the connection after each answer; uvicorn keeps it."],
            results,
            is_good=results[0].is_good,
        )
    ]


def _is_answered(client: Client, identifier: str) -> bool:
    body = client.ask({"verb": "GetRecord", "identifier": identifier, "metadataPrefix": "oai_dc"})
    found = HEADER.search(body)
    return found is not None and found[1].decode() == identifier and b"<dc:title>" in body


def _row(result: measure.Result, ours: measure.Result) -> tuple[str, ...]:
    if not result.is_good:
        return (result.name, result.fault, *[""] * (len(HEADERS) - 2))
    return (
        result.name,
        f"{result.cpu_seconds / REQUESTS * 1e3:.3f}",
        report.ratio(ours.cpu_seconds, result.cpu_seconds) if ours.is_good else "",
        f"{result.wall_seconds / REQUESTS * 1e3:.3f}",
        f"{result.spread:.2f}",
        report.megabytes(result.peak_bytes),
    )
