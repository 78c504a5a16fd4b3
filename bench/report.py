"""What the bench says at the end: Markdown for people, JSON for machines, the machine itself described."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from bench import nginx
from bench.contestants import CURL_LIMIT, SICKLE
from bench.measure import Result

PACKAGES = (
    "windrow",
    "Sickle",
    "oaipmh-scythe",
    "pyoai",
    "oai_repo",
    "Scrapy",
    "aiohttp",
    "lxml",
    "tantivy",
    "urllib3",
    "uvicorn",
    "zstandard",
)
HARVEST_HEADERS = (
    "harvester",
    "wall s",
    "spread",
    "CPU s",
    "records/s",
    "wall ÷ Sickle",
    "CPU ÷ Sickle",
    "wall ÷ curl",
    "peak MB",
)
VERSION = re.compile(r"\d+(?:\.\d+)+")


@dataclass(frozen=True, slots=True)
class Section:
    """One table. `is_good` is false when Windrow itself failed or lost something in it."""

    title: str
    headers: tuple[str, ...]
    rows: list[tuple[str, ...]]
    remarks: list[str] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    is_good: bool = True


@dataclass(frozen=True, slots=True)
class Machine:
    """Where the numbers come from; a ratio without it means little."""

    cores: int
    processor: str
    system: str
    load: tuple[float, float, float]  # over 1, 5 and 15 minutes, before the bench put any on
    versions: dict[str, str]
    started: str


def machine() -> Machine:
    """Describe the machine as it is now; call it before the first measurement."""
    return Machine(
        cores=os.cpu_count() or 1,
        processor=_processor(),
        system=f"{platform.system()} {platform.release()}",
        load=os.getloadavg(),
        versions=_versions(),
        started=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


def harvest_rows(results: Sequence[Result], records: int) -> list[tuple[str, ...]]:
    """Give a row a contestant, with ratios to Sickle and to the curl limit; below 1 is less than theirs."""
    good = {result.name: result for result in results if result.is_good}
    sickle, curl = good.get(SICKLE), good.get(CURL_LIMIT)
    return [_harvest_row(result, records, sickle, curl) for result in results]


def _harvest_row(result: Result, records: int, sickle: Result | None, curl: Result | None) -> tuple[str, ...]:
    if not result.is_good:
        return (result.name, result.fault, *[""] * (len(HARVEST_HEADERS) - 2))
    return (
        result.name,
        f"{result.wall_seconds:.2f}",
        f"{result.spread:.2f}",
        f"{result.cpu_seconds:.2f}",
        f"{records / result.wall_seconds:,.0f}",
        ratio(result.wall_seconds, sickle.wall_seconds if sickle else None),
        ratio(result.cpu_seconds, sickle.cpu_seconds if sickle else None),
        ratio(result.wall_seconds, curl.wall_seconds if curl else None),
        megabytes(result.peak_bytes),
    )


def ratio(number: float, to: float | None) -> str:
    """Give one through the other, or nothing where there is nothing to compare with."""
    return f"{number / to:.2f}" if to else ""


def megabytes(number: float) -> str:
    """Give bytes in units of 1,000,000."""
    return f"{number / 1e6:.0f}"


def verdict(is_met: bool) -> str:
    """Say whether a limit is kept, so that nobody overlooks one that is not."""
    return "yes" if is_met else "NO"


def render(sections: Sequence[Section], where: Machine) -> str:
    """Give the whole report as Markdown."""
    versions = ", ".join(f"{name} {version}" for name, version in where.versions.items())
    load = " ".join(f"{number:.2f}" for number in where.load)
    head = (
        f"# Bench, {where.started}\n\n{where.cores} cores ({where.processor}), {where.system}; "
        f"load average at the start {load}.\n{versions}.\n\nBest of the rounds; the contestants ran in turn. "
        "Spread is the slowest round through the quickest, the machine's noise. Peak: the largest process.\n"
    )
    return "\n".join([head, *map(_render_section, sections)])


def write(folder: Path, sections: Sequence[Section], where: Machine) -> Path:
    """Write the report as Markdown and JSON, named by its time; give the Markdown file."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = where.started.replace(":", "").replace("-", "")
    path = folder / f"{stem}.md"
    path.write_text(render(sections, where), encoding="utf-8")
    path.with_suffix(".json").write_text(_json(sections, where), encoding="utf-8")
    return path


def _render_section(section: Section) -> str:
    lines = [section.headers, ("---", *["---:"] * (len(section.headers) - 1)), *section.rows]
    table = "\n".join("| " + " | ".join(cell.replace("|", "/") for cell in line) + " |" for line in lines)
    remarks = "".join(f"\n{remark}\n" for remark in section.remarks)
    return f"## {section.title}\n\n{table}\n{remarks}"


def _json(sections: Sequence[Section], where: Machine) -> str:
    tree = {
        "machine": _plain(where),
        "sections": [
            {
                "title": section.title,
                "is_good": section.is_good,
                "rows": [dict(zip(section.headers, row, strict=True)) for row in section.rows],
                "remarks": section.remarks,
                "results": [
                    {"name": result.name, "fault": result.fault, "runs": [_plain(run) for run in result.runs]}
                    for result in section.results
                ],
            }
            for section in sections
        ],
    }
    return json.dumps(tree, ensure_ascii=False, indent=1)


def _plain(value: object) -> dict[str, object]:
    return {name: getattr(value, name) for name in getattr(value, "__dataclass_fields__", {})}


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    text = info.read_text(encoding="utf-8", errors="replace") if info.exists() else ""
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else platform.processor() or platform.machine()


def _versions() -> dict[str, str]:
    found = {"Python": platform.python_version(), "SQLite": sqlite3.sqlite_version}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    commands = {
        "nginx": [nginx.executable(), "-v"],
        "curl": ["curl", "--version"],
        "wget": ["wget", "--version"],
    }
    return found | {name: _version(line) for name, line in commands.items() if shutil.which(line[0])}


def _version(line: list[str]) -> str:
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=30)
    found = VERSION.search(done.stdout + done.stderr)
    return found[0] if found else "of unknown version"
