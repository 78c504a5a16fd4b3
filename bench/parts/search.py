"""Part `search`: the same questions about the same records to plain Tantivy and to Windrow's index.

Each engine works in a process of its own, the two in turn, and a row counts only where both found the same
number of documents for every question in it.
"""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import measure, report, stock, windrow
from bench.errors import ContestantError
from bench.search import corpus
from bench.search.contender import CORPUS, ENGINES
from bench.search.questions import PER_ROW, Row
from bench.workspace import Workspace

RECORDS = 200_000
BYTES_PER_RECORD = 20_000  # the corpus, two indexes while they are merged, and a library
PLAIN, OURS = ENGINES
TIMES_ALLOWED, MS_ALLOWED = 1.5, 0.2  # a question: of plain Tantivy, and this much more
FEEDING_ALLOWED = 1.3
QUESTION_HEADERS = (
    *("question", "plain p50 ms", "p99", "Windrow p50 ms", "p99"),
    *("p50 ÷ plain", "limit ms", "met", "spread", "hits"),
)
FEEDING_HEADERS = ("what", "plain", "Windrow", "÷ plain", "limit ÷", "met", "spread")
REMARKS = [
    f"{PER_ROW} different questions a row, each asked once after some others to warm up; best round. Limit: "
    f"{TIMES_ALLOWED} × plain + {MS_ALLOWED} ms, of p50. Spread: the slowest round's p50 through the best "
    "one's, plain and Windrow. Hits: of all questions of a row; the same for each question in both engines.",
    "Plain: tantivy-py with one field of everything and four by name, words folded; facts as fast fields, "
    "events in fixed slots, a card stored. It counts without scoring, and `ranked` gives it addresses only. "
    "Windrow: its index through the query tree, no facets; `ranked` gives it hits whose cards nobody "
    "reads, `ten records` the cards. It finds words in other forms, too; the corpus has each in one form.",
]
STORE_REMARK = (
    "From documents in memory to what can be searched and is merged no more. Update: a hundredth of the "
    "records in a new version, until they are found. `from the store` is `windrow index --rebuild`: every "
    "record is unpacked and mapped as well, which plain Tantivy is not given to do; it has no limit."
)
NO_ZEBRA = "Zebra is not measured: `idzebra-2.0` is not set up by this bench."


@dataclass(slots=True)
class Rounds:
    """What one engine did, round by round."""

    builds: list[dict[str, float]] = field(default_factory=list)
    updates: list[dict[str, float]] = field(default_factory=list)
    answers: list[dict[str, dict[str, list[float]]]] = field(default_factory=list)

    def keep(self, action: str, said: Any) -> None:
        """Remember what a contender said of what it did."""
        kept: dict[str, list[Any]] = {"build": self.builds, "ask": self.answers, "update": self.updates}
        kept[action].append(said)

    def percentile(self, row: Row, share: float) -> list[float]:
        """Give a percentile of a row's milliseconds, for each round."""
        every = (sorted(said[row]["seconds"]) for said in self.answers)
        return [times[min(int(len(times) * share), len(times) - 1)] * 1e3 for times in every]

    def hits(self, row: Row) -> list[float]:
        """Give how many documents there were to each question of a row."""
        return self.answers[0][row]["hits"]


def measure_part(space: Workspace) -> list[report.Section]:
    """Give two tables: questions, and feeding."""
    space.need_room(space.records * BYTES_PER_RECORD)
    folder = space.scratch("search")
    measure.say(f"making {space.records:,} records …")
    corpus.write(folder / CORPUS, space.records)
    (folder / f"{CORPUS}.records").write_text(str(space.records))
    engines = {name: Rounds() for name in ENGINES}
    for number in range(1, space.rounds + 1):
        _round(folder, engines, number, space)
    (folder / CORPUS).unlink()
    whole = _from_store(folder, space.records)
    sections = [_questions(engines, space), _feeding(engines, whole, space)]
    shutil.rmtree(folder, ignore_errors=True)
    return sections


def _round(folder: Path, engines: dict[str, Rounds], number: int, space: Workspace) -> None:
    """Let each do each thing before any does the next: a busy minute falls on both."""
    for action in ("build", "ask", "update"):
        for name, rounds in engines.items():
            measure.say(f"  round {number}/{space.rounds}  {name} {action} …")
            said = _contend(folder, name, action, space.records if action == "ask" else number)
            rounds.keep(action, said)


