"""What a person asked of one harvest, beyond what the source is configured to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HarvestOptions:
    """Flags of `windrow harvest`. None and empty mean: as configured."""

    is_full: bool = False  # forget where the last one ended
    since: str | None = None
    until: str | None = None
    sets: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    limit: int | None = None  # records a list
    is_dry: bool = False  # ask for the first pages, store nothing
    is_one_by_one: bool = False
    is_reconciling: bool = False
    is_keeping_old: bool = False  # compare nothing: what the repository lists no more stays
    is_verifying: bool = False  # compare with ListIdentifiers even where nothing seems to lack

    @property
    def is_adhoc(self) -> bool:
        """Does it look at a part only? Then it says nothing about where the next harvest starts."""
        return bool(self.since or self.until or self.limit)
