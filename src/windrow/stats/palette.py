"""Colours of charts: by name on pages, where a style sheet gives each a value for light and one for dark.

Each keeps a contrast of 3:1 with its background, and any two of one scheme stay apart for people who see no
red, no green or no blue. The first three are Okabe's and Ito's; some of their others are too pale for that.
"""

from __future__ import annotations

from typing import Any

LIGHT = ("#0072b2", "#d55e00", "#009e73", "#642874", "#8c74ef", "#88090d", "#0d3aaa", "#8e4769")
DARK = ("#56b4e9", "#e69f00", "#009e73", "#9b6eec", "#f2eb6e", "#d45e12", "#24f5fe", "#97d3a4")
INK = "currentColor"
PAPER = "var(--chart-paper)"
_PRINTED = {INK: "#1f2421", PAPER: "#ffffff"} | {
    f"var(--chart-{place})": colour for place, colour in enumerate(LIGHT, start=1)
}


def colour(place: int) -> str:
    """Give the name of a colour; after the last comes the first again."""
    return f"var(--chart-{place % len(LIGHT) + 1})"


def printed(value: Any) -> Any:
    """Give a specification with the values of the light scheme in place of their names."""
    if isinstance(value, str):
        return _PRINTED.get(value, value)
    if isinstance(value, dict):
        return {key: printed(inner) for key, inner in value.items()}
    return [printed(inner) for inner in value] if isinstance(value, list) else value
