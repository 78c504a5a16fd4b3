"""Part `gateway`: what crawlers cost a library of a million records, page by page, and all its sitemaps.

The library is stocked and not harvested, and has no index: no page here needs one. Pages are asked of one
`windrow serve` by one crawler, records drawn at random and each once; nginx with the same pages from files is
the floor below which nobody gets.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

from bench import measure, nginx, process_tree, report, servers, sitemap_rounds, stock, windrow
from bench.crawler import PACKED, Crawler, Visited, crawling, visit
from bench.errors import ContestantError
from bench.search import corpus
from bench.workspace import Workspace
from windrow.index.generations import Generations
from windrow.search.record_addresses import getrecord_path, record_path
from windrow.store.published.list_pages import PAGE_RECORDS

RECORDS = 1_000_000
BYTES_PER_RECORD = 4_000
PAGES = 20_000  # of records, in all rounds together
WAKING = 1_000  # of records, before the first round
LISTS, OTHERS = 300, 500  # a round
FILES = 200  # that nginx has
PAGE_LIMIT_MS, UNCHANGED_LIMIT_MS = 2.0, 0.3
GROWTH_LIMIT = 0.1  # of the server's memory
RECORD, RECORD_PACKED, RECORD_AGAIN = "record", "record, gzip", "record, 304"
LIST, LIST_AGAIN = f"list of {PAGE_RECORDS} titles", f"list of {PAGE_RECORDS} titles, 304"
FLOOR, FLOOR_AGAIN = "nginx, the same records from files", "nginx, 304"
LIMITS_MS = {RECORD: PAGE_LIMIT_MS, RECORD_PACKED: PAGE_LIMIT_MS, RECORD_AGAIN: UNCHANGED_LIMIT_MS}
LOCATIONS = """\
        root {folder};
        types {{ text/html html; }}
"""
HEADERS = (
    *("page", "CPU ms", "spread", "a second of a core"),
    *("p50 ms", "p99 ms", "KB", "asked", "limit ms", "met"),
)
REMARK = (
    "CPU of the server's processes a page, best round; its clock ticks a hundred times a second. p50 and p99"
    " are waiting times of one crawler that asks without a pause, of the best and of the worst round."
    " A page with 304 is asked for with the validator that it came with. Otherwise no page is asked for"
    " twice, where there are records enough."
)
MEMORY_REMARK = (
    "Woken: after some pages of each kind. Growth is from there to the end, what the database's connections"
    " keep of it included: each fills a cache of its own."
)


@dataclass(slots=True)
class Measured:
    """What each kind of page took, round by round, and how large the server was: woken, at the end, ever."""

    visits: dict[str, list[Visited]] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)
    peak_bytes: int = 0

    def keep(self, name: str, visited: Visited) -> Visited:
        """Keep a round of one kind, and give it back."""
        self.visits.setdefault(name, []).append(visited)
        return visited

    def weigh(self, used: process_tree.Used) -> None:
        """Keep how large the server is now."""
        self.sizes.append(used.resident_bytes)
        self.peak_bytes = used.peak_bytes

    @property
    def record_pages(self) -> int:
        """How many whole pages of records were made between the first look and the last."""
        return sum(each.pages for name in (RECORD, RECORD_PACKED) for each in self.visits[name])


def measure_part(space: Workspace) -> list[report.Section]:
    """Give three tables: pages, the server's memory, sitemaps."""
    space.need_room(space.records * BYTES_PER_RECORD)
    library, folder, measured = space.stocked(), space.scratch("gateway"), Measured()

    @contextmanager
    def serving() -> Iterator[servers.Server]:
        line = windrow.command(library, "serve", "--port", "0", "--json", "--no-watch", *windrow.NO_LOG)
        with servers.running(line, folder / "serve") as server:
            yield server

    with _unindexed(library):
        numbers = {"records": space.records, "rounds": space.rounds}
        timed = sitemap_rounds.take_times(library, folder, serving, **numbers)
        with serving() as server:
            _crawl(server, measured, folder, space)
    return [_pages(measured, space), _memory(measured), sitemap_rounds.section(timed, space.records)]


@contextmanager
def _unindexed(library: Path) -> Iterator[None]:
    """Hold the right to write to the index: a server that finds none would make one while it is measured."""
    with Generations(library / "index").writing("bench", is_waiting=False) as is_held:
        if not is_held:
            raise ContestantError("somebody else writes to the index")
        yield


