"""Part `crawl`: the robot beside wget and Scrapy on one linked web site, and its frontier alone.

The site is served by nginx on the loopback interface, politeness is off, and the robot's frontier is on disk
as always. With `--large`, the memory of one crawl of ten copies of the site is looked at as it goes on.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from bench import linked_site, measure, process_tree, report, windrow
from bench.contestants import PEERS
from bench.errors import ContestantError
from bench.linked_site import LinkedSite, Served
from bench.workspace import Workspace

PAGES = linked_site.PAGES
ROBOT, WGET, SCRAPY = "windrow harvest", "wget -r", "Scrapy"
WGET_SHARE = 0.6  # of its pages per second
SCRAPY_TIMES = 2.0
HEADERS = (
    *("crawler", "pages/s", "best round", "spread", "wall s", "CPU s", "÷ wget", "÷ Scrapy"),
    *("limit ÷ wget", "met", "limit ÷ Scrapy", "met ", "peak MB"),
)
FRONTIER_URLS = 1_000_000
FRONTIER_HOSTS = 1_000
CLAIM_LIMIT_MS = 1.0
GROWTH_LIMIT_BYTES = 48 * 1024 * 1024  # between 5,000 and half of the addresses: the database's own cache
COPIES = 10
WARM_PAGES = 20_000  # by then the caches are full: that of the database, and of addresses
MEMORY_GROWTH_ALLOWED = 1.15
REMARKS = [
    "Whole commands, from their start to their end. Pages per second, wall time and the ratios are those of "
    "the middle round, CPU that of all processes of a crawler together in the best one, the peak that of the "
    "largest process. The middle round counts, as in the study that the limits come from: wget's best round "
    "is up to four times as fast as its slowest.",
    "wget asks for one page after the other and writes them to files, 57 MB: rounds in which the disk is "
    "busy make its spread. Scrapy runs with its own scheduler in memory, 16 requests at once, and writes "
    "URL, title and meta tags. Windrow, 16 at once too, keeps its frontier in the database, and makes "
    "records of a third of the pages, with texts, links and tags; a new library has no search index that "
    "would follow. All three obey robots.txt, and a round counts only if every page of the site is there.",
]


@dataclass(frozen=True, slots=True)
class Sample:
    """How many requests were answered, and what the robot's process held at that moment."""

    requests: int
    resident_bytes: int


def measure_part(space: Workspace) -> list[report.Section]:
    """Return a table of crawlers, one of the frontier and, where asked for, one of a long crawl's memory."""
    measure.say(f"making a web site of {space.records:,} pages …")
    site = linked_site.write(space.scratch("linked-site"), pages=space.records)
    with linked_site.serve(site, space.scratch("linked-nginx"), copies=COPIES) as served:
        results = measure.compare(
            [_robot(served), _wget(served), _scrapy(served)], space.folder, rounds=space.rounds
        )
        sections = [_crawlers(results, site), _frontier(space)]
        if space.is_large:
            sections.append(_memory(served, space))
    return sections


def _crawlers(results: list[measure.Result], site: LinkedSite) -> report.Section:
    good = {result.name: result for result in results if result.is_good}
    ours, wget, scrapy = (good.get(name) for name in (ROBOT, WGET, SCRAPY))
    return report.Section(
        f"Crawl: {site.pages:,} pages, {site.records:,} with metadata",
        HEADERS,
        [_row(result, site.pages, wget, scrapy) for result in results],
        REMARKS,
        results,
        is_good=ours is not None
        and (wget is None or _speed(ours, wget) >= WGET_SHARE)
        and (scrapy is None or _speed(ours, scrapy) >= SCRAPY_TIMES),
    )


