"""Part `documents`: a folder of mixed files becomes a library, beside a plain loop that reads the same files.

The plain loop has one process and no limits; Windrow's readers alone (children, limits, kinds by content,
languages) and the whole harvest of a new library are measured beside it. Then a large folder in which nothing
has changed is looked at again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from bench import documents, measure, report, windrow
from bench.contestants import PEERS
from bench.workspace import Workspace

FILES = documents.FILES
UNCHANGED = 10  # times the files: 20,000 of the usual 2,000
CPU_ALLOWED = 1.4  # of the plain loop's
UNCHANGED_SECONDS = 2.0
BYTES_PER_FILE = 400_000  # made, read into a library, and the small ones of the second table
PLAIN, POOL, HARVEST = "plain loop", "Windrow's readers", "windrow harvest"
HEADERS = (
    *("who", "wall s", "spread", "CPU s", "documents a second of a core"),
    *("CPU ÷ plain", "limit ÷", "met", "peak MB"),
)
MOST_MEMBERS = 1_000  # what documents.archive_members is unless it is set
LARGE_ARCHIVE = 30
ARCHIVE_ALLOWED = 1.5  # of the CPU for the same texts as files
ARCHIVES = ("files", "zip", "large zip", "tar.gz")
ARCHIVE_HEADERS = ("texts in", "wall s", "CPU ms a text", "CPU ÷ files", "limit ÷", "met", "peak MB")
AGAIN_HEADERS = ("run", "wall s", "spread", "CPU s", "limit s", "met", "peak MB")
REMARKS = [
    "The files are made for this: PDFs of 2 to 12 pages of text, pictures of two megapixels with EXIF, "
    "texts, pages, Word files and sound; they are neither scanned nor large. CPU is that of all processes "
    "together, of the best round.",
    "The plain loop goes by the names of the files and writes one line for each, and the pictures; it "
    "guesses neither kind nor language, keeps no checksums, and ends with the first file that breaks it.",
]


def measure_part(space: Workspace) -> list[report.Section]:
    """Return three tables: reading everything, looking again at what has not changed, and archives."""
    space.need_room(space.records * BYTES_PER_FILE)
    return [_first(space), _again(space), _archives(space)]


def _first(space: Workspace) -> report.Section:
    folder = space.scratch("documents")
    measure.say(f"making {space.records:,} documents …")
    size = documents.write(folder, space.records)
    results = measure.compare(
        [_plain(folder, space.records), _pool(folder, space.records), _harvest(folder, space.records)],
        space.folder,
        rounds=space.rounds,
    )
    ours, plain = results[2], results[0]
    is_met = plain.is_good and ours.is_good and ours.cpu_seconds <= CPU_ALLOWED * plain.cpu_seconds
    return report.Section(
        f"Documents: {space.records:,} mixed files, {size / 1e6:.0f} MB",
        HEADERS,
        [_row(result, space.records, plain) for result in results],
        REMARKS,
        results,
        is_good=is_met,
    )


def _again(space: Workspace) -> report.Section:
    number = space.records * UNCHANGED
    folder, place = space.scratch("small-documents"), space.scratch("again-documents")
    measure.say(f"a library of {number:,} small documents …")
    documents.write_small(folder, number)
    make(place / "library", folder)
    windrow.setup(windrow.command(place / "library", "harvest"), limit_seconds=measure.LIMIT_SECONDS)
    again = measure.Result("second harvest, nothing changed")
    for _ in range(space.rounds):
        usage = measure.run(windrow.command(place / "library", "harvest", "--json"), place)
        again.fault = again.fault or usage.reason or _lacking(place / "library", number)
        again.runs.append(usage)
    is_met = again.is_good and again.wall_seconds <= UNCHANGED_SECONDS
    return report.Section(
        f"Documents again: {number:,} files, none of them changed",
        AGAIN_HEADERS,
        [_again_row(again)],
        ["Small texts: what is inside is not looked at, so their size costs nothing."],
        [again],
        is_good=is_met,
    )


def _archives(space: Workspace) -> report.Section:
    """Small texts in archives beside the same texts as files; most of a large archive is beyond the limit."""
    number = min(space.records, MOST_MEMBERS)
    folders = {name: space.scratch(f"archive-{place}") for place, name in enumerate(ARCHIVES)}
    plain, zipped, large, tar = ARCHIVES
    documents.write_small(folders[plain], number)
    documents.write_archive(folders[zipped] / "notes.zip", number)
    documents.write_archive(folders[large] / "notes.zip", number * LARGE_ARCHIVE)
    documents.write_archive(folders[tar] / "notes.tar.gz", number)
    contestants = [
        replace(_harvest(folder, number + (name != plain)), name=name) for name, folder in folders.items()
    ]
    contestants[2] = replace(contestants[2], prepare=_partial(contestants[2].prepare))
    results = measure.compare(contestants, space.folder, rounds=space.rounds)
    files = results[0]
    ratios = [
        result.cpu_seconds / files.cpu_seconds if result.is_good and files.is_good else None
        for result in results
    ]
    is_met = all(ratio is not None and ratio <= ARCHIVE_ALLOWED for ratio in ratios)
    rows: list[tuple[str, ...]] = [
        (
            result.name,
            result.fault or f"{result.wall_seconds:.2f}",
            f"{result.cpu_seconds / number * 1000:.1f}" if result.is_good else "",
            f"{ratio:.2f}" if ratio is not None else "",
            f"{ARCHIVE_ALLOWED}",
            report.verdict(ratio is not None and ratio <= ARCHIVE_ALLOWED),
            report.megabytes(result.peak_bytes) if result.is_good else "",
        )
        for result, ratio in zip(results, ratios, strict=True)
    ]
    return report.Section(
        f"Documents in archives: {number:,} small texts",
        ARCHIVE_HEADERS,
        rows,
        [
            f"The large archive has {LARGE_ARCHIVE} times as many files as are taken in; its run is partial.",
        ],
        results,
        is_good=is_met,
    )


def _partial(prepare: Callable[[Path], Sequence[str]]) -> Callable[[Path], Sequence[str]]:
    """Have a command count as good where it ends with the exit code of a partial run, and only then."""
    return lambda place: ["sh", "-c", '"$@"; test $? -eq 3', "sh", *prepare(place)]


def make(library: Path, folder: Path) -> None:
    """Make a library whose one source `bench` is a folder of documents."""
    windrow.setup([windrow.executable() or "windrow", "init", str(library)])
    line = ("source", "add", windrow.SOURCE, str(folder), "--kind", "files", "--content", "documents")
    windrow.setup(windrow.command(library, *line))


def _plain(folder: Path, files: int) -> measure.Contestant:
    command = [sys.executable, str(PEERS / "documents_plain.py"), str(folder)]
    return measure.Contestant(PLAIN, lambda place: [*command, str(place / "out")], _lines_of(files))


def _pool(folder: Path, files: int) -> measure.Contestant:
    command = [sys.executable, "-m", "bench.documents_pool", str(folder)]
    return measure.Contestant(POOL, lambda place: [*command, str(place / "out")], _lines_of(files))


def _lines_of(files: int) -> Callable[[Path], str]:
    def check(place: Path) -> str:
        with (place / "out" / "documents").open("rb") as lines:
            lacking = files - sum(1 for _ in lines)
        return f"LOST {lacking:,}" if lacking else ""

    return check


def _harvest(folder: Path, files: int) -> measure.Contestant:
    def prepare(place: Path) -> Sequence[str]:
        make(place / "library", folder)
        return windrow.command(place / "library", "harvest", "--json")

    return measure.Contestant(
        HARVEST, prepare, lambda place: _lacking(place / "library", files), windrow.absent()
    )


def _lacking(library: Path, files: int) -> str:
    lacking = files - sum(1 for _ in windrow.identifiers(library))
    return f"LOST {lacking:,}" if lacking else ""


def _row(result: measure.Result, files: int, plain: measure.Result) -> tuple[str, ...]:
    if not result.is_good:
        return (result.name, result.fault, *[""] * (len(HEADERS) - 2))
    times = result.cpu_seconds / plain.cpu_seconds if plain.is_good else None
    is_limited = result.name == HARVEST and times is not None
    return (
        result.name,
        f"{result.wall_seconds:.2f}",
        f"{result.spread:.2f}",
        f"{result.cpu_seconds:.2f}",
        f"{files / result.cpu_seconds:,.0f}",
        f"{times:.2f}" if times else "",
        f"{CPU_ALLOWED}" if is_limited else "",
        report.verdict(times <= CPU_ALLOWED) if is_limited and times is not None else "",
        report.megabytes(result.peak_bytes),
    )


def _again_row(result: measure.Result) -> tuple[str, ...]:
    if not result.is_good:
        return (result.name, result.fault, *[""] * (len(AGAIN_HEADERS) - 2))
    return (
        result.name,
        f"{result.wall_seconds:.2f}",
        f"{result.spread:.2f}",
        f"{result.cpu_seconds:.2f}",
        f"{UNCHANGED_SECONDS}",
        report.verdict(result.wall_seconds <= UNCHANGED_SECONDS),
        report.megabytes(result.peak_bytes),
    )