def _crawl(server: servers.Server, measured: Measured, folder: Path, space: Workspace) -> None:
    each = max(2, min(PAGES, space.records) // space.rounds)
    waking = min(WAKING, max(1, space.records // 10))
    drawn = Random(5).sample(range(1, space.records + 1), min(each * space.rounds + waking, space.records))
    with crawling(server.url) as crawler:
        # Wakes the server: templates, statements, what it keeps of pages. Not measured.
        _round(crawler, server, Measured(), drawn[-waking:])
        _list_round(crawler, server, Measured(), space.records, -1)
        site = _saved(crawler, folder / "site", drawn[-FILES:])
        measured.weigh(server.used())
        for number in range(space.rounds):
            measure.say(f"  pages, round {number + 1}/{space.rounds}")
            _round(crawler, server, measured, drawn[number * each :][:each])
            _list_round(crawler, server, measured, space.records, number)
            _floor_round(site, folder / "nginx", measured)
            measured.weigh(server.used())


def _round(crawler: Crawler, server: servers.Server, measured: Measured, numbers: list[int]) -> None:
    paths = [record_path(stock.source_of(one), corpus.identifier(one)) for one in numbers]
    plain, packed = paths[::2], paths[1::2]
    came = measured.keep(RECORD, visit(crawler, plain, server.used, holds=b'rel="canonical"'))
    measured.keep(RECORD_AGAIN, visit(crawler, plain, server.used, tags=came.tags))
    measured.keep(RECORD_PACKED, visit(crawler, packed, server.used, accept=PACKED, holds=b'rel="canonical"'))
    for prefix in (stock.PREFIX, "oai_dc"):
        paths = [getrecord_path(prefix, corpus.identifier(one)) for one in numbers[:OTHERS]]
        name = f"getrecord, {prefix}"
        came = measured.keep(name, visit(crawler, paths, server.used, holds=b'class="styled"'))
        measured.keep(f"{name}, 304", visit(crawler, paths, server.used, tags=came.tags))


def _list_round(
    crawler: Crawler, server: servers.Server, measured: Measured, records: int, number: int
) -> None:
    lists = _lists(records)
    paths = [lists[(number * LISTS + place) % len(lists)] for place in range(min(LISTS, len(lists)))]
    came = measured.keep(LIST, visit(crawler, paths, server.used, holds=b'class="results plain"'))
    measured.keep(LIST_AGAIN, visit(crawler, paths, server.used, tags=came.tags))


def _lists(records: int) -> list[str]:
    """Give the paths of all full lists, in no order."""
    full = records // len(stock.SOURCES) // PAGE_RECORDS
    if not full:
        raise ContestantError(
            f"needs {len(stock.SOURCES) * PAGE_RECORDS:,} records at least, for one full list"
        )
    found = [f"/gateway/{name}/{place}" for name in stock.SOURCES for place in range(1, full + 1)]
    Random(3).shuffle(found)
    return found


def _saved(crawler: Crawler, folder: Path, numbers: list[int]) -> Path:
    """Save the pages of records as files."""
    folder.mkdir()
    for one in numbers:
        answer = crawler.ask(record_path(stock.source_of(one), corpus.identifier(one)))
        (folder / f"{one}.html").write_bytes(answer.body)
    return folder


def _floor_round(site: Path, run: Path, measured: Measured) -> None:
    paths = [f"/{path.name}" for path in sorted(site.iterdir())]
    paths *= max(1, 2_000 // len(paths))  # it is too quick for the clock otherwise, and reads them anyway
    with nginx.started(run, locations=LOCATIONS.format(folder=site)) as (pid, port):
        url, used = f"http://{nginx.HOST}:{port}", partial(process_tree.used, pid)
        with crawling(url) as crawler:
            came = measured.keep(FLOOR, visit(crawler, paths, used))
            measured.keep(FLOOR_AGAIN, visit(crawler, paths, used, tags=came.tags))


def _pages(measured: Measured, space: Workspace) -> report.Section:
    rows = [_row(name, visits) for name, visits in measured.visits.items()]
    return report.Section(f"Gateway: {space.records:,} records, pages", HEADERS, rows, [REMARK])


def _row(name: str, visits: list[Visited]) -> tuple[str, ...]:
    cpu = min(each.cpu_ms for each in visits)
    limit = LIMITS_MS.get(name)
    return (
        name,
        f"{cpu:.3f}",
        f"{max(each.cpu_ms for each in visits) / cpu:.2f}" if cpu else "",
        f"{1e3 / cpu:,.0f}" if cpu else "",
        f"{min(each.percentile_ms(0.5) for each in visits):.2f}",
        f"{max(each.percentile_ms(0.99) for each in visits):.2f}",
        f"{max(each.body_bytes for each in visits) / 1e3:.1f}",
        f"{sum(each.pages for each in visits):,}",
        f"{limit:g}" if limit else "",
        report.verdict(cpu < limit) if limit else "",
    )


def _memory(measured: Measured) -> report.Section:
    first, *later = measured.sizes
    growth = later[-1] / first - 1
    rows: list[tuple[str, ...]] = [
        ("RSS of the server, woken, MB", report.megabytes(first), "", ""),
        *(
            (f"RSS after round {number}, MB", report.megabytes(size), "", "")
            for number, size in enumerate(later, 1)
        ),
        (
            f"growth over {measured.record_pages:,} records and the rest, %",
            *(f"{growth:.1%}"[:-1], f"{GROWTH_LIMIT:.0%}"[:-1], report.verdict(growth <= GROWTH_LIMIT)),
        ),
        ("peak, MB", report.megabytes(measured.peak_bytes), "", ""),
    ]
    title, headers = "Gateway: memory of the server", ("what", "number", "limit", "met")
    return report.Section(title, headers, rows, [MEMORY_REMARK])