def _row(
    result: measure.Result, pages: int, wget: measure.Result | None, scrapy: measure.Result | None
) -> tuple[str, ...]:
    if not result.is_good:
        return (result.name, result.fault, *[""] * (len(HEADERS) - 2))
    to_wget = _speed(result, wget) if wget else None
    to_scrapy = _speed(result, scrapy) if scrapy else None
    is_limited = result.name == ROBOT
    return (
        result.name,
        f"{pages / result.median_seconds:,.0f}",
        f"{pages / result.wall_seconds:,.0f}",
        f"{result.spread:.2f}",
        f"{result.median_seconds:.2f}",
        f"{result.cpu_seconds:.2f}",
        f"{to_wget:.2f}" if to_wget else "",
        f"{to_scrapy:.2f}" if to_scrapy else "",
        *_limit(to_wget, WGET_SHARE, is_limited=is_limited),
        *_limit(to_scrapy, SCRAPY_TIMES, is_limited=is_limited),
        report.megabytes(result.peak_bytes),
    )


def _limit(ratio: float | None, least: float, *, is_limited: bool) -> tuple[str, str]:
    return (f"{least}", report.verdict(ratio >= least)) if is_limited and ratio is not None else ("", "")


def _speed(result: measure.Result, other: measure.Result) -> float:
    """Return how many times as fast as another one a crawler is."""
    return other.median_seconds / result.median_seconds


def make(library: Path, start: str, *options: str) -> None:
    """Make a library whose one source `bench` is a web site that is asked without pauses."""
    windrow.setup([windrow.executable() or "windrow", "init", str(library)])
    line = (
        "source",
        "add",
        windrow.SOURCE,
        "--kind",
        "web",
        "--start",
        start,
        "--interval",
        "0s",
        "--private",
    )
    contact = ("--contact", "robot@example.edu", "--set-option", "parallel=16", "--no-check")
    windrow.setup(windrow.command(library, *line, *contact, *options))


def _robot(served: Served) -> measure.Contestant:
    def prepare(folder: Path) -> Sequence[str]:
        make(folder / "library", served.url)
        return windrow.command(folder / "library", "harvest", "--json")

    def check(folder: Path) -> str:
        (run,) = json.loads((folder / "stdout").read_text())
        lacking = served.site.pages - run["counters"]["pages"]
        lost = served.site.records - sum(1 for _ in windrow.identifiers(folder / "library"))
        return f"LOST {lacking:,} pages, {lost:,} records" if lacking or lost else ""

    absent = "" if find_spec("aiohttp") else "not installed"
    return measure.Contestant(ROBOT, prepare, check, windrow.absent() or absent)


def _wget(served: Served) -> measure.Contestant:
    def check(folder: Path) -> str:
        lacking = [
            path for path in served.site.paths if not (folder / "site" / (path or "index.html")).exists()
        ]
        return f"LOST {len(lacking):,}" if lacking else ""

    return measure.Contestant(
        WGET,
        lambda folder: ["wget", "-q", "-r", "-l", "inf", "-nH", "-P", str(folder / "site"), served.url],
        check,
        "" if shutil.which("wget") else "not installed",
    )


def _scrapy(served: Served) -> measure.Contestant:
    def check(folder: Path) -> str:
        with (folder / "pages").open(encoding="utf-8") as lines:
            found = {json.loads(line)["url"] for line in lines}
        lacking = {served.url + path for path in served.site.paths} - found
        return f"LOST {len(lacking):,}" if lacking else ""

    return measure.Contestant(
        SCRAPY,
        lambda folder: [sys.executable, str(PEERS / "scrapy_crawl.py"), served.url, str(folder / "pages")],
        check,
        "" if find_spec("scrapy") else "not installed",
    )


