"""What the demo shows: how the harvests went, a look at what came, what to try next."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from windrow.cli.demo_library import FORMATS
from windrow.cli.summary import size
from windrow.cli.terminal import cut, plural, printable, say, shorten, width

if TYPE_CHECKING:
    from windrow.cli.demo_look import Look
    from windrow.model.run import Run

_BARS = 8
_BAR_WIDTH = 30
_LABEL = 42
_BLOCKS = " ▁▂▃▄▅▆▇█"
_HEIGHT = 2


def show_first(run: Run, seconds: float) -> None:
    """Print how the first harvest went."""
    counters = run.counters
    speed = counters.seen / max(seconds, 0.001)
    formats = " and ".join(FORMATS)
    say(
        f"  {plural(counters.seen, 'entry', 'entries')} ({formats}) in {seconds:.1f} s: "
        f"{speed:,.0f} a second over HTTP, {size(counters.bytes)} received"
    )


def show_later(run: Run, counts: Mapping[str, int], seconds: float) -> None:
    """Print what the incremental harvest brought."""
    parts = [f"{counts[kind]:,} {word}" for kind, word in _WORDS.items() if counts.get(kind)]
    asked = f"{plural(run.counters.requests, 'request')}, {plural(run.counters.seen, 'entry', 'entries')}"
    say(f"  {', '.join(parts) or 'nothing new'}; {asked}, {seconds:.1f} s")


_WORDS = {"added": "new", "changed": "corrected", "deleted": "withdrawn", "restored": "back again"}


def show_look(found: Look) -> None:
    """Print what is in the library."""
    say()
    say("What is in it", style="bold")
    share = 100 * found.disk_bytes / found.raw_bytes if found.raw_bytes else 0
    say(f"  {plural(found.records, 'thesis', 'theses')} and {plural(found.tombstones, 'tombstone')}")
    say(f"  {size(found.raw_bytes)} of XML in {size(found.disk_bytes)} on disk ({share:.0f} %)")
    if found.mapped < found.records:
        say(f"  counted below: a sample of {found.mapped:,}")
    _bars("Universities", found.institutions)
    _years(found.years)
    _bars("Languages", found.languages)
    _bars("Keywords", found.keywords)
    if found.samples:
        say()
        say("Three of them" if len(found.samples) == 3 else "For example", style="bold")
        for identifier, title in found.samples:
            say(cut(f"  {printable(title)}"))
            say(f"    {printable(identifier)}", style="dim")


def _bars(title: str, counts: Counter[str]) -> None:
    """A bar for each of the most frequent values."""
    top = counts.most_common(_BARS)
    if not top:
        return
    say()
    say(title, style="bold")
    label = min(_LABEL, max(width(name) for name, _ in top))
    most = top[0][1]
    for name, count in top:
        shown = shorten(printable(name), label)
        say(f"  {shown}{' ' * (label - width(shown))} {count:>7,} ", end="")
        say("█" * max(1, round(_BAR_WIDTH * count / most)), style="bar")


def _years(counts: Counter[int]) -> None:
    """A small column for each year, two lines high."""
    if not counts:
        return
    first, last, most = min(counts), max(counts), max(counts.values())
    say()
    say("Years", style="bold")
    levels = [round(_HEIGHT * 8 * counts.get(year, 0) / most) for year in range(first, last + 1)]
    for row in reversed(range(_HEIGHT)):
        say("  " + "".join(_BLOCKS[max(0, min(8, level - 8 * row))] * 2 for level in levels), style="bar")
    say(f"  {first}{' ' * (2 * len(levels) - 8)}{last}, most in {counts.most_common(1)[0][0]} ({most:,})")


def show_next(folder: Path, found: Look, runs: Sequence[Run]) -> None:
    """Print commands that work as they stand."""
    windrow = _command()
    identifier = found.samples[0][0] if found.samples else ""
    say()
    say("Try these next", style="bold")
    lines = [
        f"cd {_quoted(str(folder))}",
        f"{windrow} source list",
        f"{windrow} source sets demo",
        f"{windrow} search sustainable",
        f"{windrow} stats trends",
        f"{windrow} record show {_quoted(identifier)}",
        f"{windrow} diff {runs[-1].id}",
        f"{windrow} export --format csv --output theses.csv",
        f"{windrow} rebuild",
        f"{windrow} serve",
        f"{windrow} doctor",
    ]
    for line in lines:
        say(f"  {line}")


def _command() -> str:
    """How this program is called from here: by its name if the shell finds it, else by its path."""
    if shutil.which("windrow"):
        return "windrow"
    beside = Path(sys.executable).with_name("windrow")
    return _quoted(str(beside)) if beside.exists() else f"{_quoted(sys.executable)} -m windrow.cli.main"


def _quoted(text: str) -> str:
    import shlex

    return shlex.quote(text)