def _contend(folder: Path, name: str, action: str, number: int) -> Any:
    command = [sys.executable, "-m", "bench.search.contender", name, action, str(folder), str(number)]
    usage = measure.run(command, folder)
    if usage.reason:
        raise ContestantError(f"{name} {action}: {usage.reason}")
    return json.loads((folder / "stdout").read_bytes().splitlines()[-1])


def _from_store(folder: Path, records: int) -> measure.Usage:
    """Index a library with the same records, the whole way."""
    measure.say("  the whole way from the store …")
    library = folder / "library"
    stock.make(library)
    stock.fill(library, records)
    usage = measure.run(windrow.command(library, "index", "--rebuild", "--json"), folder)
    shutil.rmtree(library)
    return usage


def _questions(engines: dict[str, Rounds], space: Workspace) -> report.Section:
    rows = [_question_row(row, engines[PLAIN], engines[OURS]) for row in Row]
    is_good = all(engines[PLAIN].hits(row) == engines[OURS].hits(row) for row in Row)
    title = f"Search: {space.records:,} records"
    return report.Section(title, QUESTION_HEADERS, rows, [*REMARKS, NO_ZEBRA], is_good=is_good)


def _question_row(row: Row, plain: Rounds, ours: Rounds) -> tuple[str, ...]:
    halves = [rounds.percentile(row, 0.5) for rounds in (plain, ours)]
    slowest = [min(rounds.percentile(row, 0.99)) for rounds in (plain, ours)]
    theirs, mine = map(min, halves)
    limit = theirs * TIMES_ALLOWED + MS_ALLOWED
    return (
        row.value,
        *(f"{theirs:.3f}", f"{slowest[0]:.3f}", f"{mine:.3f}", f"{slowest[1]:.3f}"),
        *(report.ratio(mine, theirs), f"{limit:.3f}", _verdict(mine <= limit)),
        ", ".join(f"{max(times) / min(times):.2f}" for times in halves),
        _agreement(plain.hits(row), ours.hits(row)),
    )


def _agreement(theirs: list[float], mine: list[float]) -> str:
    differing = sum(one != other for one, other in zip(theirs, mine, strict=True))
    if differing:
        return f"DIFFER in {differing}: {sum(theirs):,.0f} and {sum(mine):,.0f}"
    return f"{sum(mine):,.0f}"


def _feeding(engines: dict[str, Rounds], whole: measure.Usage, space: Workspace) -> report.Section:
    plain, ours = engines[PLAIN], engines[OURS]
    rows = [
        _feeding_row("index, wall s", plain.builds, ours.builds, "wall", FEEDING_ALLOWED),
        _feeding_row("index, CPU s", plain.builds, ours.builds, "cpu", FEEDING_ALLOWED),
        _feeding_row("index, MB", plain.builds, ours.builds, "bytes"),
        _feeding_row("update of 1 %, wall s", plain.updates, ours.updates, "wall"),
        _feeding_row("update of 1 %, CPU s", plain.updates, ours.updates, "cpu"),
        _whole_row(whole),
    ]
    title = f"Indexing: {space.records:,} records"
    return report.Section(title, FEEDING_HEADERS, rows, [STORE_REMARK], is_good=not whole.reason)


def _feeding_row(
    name: str,
    theirs: list[dict[str, float]],
    mine: list[dict[str, float]],
    key: str,
    allowed: float | None = None,
) -> tuple[str, ...]:
    columns = [[said[key] for said in rounds] for rounds in (theirs, mine)]
    best = [min(column) for column in columns]
    is_size = key == "bytes"
    return (
        name,
        *(report.megabytes(number) if is_size else f"{number:.2f}" for number in best),
        report.ratio(best[1], best[0]),
        f"{allowed}" if allowed else "",
        _verdict(best[1] <= best[0] * allowed) if allowed else "",
        "" if is_size else ", ".join(f"{max(column) / min(column):.2f}" for column in columns),
    )


def _whole_row(whole: measure.Usage) -> tuple[str, ...]:
    said = whole.reason or f"{whole.wall_seconds:.2f} ({whole.cpu_seconds:.2f} CPU)"
    return ("from the store, wall s", "", said, "", "", "", "")


def _verdict(is_met: bool) -> str:
    return "yes" if is_met else "NO"
