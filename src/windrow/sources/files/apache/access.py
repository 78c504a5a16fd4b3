"""What .htaccess files say about who may come in, and how an inner file changes an outer one's word. Pure.

`htaccess` makes one from each file, `scope` lays them over one another, `guards` asks the outcome.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from windrow.sources.files.apache.requirement import (
    OPEN,
    UNKNOWN,
    AllOf,
    AnyOf,
    Fixed,
    Negated,
    Requirement,
)

Merging: TypeAlias = Literal["off", "and", "or"]


@dataclass(frozen=True, slots=True)
class Hosts:
    """Order, Allow, Deny and Satisfy: the old way. Each answer is whether a stranger is meant."""

    allows_first: bool = False
    allow: tuple[bool | None, ...] = ()
    deny: tuple[bool | None, ...] = ()
    is_enough: bool = False  # Satisfy Any: either these or a requirement

    def requirement(self) -> Requirement:
        """Give the same as an expression: without `Order`, what is not denied is allowed."""
        allowed = AnyOf(tuple(Fixed(value) for value in self.allow))
        spared = Negated(AnyOf(tuple(Fixed(value) for value in self.deny)))
        return AllOf((allowed, spared)) if self.allows_first else AnyOf((allowed, spared))


@dataclass(frozen=True, slots=True)
class Access:
    """Who may come in, and where the passwords are. None: nothing was said."""

    requirement: Requirement | None = None
    merging: Merging = "off"
    hosts: Hosts | None = None
    auth_type: str | None = None
    provider: str | None = None
    user_file: str | None = None
    group_file: str | None = None
    is_broken: bool = False

    def at(self, folder: str) -> Access:
        """Give the same with its files as absolute paths; relative ones start at the .htaccess's folder."""
        if self.user_file is None and self.group_file is None:
            return self
        return replace(
            self,
            user_file=self.user_file and os.path.join(folder, self.user_file),
            group_file=self.group_file and os.path.join(folder, self.group_file),
        )

    def over(self, outer: Access) -> Access:
        """Give what holds where this is said inside the outer's reach.

        A requirement replaces the outer one unless AuthMerging says otherwise; the old directives
        replace one another as a whole; each of the other settings is inherited by itself. Where the
        web server would answer 500, it does so for everything below.
        """
        return Access(
            requirement=self._requirement_over(outer.requirement),
            hosts=self.hosts or outer.hosts,
            auth_type=_first(self.auth_type, outer.auth_type),
            provider=_first(self.provider, outer.provider),
            user_file=_first(self.user_file, outer.user_file),
            group_file=_first(self.group_file, outer.group_file),
            is_broken=self.is_broken or outer.is_broken,
        )

    def _requirement_over(self, outer: Requirement | None) -> Requirement | None:
        if self.requirement is None or outer is None:
            return self.requirement or outer
        if self.merging == "off":
            return self.requirement
        both = (outer, self.requirement)
        return AllOf(both) if self.merging == "and" else AnyOf(both)

    def whole(self) -> Requirement:
        """Give everything that was said as one requirement; what cannot be understood lets nobody in."""
        if self.is_broken:
            return UNKNOWN
        hosts = self.hosts.requirement() if self.hosts else OPEN
        parts = (hosts,) if self.requirement is None else (hosts, self.requirement)
        return AnyOf(parts) if self.hosts and self.hosts.is_enough else AllOf(parts)


NOTHING_SAID = Access()
BROKEN = Access(is_broken=True)


def _first(inner: str | None, outer: str | None) -> str | None:
    return outer if inner is None else inner
