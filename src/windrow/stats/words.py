"""How labels and cells become text for people. The portal has its own; this one is plain English."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Protocol

from windrow.model.media import short_name
from windrow.stats.message import Label, Message, english
from windrow.stats.table import Cell, Kind

Numbers = Mapping[str, object]  # a locale of d3-format


class Words(Protocol):
    """A language that tables are shown in."""

    @property
    def numbers(self) -> Numbers:
        """How it writes numbers, as charts want to know it."""

    def say(self, label: Label) -> str:
        """Give a label in it."""

    def cell(self, value: Cell, kind: Kind) -> str:
        """Give a value of a table as people write it."""


class English:
    """Plain English, for terminals and wherever nobody chose."""

    numbers: Numbers = {"decimal": ".", "thousands": ",", "grouping": [3], "currency": ["", ""]}  # noqa: RUF012

    def say(self, label: Label) -> str:
        """Give the label as it is."""
        return english(label)

    def cell(self, value: Cell, kind: Kind) -> str:
        """Give 1,234 and 56.7 %, nothing for nothing."""
        if value is None:
            return ""
        if isinstance(value, str) and kind is Kind.MEDIA:
            return short_name(value) or value
        if isinstance(value, str) and kind is Kind.SIZE:
            return _sizes(value)
        if isinstance(value, str | Message):
            return english(value)
        if isinstance(value, datetime):
            return f"{value.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        return number(value, kind)


def _sizes(span: str) -> str:
    """From so many bytes to so many, as in 10,000–99,999 bytes."""
    low, _, high = span.partition("..")
    return f"{int(low):,}–{int(high):,} bytes" if high else f"{int(low):,} bytes and more"


def number(value: float, kind: Kind) -> str:
    """Give a number in English digits."""
    if kind is Kind.SHARE:
        return f"{100 * value:.1f} %"
    if kind is Kind.CHANGE:
        return f"× {value:.2f}"
    if kind is Kind.RATIO:
        return f"{value:,.{ratio_digits(value)}f}"
    return f"{value:,.1f}" if kind is Kind.DECIMAL else f"{value:,.0f}"


def ratio_digits(value: float) -> int:
    """Return how many digits of a ratio are shown behind the point: three that count, about."""
    return 1 if value >= 100 else 2 if value >= 1 else 3


ENGLISH = English()
