"""All sitemaps of a library timed: from nothing, and after changes; as files, and asked of a server.

After `sitemap_walk`, before the part `gateway`. From nothing means that nobody ever asked for a list of this
library's records. Changes lie as far apart as they can, each on a list of its own: there is no harder case.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from bench import measure, report, sitemap_walk, stock, windrow
from bench.crawler import crawling
from bench.errors import ContestantError
from bench.servers import Server

CHANGED = 1_000
LIMIT_SECONDS = 2.0
READY_SECONDS = 600.0
LOOK_SECONDS = 0.02
PUBLIC = "https://library.bench.example"
VERSION = 32  # of the changed records: `scale`, which may have the same library, uses those below
HEADERS = ("sitemaps", "wall s", "spread", "CPU s", "peak MB", "files made", "limit s", "met")
REMARK = (
    "From nothing: the lists of all records are laid out first. As files: the whole of `windrow sitemap"
    " write`, its start included. Asked of a server: one after the other over one connection, all packed."
    " After changes its clock starts when the process that made them has ended, its CPU is counted from"
    " before they were made, and its peak is of a server that has made all sitemaps before."
)
FILES, AGAIN = "as files, from nothing", "as files, after {:,} changes"
ASKED, ASKED_AGAIN = "asked of a server, all", "asked of a server, after {:,} changes"

Serving = Callable[[], AbstractContextManager[Server]]


@dataclass(slots=True)
class Timed:
    """Every run of each way, and how many files it made."""

    runs: dict[str, list[measure.Usage]] = field(default_factory=dict)
    files: dict[str, int] = field(default_factory=dict)

    def keep(self, name: str, usage: measure.Usage, files: int) -> None:
        """Keep one more run."""
        self.runs.setdefault(name, []).append(usage)
        self.files[name] = files


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes of so many records, other ones each time, spread over all."""

    library: Path
    records: int

    @property
    def number(self) -> int:
        """How many records are changed at a time: a tenth where there are few."""
        return min(CHANGED, max(1, self.records // 10))

    def numbers(self, turn: int) -> range:
        """Give which: other ones at every turn, as long as there are."""
        # Odd, or all of them would be of one source; the last one must be a record that there is.
        room = self.records // self.number
        step = max(1, room - 1) | 1 if room > 2 else 1
        first = 1 + turn % max(1, self.records - step * (self.number - 1))
        return range(first, first + step * self.number, step)

    def make(self, turn: int) -> None:
        """Store them."""
        numbers, version = self.numbers(turn), VERSION + turn % VERSION
        stock.fill(self.library, len(numbers), first=numbers.start, version=version, step=numbers.step)


def take_times(library: Path, folder: Path, serving: Serving, *, records: int, rounds: int) -> Timed:
    """Time all of it so often; ContestantError where an address is missing."""
    timed, changes = Timed(), Changes(library, records)
    for number in range(rounds):
        measure.say(f"  sitemaps, round {number + 1}/{rounds}")
        _write(timed, changes, folder, turn=2 * number)
        _ask(timed, changes, serving, turn=2 * number + 1)
    return timed


def section(timed: Timed, records: int) -> report.Section:
    """Give the table."""
    rows = [_row(name, runs, timed.files[name]) for name, runs in timed.runs.items()]
    return report.Section(f"Gateway: sitemaps of {records:,} records", HEADERS, rows, [REMARK])


def _write(timed: Timed, changes: Changes, folder: Path, *, turn: int) -> None:
    scratch = folder / f"sitemaps-{turn}"
    scratch.mkdir()
    windrow.forget_leaves(changes.library)
    timed.keep(FILES, *_run(changes.library, scratch))
    changes.make(turn)
    timed.keep(AGAIN.format(changes.number), *_run(changes.library, scratch))
    _check(sitemap_walk.count(scratch / "files"), changes.records)


def _run(library: Path, folder: Path) -> tuple[measure.Usage, int]:
    line = windrow.command(library, "sitemap", "write", str(folder / "files"), "--url", PUBLIC, "--json")
    usage = measure.run(line, folder)
    if usage.reason:
        raise ContestantError(f"windrow sitemap write: {usage.reason}")
    return usage, int(json.loads((folder / "stdout").read_bytes())["written"])


def _check(found: int, records: int) -> None:
    if found != records:
        raise ContestantError(f"the sitemaps name {found:,} of {records:,} records")


def _ask(timed: Timed, changes: Changes, serving: Serving, *, turn: int) -> None:
    with serving() as server, crawling(server.url) as crawler:
        started, before = time.perf_counter(), server.used()
        everything = sitemap_walk.walk(crawler)
        timed.keep(ASKED, _usage(server, started, before.cpu_seconds), len(everything.files))
        _check(everything.records(), changes.records)
        before = server.used()
        changes.make(turn)
        started = time.perf_counter()
        _await_leaves(changes.library)
        again = sitemap_walk.walk(crawler, everything)
        name = ASKED_AGAIN.format(changes.number)
        timed.keep(name, _usage(server, started, before.cpu_seconds), len(again.files))


def _usage(server: Server, started: float, cpu_before: float) -> measure.Usage:
    wall, used = time.perf_counter() - started, server.used()
    return measure.Usage(wall, used.cpu_seconds - cpu_before, used.peak_bytes)


def _await_leaves(library: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while not windrow.are_leaves_true(library):
        if time.monotonic() > deadline:
            raise ContestantError(f"the lists did not follow within {READY_SECONDS:.0f} s")
        time.sleep(LOOK_SECONDS)


def _row(name: str, runs: list[measure.Usage], files: int) -> tuple[str, ...]:
    walls = [run.wall_seconds for run in runs]
    has_limit = "changes" in name
    return (
        name,
        *(f"{min(walls):.2f}", f"{max(walls) / min(walls):.2f}"),
        f"{min(run.cpu_seconds for run in runs):.2f}",
        report.megabytes(max(run.peak_bytes for run in runs)),
        f"{files:,}",
        f"{LIMIT_SECONDS:.0f}" if has_limit else "",
        report.verdict(min(walls) <= LIMIT_SECONDS) if has_limit else "",
    )
