"""Part `deep`: the end of a long list costs what its beginning costs, and memory does not grow on the way."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass, field

from bench import measure, nginx, pages, providers, report, servers
from bench.contestants import difference
from bench.parts.provider import FIRST
from bench.peers.front import TUNED
from bench.walk import Walked, walk
from bench.workspace import BYTES_PER_RECORD, Workspace, harvested

FACTOR = 8  # 400,000 records where the other parts have 50,000
COPIES = 3  # the pages, the library, the peer's table
PER_PAGE = 1_000  # of the site that is harvested; nothing that is measured
HEADERS = (
    "provider",
    "part",
    "CPU ms per 1,000",
    "wall ms per 1,000",
    "CPU ÷ first",
    "wall ÷ first",
    "RSS MB before and after",
)


@dataclass(frozen=True, slots=True)
class Mark:
    """How far the list has been read, and what the server had used by then."""

    records: int
    wall_seconds: float
    cpu_seconds: float
    resident_bytes: int


@dataclass(slots=True)
class Profile:
    """The marks of one walk: at the start, after a tenth, at nine tenths, at the end."""

    marks: list[Mark] = field(default_factory=list)

    def note(self, server: servers.Server, records: int) -> None:
        """Put a mark where the walk is now."""
        used = server.used()
        self.marks.append(Mark(records, time.monotonic(), used.cpu_seconds, used.resident_bytes))


def measure_part(space: Workspace) -> list[report.Section]:
    """Give one table: Windrow by its keys, pyoai by OFFSET."""
    records = space.records * FACTOR
    space.need_room(records * BYTES_PER_RECORD * COPIES)
    contestants = [
        _windrow(space, records),
        providers.peer(space, providers.PYOAI, TUNED, records=records),
    ]
    measure.say("deep")
    profiles: dict[str, list[Profile]] = {}

    def work(provider: providers.Provider, server: servers.Server) -> providers.Work:
        profile, walked = _profiled(server, records)
        profiles.setdefault(provider.name, []).append(profile)
        truth = map(pages.identifier, range(records))
        fault = providers.fault_of(walked, difference(truth, walked.identifiers))
        return providers.Work(walked.requests, walked.body_bytes, fault)

    results = [
        *providers.compare(contestants[:1], work, rounds=space.rounds),
        *providers.compare(contestants[1:], work, rounds=1),
    ]
    rows = [row for result in results for row in _rows(result, profiles.get(result.name, []))]
    return [
        report.Section(
            f"Deep: ListRecords of {records:,} records, {providers.PER_PAGE:,} a page",
            HEADERS,
            rows,
            ["The best round of each part of the list; pyoai runs once, it takes minutes."],
            results,
            is_good=results[0].is_good,
        )
    ]


def _windrow(space: Workspace, records: int) -> providers.Provider:
    # Not the workspace's own server: a gigabyte of pages that nobody asks for any more would stay.
    folder = space.scratch("deep")
    measure.say(f"making and harvesting {records:,} records …")
    site = pages.write(folder / "site", records=records, per_page=PER_PAGE)
    with nginx.serve(site, folder / "nginx") as served:
        library = harvested(served, folder)
    shutil.rmtree(site.folder)
    return providers.windrow_provider(library, folder)


def _profiled(server: servers.Server, records: int) -> tuple[Profile, Walked]:
    profile, pending = Profile(), [records // 10, records - records // 10]
    profile.note(server, 0)

    def on_page(walked: Walked) -> None:
        if pending and len(walked.identifiers) >= pending[0]:
            pending.pop(0)
            profile.note(server, len(walked.identifiers))

    walked = walk(server.url, FIRST, on_page=on_page)
    profile.note(server, len(walked.identifiers))
    return profile, walked


def _rows(result: measure.Result, profiles: list[Profile]) -> list[tuple[str, ...]]:
    if not result.is_good:
        return [(result.name, result.fault, *[""] * (len(HEADERS) - 2))]
    rows: list[tuple[str, ...]] = []
    first = (0.0, 0.0)
    for name, start in (("first tenth", 0), ("the middle", 1), ("last tenth", 2)):
        pairs = [(profile.marks[start], profile.marks[start + 1]) for profile in profiles]
        cpu = min(
            (after.cpu_seconds - before.cpu_seconds) / _thousands(before, after) for before, after in pairs
        )
        wall = min(
            (after.wall_seconds - before.wall_seconds) / _thousands(before, after) for before, after in pairs
        )
        first = (cpu, wall) if start == 0 else first
        resident = [max(mark.resident_bytes for mark in marks) for marks in zip(*pairs, strict=True)]
        rows.append(
            (
                result.name,
                name,
                f"{cpu * 1e3:.1f}",
                f"{wall * 1e3:.1f}",
                report.ratio(cpu, first[0]),
                report.ratio(wall, first[1]),
                " → ".join(map(report.megabytes, resident)),
            )
        )
    return rows


def _thousands(before: Mark, after: Mark) -> float:
    return max(1, after.records - before.records) / 1_000
