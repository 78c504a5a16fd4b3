"""Part `searches`: OAI-PMH, health and static files while clients ask the costliest questions there are.

One client each asks for Identify, GetRecord, ListIdentifiers, `/health` and a static file, first on a server
that has nothing else to do and then while twenty others each send one costly request after another: patterns
over the whole dictionary, long alternatives, loose phrases, statistics, exports. The records are those of
`scale`.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

from bench import measure, report, servers, visits, windrow
from bench.errors import ContestantError
from bench.search import corpus, vocabulary
from bench.workspace import Workspace

RECORDS = 200_000
SECONDS = 15.0
CALM_SECONDS = 3.0
ATTACKERS = 20
ANSWER_SECONDS = 60.0
REFUSED_SECONDS = 0.05  # what a client that attacks waits after a refusal: hardly anything
LIMIT_MS = 500.0  # within which the slowest of a hundred protective answers has to come
ASSET = re.compile(r'href="(/static/[^"]+\.css)"')
WATCHED_HEADERS = ("asked for", "server", "answers", "other", "p50 ms", "p95 ms", "p99 ms", "longest ms")
ATTACK_HEADERS = ("costly request", "sent", "200", "400", "429", "503", "other", "p50 ms", "longest ms")


@dataclass(slots=True)
class Watched:
    """Answers to one kind of request."""

    statuses: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)

    def add(self, status: int, seconds: float) -> None:
        """Count one answer; status 0 is none."""
        self.statuses[status] += 1
        self.seconds.append(seconds)

    def milliseconds(self, share: float) -> str:
        """Return the time within which this share of the answers came."""
        ordered = sorted(self.seconds)
        return f"{ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1e3:.0f}" if ordered else ""


Make = Callable[[int], str]  # the address of the so-manieth request: no two are the same


def measure_part(space: Workspace) -> list[report.Section]:
    """Return two tables: how long the watching clients waited, and how the costly requests ended."""
    library, folder = space.stocked(), space.scratch("searches")
    usage = measure.run(windrow.command(library, "index", "--json"), folder)
    if usage.reason:
        raise ContestantError(f"windrow index: {usage.reason}")
    return measure_library(library, folder, space.records)


def measure_library(library: Path, folder: Path, records: int) -> list[report.Section]:
    """Measure over a library that is indexed already."""
    line = windrow.command(library, "serve", "--port", "0", "--json", "--no-watch", *windrow.NO_LOG)
    with servers.running(line, folder / "serve") as server:
        wanted = _watched_paths(server, records)
        for make in wanted.values():
            visits.fetch(server, make(0))  # what is counted once, and kept, is no part of it
        measure.say("  calm …")
        calm = asyncio.run(_run(server.url, wanted, {}, CALM_SECONDS))[0]
        measure.say(f"  {ATTACKERS} clients with costly requests for {SECONDS:.0f} s …")
        before = server.used()
        busy, attacks = asyncio.run(_run(server.url, wanted, costly_requests(), SECONDS))
        after = server.used()
    rows = [_watched_row(name, state, found[name]) for name in wanted for state, found in _states(calm, busy)]
    slowest = max(float(busy[name].milliseconds(0.99) or "inf") for name in wanted)
    is_good = slowest <= LIMIT_MS and all(set(each.statuses) == {200} for each in busy.values())
    used = f"{after.cpu_seconds - before.cpu_seconds:.1f} s of CPU, {report.megabytes(after.peak_bytes)} MB"
    title = f"Searches: {records:,} records, {ATTACKERS} clients with costly requests for {SECONDS:.0f} s"
    remark = (
        f"`calm`: no other client. 99 of 100 answers have to come within {LIMIT_MS:.0f} ms. Server: {used}."
    )
    return [
        report.Section(title, WATCHED_HEADERS, rows, [remark], is_good=is_good),
        report.Section(
            "Searches: the costly requests",
            ATTACK_HEADERS,
            [_attack_row(name, each) for name, each in attacks.items()],
        ),
    ]


def costly_requests() -> dict[str, Make]:
    """Return the costliest known requests, each with a part that differs every time: none is cached."""
    words = vocabulary.southern().words[:400]
    pairs = [first + second for first in "aeioukstlrn" for second in "aeioukstlrn"]

    def some(number: int, size: int, shape: str) -> str:
        chosen = (pairs[(number * size + place) % len(pairs)] for place in range(size))
        return " OR ".join(shape.format(each) for each in chosen)

    def search(make: Callable[[int], str], path: str = "/search", **more: str) -> Make:
        return lambda number: f"{path}?{urlencode({'q': make(number), **more})}"

    return {
        "20 × *ak*": search(lambda number: some(number, 20, "*{}*")),
        "20 × *ak* in the API": search(lambda number: some(number, 20, "*{}*"), "/api/v1/search"),
        "one *ak*": search(lambda number: f"*{pairs[number % len(pairs)]}*{number}* OR *{number}a*"),
        "?*?*?*": search(lambda number: f"?*?*?{pairs[number % len(pairs)]}*"),
        "title ranges": search(lambda number: some(number, 20, "title:[{} TO z]")),
        "identifiers": search(lambda number: some(number, 20, "identifier:*{}*")),
        "fuzzy words side by side": search(lambda number: some(number, 10, "hay{0}-straw{0}~2")),
        "250 words": search(lambda number: " OR ".join([*words[:250], f"x{number}"])[:2000]),
        "loose phrases": search(lambda number: f'"{words[0]} {words[0]}"~100 OR "{words[1]} {number}"~100'),
        "sorted by title": search(lambda number: f"-x{number} *a*", sort="title"),
        "statistics": search(lambda number: some(number, 10, "*{}*"), "/statistics/"),
        "statistics of everything": lambda number: f"/statistics/keywords?q=-x{number}",
        "chart as PNG": lambda number: f"/statistics/institutions.png?q=-x{number}",
        "browse": search(lambda number: some(number, 10, "*{}*"), "/browse/creators"),
        "suggestions": lambda number: f"/suggest?q={pairs[number % len(pairs)]}",
        "feed": search(lambda number: some(number, 20, "*{}*"), "/search.atom"),
        "export as CSV": lambda number: f"/search.csv?q=-x{number}",
        "export as BibTeX": lambda number: f"/search.bib?q=-x{number}",
        "deep pages": lambda number: f"/search?q=-x{number}&page=500",
        "5,000 quotation marks": lambda number: f"/search?q={quote(chr(34) * 5000)}{number}",
    }


def _watched_paths(server: servers.Server, records: int) -> dict[str, Make]:
    asset = ASSET.search(visits.fetch(server, "/"))
    if asset is None:
        raise ContestantError("the first page names no style sheet")

    def record(number: int) -> str:
        identifier = corpus.identifier(1 + number * 7_919 % records)
        return f"/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier={quote(identifier, safe='')}"

    return {
        "Identify": lambda _number: "/oai?verb=Identify",
        "GetRecord": record,
        "ListIdentifiers": lambda _number: "/oai?verb=ListIdentifiers&metadataPrefix=oai_dc",
        "/health": lambda _number: "/health",
        "static file": lambda _number: asset[1],
    }


async def _run(
    url: str, watched: dict[str, Make], attacks: dict[str, Make], seconds: float
) -> tuple[dict[str, Watched], dict[str, Watched]]:
    deadline = time.monotonic() + seconds
    seen = {name: Watched() for name in watched}
    suffered = {name: Watched() for name in attacks}
    names = list(attacks)
    clients = [_watch(url, make, seen[name], deadline) for name, make in watched.items()]
    clients += [
        _attack(url, place, names, attacks, suffered, deadline) for place in range(ATTACKERS if names else 0)
    ]
    await asyncio.gather(*clients)
    return seen, suffered


async def _watch(url: str, make: Make, seen: Watched, deadline: float) -> None:
    for number in count():
        if time.monotonic() >= deadline:
            return
        seen.add(*await _ask(url, make(number), "127.0.0.1", ANSWER_SECONDS))
        await asyncio.sleep(0.02)


async def _attack(
    url: str,
    place: int,
    names: Sequence[str],
    attacks: dict[str, Make],
    suffered: dict[str, Watched],
    deadline: float,
) -> None:
    """One client with an address of its own: every kind of request in turn, each client from another on."""
    for number in count(place):
        left = deadline - time.monotonic()
        if left <= 0:
            return
        name = names[number % len(names)]
        status, seconds = await _ask(url, attacks[name](number), f"127.0.2.{place + 1}", left)
        suffered[name].add(status, seconds)
        await asyncio.sleep(0 if status == 200 else REFUSED_SECONDS)


async def _ask(url: str, path: str, address: str, limit: float) -> tuple[int, float]:
    """Ask once and read all of the answer; give its status, 0 for none in time, and the seconds it took."""
    parts = urlsplit(url)
    started, writer = time.monotonic(), None
    try:
        async with asyncio.timeout(limit):
            reader, writer = await asyncio.open_connection(
                parts.hostname, parts.port, local_addr=(address, 0), limit=1 << 20
            )
            writer.write(f"GET {path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n".encode())
            line = await reader.readline()
            while await reader.read(1 << 16):
                pass
        return int(line.split()[1]), time.monotonic() - started
    except (OSError, TimeoutError, IndexError, ValueError):
        return 0, time.monotonic() - started
    finally:
        if writer is not None:
            writer.transport.abort()


def _states(calm: dict[str, Watched], busy: dict[str, Watched]) -> tuple[tuple[str, dict[str, Watched]], ...]:
    return ("calm", calm), ("busy", busy)


def _watched_row(name: str, state: str, found: Watched) -> tuple[str, ...]:
    other = sum(number for status, number in found.statuses.items() if status != 200)
    times = (found.milliseconds(share) for share in (0.5, 0.95, 0.99, 1.0))
    return (name, state, f"{found.statuses[200]:,}", f"{other:,}", *times)


def _attack_row(name: str, found: Watched) -> tuple[str, ...]:
    known = (200, 400, 429, 503)
    other = ", ".join(
        f"{number} × {status or 'none'}" for status, number in found.statuses.items() if status not in known
    )
    return (
        name,
        f"{len(found.seconds):,}",
        *(f"{found.statuses[status]:,}" for status in known),
        other,
        *(found.milliseconds(share) for share in (0.5, 1.0)),
    )
