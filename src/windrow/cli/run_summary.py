"""The summary of a run: text for people, plain values for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from windrow.cli.terminal import OUTCOME_STYLES, plural, print_line, printable
from windrow.model.run import Counters, Run, Severity

_MARKS = {Severity.NOTE: "·", Severity.PROBLEM: "!", Severity.FATAL: "✗"}
_SHOWN = 8


def run_as_dict(run: Run) -> dict[str, Any]:
    return {
        "run": run.id,
        "source": run.source,
        "kind": run.kind,
        "outcome": run.outcome.value if run.outcome else None,
        "started": run.started.isoformat(),
        "ended": run.ended.isoformat() if run.ended else None,
        "claimed": run.claimed,
        "counters": run.counters.as_dict(),
        "arguments": dict(run.arguments),
        "problems": [
            {
                "code": item.code,
                "weight": item.weight.value,
                "message": item.message,
                "url": item.url,
                "kept": item.kept,
            }
            for item in run.problems
        ],
    }


def show_run(run: Run) -> None:
    counters = run.counters
    word = run.outcome.value if run.outcome else "unfinished"
    seconds = (run.ended - run.started).total_seconds() if run.ended else 0
    print_line(f"{run.source}: ", end="")
    print_line(word, style=OUTCOME_STYLES.get(word, ""), end="")
    print_line(f" (run {run.id}, {format_duration(seconds)})")
    print_line("  " + ", ".join(_amounts(counters)))
    claimed = f" of {run.claimed:,} promised" if run.claimed is not None else ""
    if counters.requests or not counters.seen:  # folders are read without requests
        print_line(
            f"  {counters.seen:,} entries{claimed} on {plural(counters.pages, 'page')}; "
            f"{plural(counters.requests, 'request')}, {plural(counters.retries, 'retry', 'retries')}, "
            f"{format_size(counters.bytes)}"
        )
    for problem in run.problems[:_SHOWN]:
        print_line(f"  {_MARKS[problem.weight]} {printable(problem.message)}")
        if problem.kept:
            print_line(f"    the page as it came: {problem.kept}", style="dim")
    if len(run.problems) > _SHOWN:
        print_line(f"  … and {len(run.problems) - _SHOWN:,} more: windrow run show {run.id}")
    if counters.quarantined:
        print_line(f"  See them: windrow quarantine list {run.source}", style="dim")


def show_total(results: Iterable[Run | Exception]) -> None:
    outcomes: Counter[str] = Counter()
    counters = Counters()
    for result in results:
        if isinstance(result, Run):
            counters.add(result.counters)
        outcome = result.outcome if isinstance(result, Run) else None
        outcomes[outcome.value if outcome else "not harvested"] += 1
    ways = ", ".join(f"{count:,} {word}" for word, count in outcomes.most_common())
    print_line(f"{outcomes.total():,} sources: {ways}; {', '.join(_amounts(counters))}")


def _amounts(counters: Counters) -> Iterator[str]:
    yield f"{counters.added:,} new"
    yield f"{counters.changed:,} changed"
    yield f"{counters.deleted:,} deleted"
    yield from counters.rarer_amounts()
    yield f"{counters.unchanged:,} unchanged"
    if counters.quarantined:
        yield f"{counters.quarantined:,} quarantined"


def format_size(count: int) -> str:
    amount = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:,.0f} {unit}" if unit == "B" else f"{amount:,.1f} {unit}"
        amount /= 1000
    return f"{amount:,.1f} TB"


def format_duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
