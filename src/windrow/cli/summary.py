"""A run in words: what a person reads at its end, and what a program gets."""

from __future__ import annotations

from typing import Any

from windrow.cli.state import out
from windrow.model.run import Outcome, Run, Weight

STYLES = {
    Outcome.OK: "bold green",
    Outcome.PARTIAL: "bold yellow",
    Outcome.FAILED: "bold red",
    Outcome.SKIPPED: "bold yellow",
    Outcome.INTERRUPTED: "bold yellow",
}
_MARKS = {Weight.NOTE: "·", Weight.PROBLEM: "!", Weight.FATAL: "✗"}
_SHOWN = 8


def run_as_dict(run: Run) -> dict[str, Any]:
    """Give a run as plain values."""
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
    """Print the end of a run as a person wants it: the outcome, the numbers, what to know."""
    console, counters = out(), run.counters
    outcome = run.outcome or None
    console.print(f"{run.source}: ", end="")
    console.print(
        outcome.value if outcome else "unfinished", style=STYLES.get(outcome, "") if outcome else "", end=""
    )
    seconds = (run.ended - run.started).total_seconds() if run.ended else 0
    console.print(f" (run {run.id}, {duration(seconds)})")
    console.print(
        f"  {counters.added:,} new, {counters.changed:,} changed, {counters.deleted:,} deleted, "
        f"{counters.unchanged:,} unchanged"
        + (f", {counters.quarantined:,} quarantined" if counters.quarantined else "")
    )
    claimed = f" of {run.claimed:,} promised" if run.claimed is not None else ""
    console.print(
        f"  {counters.seen:,} entries{claimed} on {counters.pages:,} pages; {counters.requests:,} requests, "
        f"{counters.retries:,} retries, {size(counters.bytes)}"
    )
    for problem in run.problems[:_SHOWN]:
        console.print(f"  {_MARKS[problem.weight]} {problem.message}")
        if problem.kept:
            console.print(f"    the page as it came: {problem.kept}", style="dim")
    if len(run.problems) > _SHOWN:
        console.print(f"  … and {len(run.problems) - _SHOWN:,} more: windrow run show {run.id}")
    if counters.quarantined:
        console.print(f"  See them: windrow quarantine list {run.source}", style="dim")


def size(count: int) -> str:
    """Give bytes as people say them."""
    amount = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:,.0f} {unit}" if unit == "B" else f"{amount:,.1f} {unit}"
        amount /= 1000
    return f"{amount:,.1f} TB"


def duration(seconds: float) -> str:
    """Give a time span as people say it."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
