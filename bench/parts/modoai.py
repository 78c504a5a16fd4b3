"""Part `modoai`: a web site brought home by wget from a list of all its files, and as a repository.

The experiment that came with the idea of a web server answering OAI-PMH, done again: baseline and update,
on loopback and with a round trip of 20 ms, requests and bytes counted by the servers.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from bench import fetchers, ground, measure, report, website
from bench.errors import ContestantError
from bench.fetchers import Fetcher, Truth
from bench.ground import Ground, Side
from bench.workspace import Workspace

ROUND_TRIPS_SECONDS = (0.0, 0.02)
COPIES = 6  # the site, wget's two, the harvesters' libraries, what is exported for the check
HEADERS = (
    "who",
    "requests",
    "MB sent",
    "wall s",
    "spread",
    "wget ÷",
    "client CPU s",
    "server CPU s",
    "client peak MB",
)
BASELINE, UPDATE = "baseline", "update"
Results = dict[tuple[str, str], measure.Result]


def measure_part(space: Workspace) -> list[report.Section]:
    """Give a table a stage and round trip, one for the scans, one for the crawl that has no list."""
    space.need_room(round(website.BYTES * space.files / website.FILES) * COPIES)
    measure.say(f"modoai: making {space.files:,} files …")
    folder = space.scratch("modoai")
    site = website.write(folder / "www", files=space.files)
    sections: list[report.Section] = []
    with ground.prepared(site, folder) as near:
        for seconds in ROUND_TRIPS_SECONDS:
            with ground.distant(near, seconds) as field:
                # A far wget takes minutes, evenly: once is enough.
                results = _compare(field, rounds=1 if seconds else space.rounds, label=_label(seconds))
            sections += [_section(stage, seconds, site, results) for stage in (BASELINE, UPDATE)]
        sections += [_scans(near), _crawl(near)]
    shutil.rmtree(folder)
    return sections


def _compare(field: Ground, *, rounds: int, label: str) -> Results:
    everybody = fetchers.everybody()
    results: Results = {
        (fetcher.name, stage): measure.Result(
            fetcher.name, fault=fetcher.absent or (field.fault if not fetcher.is_web else "")
        )
        for fetcher in everybody
        for stage in (BASELINE, UPDATE)
    }
    for number in range(rounds):
        truth = Truth(field.site.hashes(), frozenset(entry.path for entry in field.site.entries))
        for stage in (BASELINE, UPDATE):
            if stage == UPDATE:
                changed = field.touch()
                truth = Truth(field.site.hashes(), changed)
            for fetcher in everybody:
                if not results[fetcher.name, BASELINE].fault and not results[fetcher.name, UPDATE].fault:
                    measure.say(f"  {label}, round {number + 1}/{rounds}  {stage}  {fetcher.name} …")
                    _attempt(field, fetcher, stage, truth, results[fetcher.name, stage])
        for fetcher in everybody:
            shutil.rmtree(_home(field, fetcher.name), ignore_errors=True)
    return results


def _attempt(field: Ground, fetcher: Fetcher, stage: str, truth: Truth, result: measure.Result) -> None:
    home = _home(field, fetcher.name)
    try:
        if stage == BASELINE and fetcher.copies:
            shutil.copytree(_home(field, fetcher.copies), home)
            return
        usage = _fetch(field, fetcher, stage, home)
        result.fault = f"fails: {usage.reason}" if usage.reason else fetcher.check(home, truth)
        result.runs += [] if result.fault else [usage]
    except ContestantError as exc:
        result.fault = f"fails: {exc}"


def _fetch(field: Ground, fetcher: Fetcher, stage: str, home: Path) -> measure.Usage:
    side: Side | None = field.web if fetcher.is_web else field.oai
    if side is None:
        raise ContestantError(field.fault)
    url = field.web_url if fetcher.is_web else field.oai_url
    if stage == BASELINE:
        home.mkdir()
        fetcher.prepare(url, home)
    traffic, used = side.traffic(), side.used()
    usage = measure.run(fetcher.command(url, home), home)
    more, spent = side.traffic().since(traffic), side.used().cpu_seconds - used.cpu_seconds
    return replace(usage, requests=more.requests, body_bytes=more.body_bytes, server_cpu_seconds=spent)


def _home(field: Ground, name: str) -> Path:
    return field.folder / f"home-{name.replace(' ', '-')}"


def _section(stage: str, seconds: float, site: website.Website, results: Results) -> report.Section:
    chosen = [result for (_name, of), result in results.items() if of == stage]
    shown = [result for result in chosen if result.fault or result.runs]
    wget = results[fetchers.WGET, stage]
    count = f"{len(site.entries):,} files" if stage == BASELINE else "a quarter of them touched"
    remarks = [
        "Everything was found, with the right bytes where bytes came. `wget ÷` is the wall time of wget's "
        "quickest way through the row's: how many times quicker it was. MB are bodies.",
    ]
    if seconds:
        remarks.append(
            f"The round trip is made by a proxy before each server, {seconds * 500:.0f} ms each way and a "
            "whole round trip for a new connection; it limits no throughput. One round."
        )
    return report.Section(
        f"Web site, {stage}: {count}, round trip {_label(seconds)}",
        HEADERS,
        [_row(result, wget) for result in shown],
        remarks,
        shown,
        is_good=all(result.is_good for result in shown if not result.name.startswith("wget")),
    )


def _row(result: measure.Result, wget: measure.Result) -> tuple[str, ...]:
    if not result.is_good:
        return (result.name, result.fault, *[""] * (len(HEADERS) - 2))
    return (
        result.name,
        f"{result.requests:,}",
        f"{result.body_bytes / 1e6:.1f}",
        f"{result.wall_seconds:.2f}",
        f"{result.spread:.2f}",
        report.ratio(wget.wall_seconds, result.wall_seconds) if wget.is_good else "",
        f"{result.cpu_seconds:.2f}",
        f"{result.server_cpu_seconds:.2f}",
        report.megabytes(result.peak_bytes),
    )


def _scans(near: Ground) -> report.Section:
    rows: list[tuple[str, ...]] = [
        (result.name, result.fault, "", "", "")
        if not result.is_good
        else (
            result.name,
            f"{result.wall_seconds:.2f}",
            f"{result.spread:.2f}",
            f"{result.cpu_seconds:.2f}",
            report.megabytes(result.peak_bytes),
        )
        for result in near.scans.values()
    ]
    return report.Section(
        f"Scan: `windrow harvest` of the folder, {len(near.site.entries):,} files",
        ("scan", "wall s", "spread", "CPU s", "peak MB"),
        rows or [("", near.fault, "", "", "")],
        [],
        list(near.scans.values()),
        is_good=bool(rows) and not near.fault,
    )


def _crawl(near: Ground) -> report.Section:
    """Show why a list is needed at all: links from the home page lead to few of the files."""
    home = _home(near, "crawl")
    home.mkdir()
    usage = measure.run(fetchers.home_page_crawl(near.web_url, home), home)
    found, wanted = fetchers.found(home), len(near.site.reachable)
    row = ("wget -r from the home page", f"{found:,}", f"{len(near.site.entries):,}", usage.reason)
    headers = ("who", "files found", "of", "trouble")
    is_good = not usage.reason and found == wanted
    remarks = [] if is_good else [f"{wanted:,} can be reached: the site is not what it should be."]
    return report.Section("Web site, without a list", headers, [row], remarks, is_good=is_good)


def _label(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds else "none"
