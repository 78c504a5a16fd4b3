"""Part `z3950`: Zebra and Windrow over Z39.50, with the same courses, the same client and the same queries.

Each round asks every row of one server and then of the other. A row counts only where both found the same
number of courses for every query in it.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path

from tests.servers import zebra
from tests.servers.courses import (
    PACES,
    PLACES,
    Course,
    course_library,
    courses,
    words,
)
from tests.servers.z3950_client import Client, connected
from tests.unit.protocols.z3950.messages import init, present, scan, search

from bench import report
from bench.errors import ContestantError
from bench.measure import PROJECT, say
from bench.workspace import Workspace
from windrow.protocols.z3950 import z3950_registry

RECORDS = 200_000  # with about 700,000 events
QUERIES = 200  # a row
WARM_UP = 20
SESSIONS = 100
BYTES_PER_RECORD = 12_000
HEADERS = (
    "query",
    "Zebra p50 ms",
    "p99",
    "Windrow p50 ms",
    "p99",
    "Windrow ÷ Zebra",
    "limit ÷",
    "met",
    "hits",
)


class Row(Enum):
    """What is asked, and how much of Zebra's time it may take."""

    TERM = ("single term", 3.0)
    AND = ("AND of two", 1.0)
    PHRASE = ("phrase", 1.0)
    TRUNCATION = ("truncation", 3.0)
    FIELD = ("field", 1.0)
    RANKED = ("ranked, first record", 1.0)
    RECORDS = ("search + 10 records", 1.0)
    SCAN = ("scan 20", 1.0)
    EVENT = ("same event, as the service had it", 0.25)
    EVENT_ARRANGED = ("same event, arranged for Zebra", 1.0)


REMARKS = [
    f"{QUERIES} different queries a row, each after {WARM_UP} others to warm up; best round. The client is"
    " the same, blocking and in Python; what it needs is in all figures. Only counts are asked for, except"
    " where a row says otherwise; records are XML as it was stored.",
    "No round repeats the queries of another, and no query for events is asked twice: Windrow keeps the"
    " last counts of one state of the index. Words are drawn from few, so single terms do come again.",
    "Zebra: zebrasrv with grs.xml, words and phrases indexed, events null-mapped; an event is found by a"
    " regular expression over all of it. Windrow: `windrow z3950` under the profile studera, asked with the"
    " same expression, which becomes conditions on one event.",
    "As the service had it, an event begins with its identifier, and the expression with `[^;]*;` in its"
    " place; with `.*;`, as the clients of the service wrote it, Zebra takes about five times as long still."
    " Arranged for Zebra, the identifier comes last and the expression begins with the period.",
]
_ANY_KIND = ("[^;]*", "(sommar|bunden|flexibel)")  # the second is how the service's clients wrote it
STORED = {"Zebra": None, "Windrow": "wir"}  # the element set that records leave in as they were stored


def measure_part(space: Workspace) -> list[report.Section]:
    """Return a table of queries, and a line about many sessions."""
    if shutil.which("zebraidx") is None:
        raise ContestantError("zebraidx is not installed (package idzebra-2.0)")
    space.need_room(space.records * BYTES_PER_RECORD)
    folder = space.scratch("z3950")
    say(f"{space.records:,} courses in Zebra and in Windrow …")
    made = list(courses(space.records))
    events = sum(len(course.events) for course in made)
    built = {"Zebra": _timed(lambda: zebra.build(folder / "zebra", made))}
    library = folder / "library"
    built["Windrow"] = _timed(lambda: course_library(library, made, profile="studera", sessions=SESSIONS * 2))
    asked = {row: list(_queries(row, made, space.rounds)) for row in Row}
    times: dict[str, list[dict[Row, list[float]]]] = {"Zebra": [], "Windrow": []}
    hits: dict[str, dict[Row, list[int]]] = {name: {row: [] for row in Row} for name in times}
    with zebra.served(folder / "zebra") as theirs, _windrow(library) as ours:
        for number in range(space.rounds):
            some = slice(number * (QUERIES + WARM_UP), (number + 1) * (QUERIES + WARM_UP))
            for name, port in (("Zebra", theirs), ("Windrow", ours)):
                say(f"  round {number + 1}/{space.rounds}  {name} …")
                with connected(port) as client:
                    results = {row: _ask(client, row, asked[row][some], name) for row in Row}
                times[name].append({row: seconds for row, (seconds, _) in results.items()})
                for row, (_, found) in results.items():
                    hits[name][row] += found
        crowd = _crowd(ours, asked[Row.AND])
    rows = [_row(row, times, hits) for row in Row]
    # Scans differ where the two put letters in another order, and are compared by the tests.
    is_good = all(hits["Zebra"][row] == hits["Windrow"][row] for row in Row if row is not Row.SCAN)
    title = f"Z39.50: {space.records:,} courses with {events:,} events"
    remarks = [
        *REMARKS,
        f"Indexing, wall s: Zebra {built['Zebra']:.0f}, Windrow {built['Windrow']:.0f}, storing included.",
        crowd,
    ]
    shutil.rmtree(folder, ignore_errors=True)
    return [report.Section(title, HEADERS, rows, remarks, is_good=is_good)]


