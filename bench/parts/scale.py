"""Part `scale`: a million records in one library, and what each page of the portal costs the server.

The records are put into the store and not harvested (`stock`); indexing, serving and everything asked is as
users have it. Each round begins with a thousand changed records, so that nothing kept from the last is good.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlencode

from bench import measure, process_tree, report, servers, stock, visits, windrow
from bench.errors import ContestantError
from bench.search import corpus, vocabulary
from bench.visits import Cost, Kind
from bench.workspace import Workspace

RECORDS = 1_000_000
BYTES_PER_RECORD = 9_000
CHANGED = 1_000
CHANGED_LIMIT_SECONDS = 5.0
MEMORY_LIMIT_BYTES = 600e6
RESULTS_LIMIT_MS, LANDING_LIMIT_MS, STATISTICS_LIMIT_MS, ANALYSER_LIMIT_MS = 100.0, 20.0, 300.0, 200.0
REPEATS = 20
STATISTICS = "/statistics/"
ANALYSER = "/statistics/keywords"
COMPARISON = "/statistics/compare"
WAKING = "year=1998..2003"  # of the first questions, and of no other
LINKED = re.compile(r'href="(/statistics/[a-z/-]*)["?]')
HEADERS = ("page", "CPU ms", "spread", "wall ms", "KB", "asked", "limit ms", "met")
REMARK = (
    "CPU of the server's processes a visit, best round. Words, institutions and records are other ones at "
    "every visit. `everything` is asked once a round, over an index that has just changed, and each page of "
    "statistics of a new server: what a page costs when nothing of it is kept. What the first chart of a "
    "process loads is asked for before."
)


@dataclass(slots=True)
class Measured:
    """What each kind of page cost, round by round, and what the rest took."""

    kinds: dict[str, Kind] = field(default_factory=dict)
    costs: dict[str, list[Cost]] = field(default_factory=dict)
    indexing: measure.Usage | None = None
    changing: list[measure.Usage] = field(default_factory=list)
    resident_bytes: int = 0
    peak_bytes: int = 0

    def visit(self, server: servers.Server, kind: Kind) -> None:
        """Ask for a kind of page and keep what it cost."""
        self.kinds[kind.name] = kind
        self.costs.setdefault(kind.name, []).append(visits.visit(server, kind))

    def weigh(self, used: process_tree.Used) -> None:
        """Keep how large a server was, if no other was larger."""
        self.resident_bytes = max(self.resident_bytes, used.resident_bytes)
        self.peak_bytes = max(self.peak_bytes, used.peak_bytes)


def measure_part(space: Workspace) -> list[report.Section]:
    """Give two tables: pages, and the server with its index."""
    space.need_room(space.records * BYTES_PER_RECORD)
    folder = space.scratch("scale")
    library, measured = space.stocked(), Measured()
    measure.say("  indexing all …")
    measured.indexing = _index(library, folder)
    for number in range(1, space.rounds + 1):
        measure.say(f"  round {number}/{space.rounds}")
        _round(library, folder, measured, number, space.records)
    return [_pages(measured, space), _rest(measured, library, space)]


def _round(library: Path, folder: Path, measured: Measured, number: int, records: int) -> None:
    first = 1 + (number * CHANGED) % max(1, records - CHANGED)
    stock.fill(library, min(CHANGED, records), first=first, version=number)
    measured.changing.append(_index(library, folder))
    with _serving(library, folder) as server:
        for kind in (*_results(number), *_others(records, number)):
            measured.visit(server, kind)
        statistics = _statistics(server)
        for kinds in statistics:
            visits.fetch(server, kinds[0].paths[0])  # what is kept of all of them counts as memory
        measured.weigh(server.used())
    for kinds in statistics:
        with _serving(library, folder) as server:  # pages share charts: each is asked of a new one
            for kind in kinds:
                measured.visit(server, kind)


def _index(library: Path, folder: Path) -> measure.Usage:
    usage = measure.run(windrow.command(library, "index", "--json"), folder)
    if usage.reason:
        raise ContestantError(f"windrow index: {usage.reason}")
    return usage


@contextmanager
def _serving(library: Path, folder: Path) -> Iterator[servers.Server]:
    line = windrow.command(library, "serve", "--port", "0", "--json", "--no-watch", *windrow.NO_LOG)
    with servers.running(line, folder / "serve") as server:
        # It opens the index, reads its templates and draws a chart, of a search that nothing else asks for.
        for path in ("/search", STATISTICS, ANALYSER):
            visits.fetch(server, f"{path}?{WAKING}")
        yield server


def _results(number: int) -> Iterator[Kind]:
    words = vocabulary.southern().words
    common, rare = (words[start + number * REPEATS :][:REPEATS] for start in (0, 9_000))
    later = [{"page": f"{page}"} for page in range(2, 2 + REPEATS)]
    both = [{"q": word, "year": "2010..2014"} for word in common]
    asked: dict[str, list[dict[str, str]]] = {
        "everything, first": [{}],
        "everything, later pages": later,
        "a common word": [{"q": word} for word in common],
        "a rare word": [{"q": word} for word in rare],
        "an institution": _institutions(),
        "a common word in five years": both,
        "newest of a common word": [{"q": word, "sort": "newest"} for word in common],
    }
    for name, queries in asked.items():
        yield Kind(f"results: {name}", _addresses("/search", queries), RESULTS_LIMIT_MS)


def _statistics(server: servers.Server) -> list[list[Kind]]:
    """Give for every page that the statistics link to what is asked of it, everything first."""
    found = {STATISTICS, *LINKED.findall(visits.fetch(server, f"{STATISTICS}?{WAKING}"))}
    return [list(_statistics_of(path)) for path in sorted(found)]


def _statistics_of(path: str) -> Iterator[Kind]:
    limit = ANALYSER_LIMIT_MS if path == ANALYSER else STATISTICS_LIMIT_MS
    yield Kind(f"{path} of everything", (path,), limit)
    yield Kind(f"{path} of an institution", _addresses(path, _institutions()), limit)
    if path == ANALYSER:
        years = range(corpus.LAST_YEAR - REPEATS + 1, corpus.LAST_YEAR + 1)
        yield Kind(f"{path} of a year", _addresses(path, [{"year": f"{year}"} for year in years]), limit)
    if path == COMPARISON:
        pairs = tuple(map(_compared, range(REPEATS)))
        yield Kind(f"{path} of two institutions", pairs, limit)


def _others(records: int, number: int) -> Iterator[Kind]:
    chosen = [1 + (number * 7_919 + place * 104_729) % records for place in range(REPEATS)]
    paths = [f"/record/{stock.source_of(one)}/{quote(corpus.identifier(one))}" for one in chosen]
    yield Kind("record", tuple(paths))
    words = vocabulary.southern().words[500 + number * REPEATS :][:REPEATS]
    yield Kind("API search", _addresses("/api/v1/search", [{"q": word} for word in words]))
    yield Kind("suggestions", _addresses("/suggest", [{"q": word[:3]} for word in words]))
    letters = [{"letter": letter} for letter in vocabulary.CONSONANTS.upper()]
    for path in ("/browse/creators", "/browse/subjects", "/browse/keywords"):
        yield Kind(f"{path} by letter, first", _addresses(path, letters[:1]))
        yield Kind(f"{path} by letter", _addresses(path, letters[1:]))
    yield Kind("/browse/institutions", ("/browse/institutions",))
    yield Kind("/status", ("/status",) * 3)
    yield Kind("landing page, first", ("/",))
    yield Kind("landing page, again", ("/",) * REPEATS, LANDING_LIMIT_MS)


def _compared(place: int) -> str:
    names = (corpus.institution_name((place + by) % corpus.INSTITUTIONS) for by in (0, 3))
    return f"{COMPARISON}?{urlencode([('institution', name) for name in names])}"


def _institutions() -> list[dict[str, str]]:
    return [{"institution": corpus.institution_name(place)} for place in range(REPEATS)]


def _addresses(path: str, queries: list[dict[str, str]]) -> tuple[str, ...]:
    return tuple(f"{path}?{urlencode(query)}" if query else path for query in queries)


def _pages(measured: Measured, space: Workspace) -> report.Section:
    rows = [_row(kind, measured.costs[name]) for name, kind in measured.kinds.items()]
    return report.Section(f"Scale: {space.records:,} records, pages", HEADERS, rows, [REMARK])


def _row(kind: Kind, costs: list[Cost]) -> tuple[str, ...]:
    cost = visits.best(costs)
    spread = max(each.cpu_ms for each in costs) / cost.cpu_ms if cost.cpu_ms else 0.0
    return (
        kind.name,
        *(f"{cost.cpu_ms:.1f}", f"{spread:.2f}" if spread else ""),
        *(f"{cost.wall_ms:.1f}", f"{cost.body_bytes / 1e3:.0f}", f"{len(kind.paths)}"),
        f"{kind.limit_ms:.0f}" if kind.limit_ms else "",
        report.verdict(cost.cpu_ms <= kind.limit_ms) if kind.limit_ms else "",
    )


def _rest(measured: Measured, library: Path, space: Workspace) -> report.Section:
    changing = min(usage.wall_seconds for usage in measured.changing)
    index = sum(path.stat().st_size for path in (library / "index").rglob("*") if path.is_file())
    assert measured.indexing is not None
    rows: list[tuple[str, ...]] = [
        ("RSS of the server, MB", report.megabytes(measured.resident_bytes), *_limit(measured)),
        ("peak of the server, MB", report.megabytes(measured.peak_bytes), "", ""),
        (
            f"index {CHANGED:,} changed records, s",
            f"{changing:.2f}",
            f"{CHANGED_LIMIT_SECONDS:.0f}",
            report.verdict(changing <= CHANGED_LIMIT_SECONDS),
        ),
        ("index all of them, wall s", f"{measured.indexing.wall_seconds:.0f}", "", ""),
        ("index all of them, CPU s", f"{measured.indexing.cpu_seconds:.0f}", "", ""),
        ("index all of them, peak MB", report.megabytes(measured.indexing.peak_bytes), "", ""),
        ("index, MB", report.megabytes(index), "", ""),
        ("database, MB", report.megabytes(windrow.database_bytes(library)), "", ""),
    ]
    title = f"Scale: {space.records:,} records, server and index"
    return report.Section(title, ("what", "number", "limit", "met"), rows)


def _limit(measured: Measured) -> tuple[str, str]:
    is_met = measured.resident_bytes <= MEMORY_LIMIT_BYTES
    return report.megabytes(MEMORY_LIMIT_BYTES), report.verdict(is_met)
