"""Whether another version of Windrow keeps the index by now: `/status` says so, and what to do."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from windrow.index.protocol import Index


@runtime_checkable
class _Followed(Protocol):
    """An index that processes of other versions may make anew."""

    @property
    def is_overtaken(self) -> bool:
        """Whether one did, since this process began."""

    @property
    def has_other_settings(self) -> bool:
        """Whether it was rebuilt with other settings than this process has read."""


def is_overtaken(index: Index) -> bool:
    """Say whether this process is to be restarted: what it searches is kept by another version."""
    return isinstance(index, _Followed) and index.is_overtaken


def has_other_settings(index: Index) -> bool:
    """Return whether settings, and not the version, are what this process lacks."""
    return isinstance(index, _Followed) and index.has_other_settings
