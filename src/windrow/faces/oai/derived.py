"""What a source may do for its repository beyond what is stored; `wiring` hands it over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class Renderer(Protocol):
    """Renders some records, one after the other, for one answer."""

    def render(self, identifier: str, prefix: str, stored: Mapping[str, bytes]) -> bytes | None:
        """Give a record's payload in a format; None when there is no such record any more."""


class Deriver(Protocol):
    """Renders formats when they are asked for, and knows who may see what."""

    @property
    def formats(self) -> Mapping[str, tuple[str, str]]:
        """The schema and the namespace of each format it renders, by prefix."""

    def renderer(self) -> Renderer:
        """What renders, from now on: it may remember what it saw at the source, so it is for one answer."""

    def may_see(self, guard: str, username: str | None, password: str | None) -> bool:
        """Whether these credentials open what is guarded."""