def _frontier(space: Workspace) -> report.Section:
    measure.say(f"a frontier of {FRONTIER_URLS:,} addresses …")
    folder = space.scratch("frontier")
    out = folder / "measured"
    command = [sys.executable, "-m", "bench.frontier_load", str(folder / "library"), str(out)]
    usage = measure.run([*command, str(FRONTIER_URLS), str(FRONTIER_HOSTS)], folder)
    if usage.reason:
        raise ContestantError(f"the frontier: {usage.reason}")
    found = json.loads(out.read_text())
    growth = found["half"] - found["early"]
    rows: list[tuple[str, ...]] = [
        ("RSS at 5,000 addresses, MB", report.megabytes(found["early"]), "", ""),
        (
            f"RSS at {FRONTIER_URLS // 2:,}: growth, MB",
            report.megabytes(growth),
            report.megabytes(GROWTH_LIMIT_BYTES),
            report.verdict(growth <= GROWTH_LIMIT_BYTES),
        ),
        (f"RSS at {FRONTIER_URLS:,}, MB", report.megabytes(found["filled"]), "", ""),
        (
            "claim of 16 addresses, p50 ms",
            f"{found['claim_ms']:.2f}",
            f"{CLAIM_LIMIT_MS:.0f}",
            report.verdict(found["claim_ms"] < CLAIM_LIMIT_MS),
        ),
        ("claim of 16 addresses, p99 ms", f"{found['claim_ms_99']:.2f}", "", ""),
        ("added a second of CPU", f"{found['added_a_second']:,.0f}", "", ""),
        ("claimed and finished a second of CPU", f"{found['worked_a_second']:,.0f}", "", ""),
        ("database, MB", report.megabytes(found["bytes"]), "", ""),
    ]
    return report.Section(
        f"Frontier: {FRONTIER_URLS:,} addresses on {FRONTIER_HOSTS:,} hosts",
        ("what", "number", "limit", "met"),
        rows,
        is_good=growth <= GROWTH_LIMIT_BYTES and found["claim_ms"] < CLAIM_LIMIT_MS,
    )


def _memory(served: Served, space: Workspace) -> report.Section:
    pages = served.site.pages * COPIES
    measure.say(f"one crawl of {pages:,} pages …")
    library = space.scratch("long-crawl") / "library"
    limit = str(10 * pages)
    make(library, served.copies_url, "--set-option", f"max_host_pages={limit}")
    samples = _watched(windrow.command(library, "harvest", "--json"), served)
    warm = max(s.resident_bytes for s in samples if s.requests <= max(WARM_PAGES, samples[0].requests))
    most = max(sample.resident_bytes for sample in samples)
    rows: list[tuple[str, ...]] = [
        ("requests", f"{samples[-1].requests:,}", "", ""),
        (f"most RSS in the first {WARM_PAGES:,}, MB", report.megabytes(warm), "", ""),
        (
            "most RSS later ÷ that",
            f"{most / warm:.2f}",
            f"{MEMORY_GROWTH_ALLOWED}",
            report.verdict(most <= MEMORY_GROWTH_ALLOWED * warm),
        ),
    ]
    return report.Section(
        f"Memory of one crawl of {pages:,} pages",
        ("what", "number", "limit", "met"),
        rows,
        [
            "Of the crawl itself, without the process that parses. The pages are copies of the site that "
            "differ in one line."
        ],
        is_good=most <= MEMORY_GROWTH_ALLOWED * warm,
    )


def _watched(command: Sequence[str], served: Served) -> list[Sample]:
    """Run a command; look at its memory twice a second until it ends."""
    before = served.requests()
    samples: list[Sample] = []
    deadline = time.monotonic() + measure.LIMIT_SECONDS
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=measure.environment(),
        cwd=measure.PROJECT,
    )
    try:
        while time.monotonic() < deadline:
            try:
                process.wait(0.5)
                break
            except subprocess.TimeoutExpired:
                samples.append(Sample(served.requests() - before, process_tree.resident(process.pid)))
    finally:
        if process.poll() is None:
            process.kill()
        _, said = process.communicate()
    if process.returncode or not samples:
        raise ContestantError(f"the long crawl: exit {process.returncode}: {measure.last_line(said)}")
    return samples