@contextmanager
def _windrow(library: Path) -> Iterator[int]:
    """Start `windrow z3950` and give its port."""
    process = subprocess.Popen(
        [sys.executable, "-m", "windrow", "--library", str(library), "z3950", "--port", "0", "--json"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=PROJECT,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise ContestantError("windrow z3950 does not start")
        yield int(json.loads(line)["port"])
    finally:
        process.terminate()
        process.wait()


def _queries(row: Row, made: list[Course], rounds: int) -> Iterator[str]:
    chance = random.Random(row.value[0])
    known = words(random.Random(2001))
    fields = (4, 21, 62, 1016)

    def word() -> str:
        return chance.choice(known)

    asked: set[str] = set()
    for _ in range((QUERIES + WARM_UP) * rounds):
        match row:
            case Row.TERM:
                yield f"@attr 1=1016 {word()}"
            case Row.AND:
                yield f"@and @attr 1=1016 {word()} @attr 1=1016 {word()}"
            case Row.PHRASE:
                text = chance.choice(made).abstract.split()
                place = chance.randrange(len(text) - 1)
                yield f'@attr 1=62 @attr 4=1 "{text[place]} {text[place + 1]}"'
            case Row.TRUNCATION:
                yield f"@attr 1={chance.choice((4, 62))} @attr 5=1 {word()[: chance.randint(3, 6)]}"
            case Row.FIELD:
                yield f"@and @attr 1={chance.choice(fields)} {word()} @attr 1=4 {word()}"
            case Row.RANKED:
                yield f"@attr 1=1016 @attr 2=102 @attr 4=105 {{{word()} {word()}}}"
            case Row.RECORDS:
                yield f"@and @attr 1=62 {word()} @attr 1=4 {word()}"
            case Row.SCAN:
                yield word()[: chance.randint(1, 4)]
            case Row.EVENT | Row.EVENT_ARRANGED:
                slots = _event(chance)
                while slots in asked:
                    slots = _event(chance)
                asked.add(slots)
                whole = f"[^;]*;{slots}" if row is Row.EVENT else slots
                yield f'@attr gils 1=2017 @attr 4=3 @attr 5=102 "{whole}"'


def _event(chance: random.Random) -> str:
    """Return an expression for events, such as: in spring 2002, at full pace, in Härnösand."""
    period = f"{chance.randint(1998, 2004)}p{chance.randint(1, 4)}"
    kind, pace, place = (chance.choice(known) for known in (_ANY_KIND, PACES, PLACES))
    return f"{period};{kind};{pace};{place};.*"


def _ask(client: Client, row: Row, queries: list[str], server: str) -> tuple[list[float], list[int]]:
    """Return the seconds of each query after the first few, and how many courses each found."""
    if row is Row.EVENT_ARRANGED and server == "Zebra":
        queries = [query.replace("1=2017", "1=2064") for query in queries]
    seconds, hits = [], []
    for place, query in enumerate(queries):
        began = time.perf_counter()
        if row is Row.SCAN:
            found = client.ask(scan(query, number=20)).number_of_entries_returned
        else:
            found = client.ask(search(query)).result_count
            number = {Row.RECORDS: 10, Row.RANKED: 1}.get(row, 0)
            if number and found:
                client.ask(
                    present(1, min(number, found), syntax=z3950_registry.XML, element_set=STORED[server])
                )
        if place >= WARM_UP:
            seconds.append(time.perf_counter() - began)
            hits.append(found)
    return seconds, hits


def _row(
    row: Row, times: dict[str, list[dict[Row, list[float]]]], hits: dict[str, dict[Row, list[int]]]
) -> tuple[str, ...]:
    name, limit = row.value
    halves, slowest = (
        [
            min(_percentile(each[row], share) for each in times[server]) * 1e3
            for server in ("Zebra", "Windrow")
        ]
        for share in (0.5, 0.99)
    )
    ratio = halves[1] / halves[0]
    theirs, ours = hits["Zebra"][row], hits["Windrow"][row]
    differing = sum(one != other for one, other in zip(theirs, ours, strict=True))
    return (
        name,
        *(f"{halves[0]:.2f}", f"{slowest[0]:.2f}", f"{halves[1]:.2f}", f"{slowest[1]:.2f}"),
        *(f"{ratio:.2f}", f"{limit:g}", "yes" if ratio <= limit else "NO"),
        f"{sum(ours):,}" if not differing else f"differ in {differing}: {sum(theirs):,} and {sum(ours):,}",
    )


def _percentile(seconds: list[float], share: float) -> float:
    ordered = sorted(seconds)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def _crowd(port: int, queries: list[str]) -> str:
    """Ask from many sessions at the same time; return what that came to."""
    clients = [Client(port) for _ in range(SESSIONS)]
    try:
        for client in clients:
            client.__enter__().ask(init())
        began = time.perf_counter()
        for query in queries[:20]:
            for client in clients:
                client.send(search(query))
            for client in clients:
                if not client.receive().search_status:
                    raise ContestantError("a search failed among many sessions")
        seconds = time.perf_counter() - began
    finally:
        for client in clients:
            client.__exit__(None, None, None)
    rate = 20 * SESSIONS / seconds
    return (
        f"{SESSIONS} sessions of Windrow at the same time: {20 * SESSIONS:,} searches, {rate:,.0f} a second."
    )


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
