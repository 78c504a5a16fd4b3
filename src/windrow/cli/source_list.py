"""`windrow source list`: the sources of a library, a line each."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from windrow.cli.state import JSON, library, print_json
from windrow.cli.terminal import GAP, OUTCOME_STYLES, hint, printable, say, shorten, terminal_width, width

if TYPE_CHECKING:
    from windrow.wiring import Library

_HEADERS = ("source", "records", "tombstones", "quarantined", "last run", "when (UTC)")
_LONG_HEADERS = ("formats", "address")
_RIGHT = (1, 2, 3)
_OUTCOME = 4


@dataclass(frozen=True, slots=True)
class Line:
    """One source as the list shows it; `outcome` is a word for its last run."""

    name: str
    url: str
    formats: tuple[str, ...]
    is_configured: bool
    is_enabled: bool
    records: int
    tombstones: int
    quarantined: int
    outcome: str
    when: datetime | None

    def cells(self) -> tuple[str, ...]:
        """The numbers, ready to print."""
        when = f"{self.when:%Y-%m-%d %H:%M}" if self.when else ""
        counts = (f"{count:,}" for count in (self.records, self.tombstones, self.quarantined))
        return self.name, *counts, self.outcome, when

    def long_cells(self) -> tuple[str, str]:
        """What needs room."""
        marks = [", ".join(self.formats)]
        marks += [] if self.is_enabled else ["disabled"]
        marks += [] if self.is_configured else ["records kept, no longer in windrow.toml"]
        return printable("; ".join(filter(None, marks))), printable(self.url)


def list_(is_json: Annotated[bool, JSON] = False) -> None:
    """List the sources of the library."""
    with library() as opened:
        lines = _lines(opened)
    if is_json:
        print_json([_as_dict(line) for line in lines])
    elif lines:
        _show(lines)
    else:
        say("There are no sources yet.")
        hint("Add one: windrow source add NAME URL   (look first: windrow source check URL)")


def _lines(opened: Library) -> list[Line]:
    from windrow.store.overview import overviews

    configured = opened.config.sources
    lines = []
    for known in overviews(opened.store, configured):
        settings = configured.get(known.name)
        lines.append(
            Line(
                known.name,
                settings.url if settings else known.url,
                settings.formats if settings else (),
                settings is not None,
                settings is None or settings.enabled,
                known.records,
                known.tombstones,
                known.quarantined,
                known.outcome,
                known.last.started if known.last else None,
            )
        )
    return lines


def _show(lines: Sequence[Line]) -> None:
    """A row a source; where the terminal is too narrow for formats and address, they go below it."""
    rows = [line.cells() for line in lines]
    below = [line.long_cells() for line in lines]
    sizes = [max(map(width, column)) for column in zip(_HEADERS, *rows, strict=True)]
    format_size = max(width(cell) for cell, _ in (_LONG_HEADERS, *below))
    needed = sum(sizes) + format_size + max(width(url) for _, url in below) + len(GAP) * (len(sizes) + 1)
    is_wide = not sys.stdout.isatty() or needed <= terminal_width()
    _row(_HEADERS, sizes, style="dim", tail=_tail(_LONG_HEADERS, format_size) if is_wide else "")
    for row, long in zip(rows, below, strict=True):
        _row(row, sizes, tail=_tail(long, format_size) if is_wide else "")
        if not is_wide:
            say(
                shorten(f"  {long[0]} from {long[1]}" if long[0] else f"  {long[1]}", terminal_width()),
                style="dim",
            )


def _row(cells: Sequence[str], sizes: Sequence[int], *, style: str = "", tail: str) -> None:
    """Print a row, the word for the outcome in its colour."""
    padded = [
        " " * (size - width(cell)) + cell if place in _RIGHT else cell + " " * (size - width(cell))
        for place, (cell, size) in enumerate(zip(cells, sizes, strict=True))
    ]
    say(GAP.join(padded[:_OUTCOME]) + GAP, style=style, end="")
    say(padded[_OUTCOME], style=style or OUTCOME_STYLES.get(cells[_OUTCOME], ""), end="")
    say((GAP + GAP.join([*padded[_OUTCOME + 1 :], tail])).rstrip(), style=style)


def _tail(cells: Sequence[str], size: int) -> str:
    return cells[0] + " " * (size - width(cells[0])) + GAP + cells[1]


def _as_dict(line: Line) -> dict[str, Any]:
    return {
        "source": line.name,
        "url": line.url,
        "formats": list(line.formats),
        "is_configured": line.is_configured,
        "is_enabled": line.is_enabled,
        "records": line.records,
        "tombstones": line.tombstones,
        "quarantined": line.quarantined,
        "last_run": None
        if line.when is None
        else {"outcome": line.outcome, "started": line.when.isoformat()},
    }
