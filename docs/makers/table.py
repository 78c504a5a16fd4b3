"""Tables in Markdown, for the makers of pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Give a table; whatever would break a cell is made harmless."""
    lines = [_line(headers), "|" + "---|" * len(headers)]
    return "\n".join([*lines, *(_line(row) for row in rows)]) + "\n"


def code(text: str) -> str:
    """Give text as code; nothing for nothing."""
    return f"`{text}`" if text else ""


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
