"""Steps of keeping a collection: what was taken in, built, activated, rolled back. Times are Unix seconds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from windrow.model.run import Outcome


class StepKind(StrEnum):
    """What was done."""

    IMPORT = "import"
    BUILD = "build"
    ACTIVATE = "activate"
    ROLLBACK = "rollback"


@dataclass(frozen=True, slots=True)
class CollectionStep:
    """One step, as the store remembers it."""

    id: int
    kind: StepKind
    collection: str  # for whom it was done; empty: for the whole library
    started: float
    ended: float | None
    outcome: Outcome | None  # None: still at it, or killed
    records: int  # an import: that were new, changed or gone; else: that the generation holds
    generation: str  # of the index; empty for an import
    summary: str
    holder: str  # who did it, in words
    is_alive: bool  # the process that does it

    @property
    def word(self) -> str:
        """How it stands, in one word: the same as for runs."""
        if self.outcome is not None:
            return self.outcome.value
        return "running" if self.is_alive else "killed"

    @property
    def seconds(self) -> float | None:
        """How long it took; None for one that has no end."""
        return None if self.ended is None else max(self.ended - self.started, 0.0)
