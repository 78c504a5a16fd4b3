"""Whether the search shows an older state that somebody went back to: `/status` says so, and since when."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol, runtime_checkable

from windrow.index.generations import Hold
from windrow.index.protocol import Index


@runtime_checkable
class _Holding(Protocol):
    """An index whose generation can be held."""

    @property
    def hold(self) -> Hold | None:
        """Since when it is; None where it is not."""


def held_since(index: Index) -> datetime | None:
    """Give since when the index stays as it is; None where it follows the library."""
    hold = index.hold if isinstance(index, _Holding) else None
    if hold is None:
        return None
    try:
        found = datetime.fromisoformat(hold.since)
    except ValueError:  # somebody wrote the note by hand: that it is held is true all the same
        return datetime.fromtimestamp(0, UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
