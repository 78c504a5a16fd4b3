"""One attempt at harvesting or mapping: its counters, its problems, its outcome."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum


class Outcome(StrEnum):
    """How a run ended. The database, the exit code and every page say the same word."""

    OK = "ok"
    PARTIAL = "partial"
    FAILED = "failed"
    SKIPPED = "skipped"
    INTERRUPTED = "interrupted"


EXIT_CODES: Mapping[Outcome, int] = {
    Outcome.OK: 0,
    Outcome.FAILED: 1,
    Outcome.PARTIAL: 3,
    Outcome.SKIPPED: 75,
    Outcome.INTERRUPTED: 130,
}


class Weight(StrEnum):
    """How much a problem matters."""

    NOTE = "note"  # worth knowing; the run is whole
    PROBLEM = "problem"  # something was repaired, left out or not checked: the run is partial
    FATAL = "fatal"  # the run could not go on


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that went otherwise than it should, in words."""

    code: str
    message: str
    weight: Weight = Weight.PROBLEM
    url: str | None = None
    kept: str | None = None  # the file that holds the page as it came


@dataclass(slots=True)
class Counters:
    """What a run did.

    `seen` and `duplicates` count entries: a record as it came, once for each format, set and repeated page.
    `added` to `unchanged` count records: each one that the run met is in exactly one of them, in however
    many formats, sets or pages it came. `quarantined` counts records as well: those of which something
    could not be kept, whatever became of their other formats.
    """

    requests: int = 0
    retries: int = 0
    bytes: int = 0
    pages: int = 0
    seen: int = 0
    added: int = 0
    changed: int = 0
    supplemented: int = 0  # had already, now in a further format as well, and not changed otherwise
    moved: int = 0  # in other sets, and not changed otherwise
    restored: int = 0  # were deleted before the run
    deleted: int = 0  # were there before the run, or came as deleted the first time
    unchanged: int = 0
    quarantined: int = 0
    duplicates: int = 0  # entries of a record that had come before in the same format
    left_out: int = 0  # files and folders of a folder of documents that no record was made of
    without_text: int = 0  # documents whose pages are pictures without text

    @property
    def touched(self) -> int:
        """How many records are not as they were before the run."""
        return self.added + self.changed + self.supplemented + self.moved + self.restored + self.deleted

    def rarer_amounts(self) -> Iterator[str]:
        """Return in words what few runs do to records; nothing for what this one did not do."""
        for count, words in (
            (self.restored, "restored"),
            (self.supplemented, "in a further format"),
            (self.moved, "in other sets"),
        ):
            if count:
                yield f"{count:,} {words}"

    def add(self, other: Counters) -> None:
        """Count another's in."""
        for item in fields(self):
            setattr(self, item.name, getattr(self, item.name) + getattr(other, item.name))

    def assign(self, other: Counters) -> None:
        """Take over the values of another."""
        for item in fields(self):
            setattr(self, item.name, getattr(other, item.name))

    def as_dict(self) -> dict[str, int]:
        """Give the counters by name."""
        return {item.name: getattr(self, item.name) for item in fields(self)}


@dataclass(frozen=True, slots=True)
class Run:
    """One attempt, as the store remembers it."""

    id: int
    source: str
    kind: str  # harvest, retry, rebuild, refresh, merge, drop, hide
    started: datetime
    ended: datetime | None
    outcome: Outcome | None  # None: still running, or killed
    counters: Counters = field(default_factory=Counters)
    arguments: Mapping[str, object] = field(default_factory=dict)
    claimed: int | None = None  # what the repository said the lists would hold
    problems: tuple[Problem, ...] = ()


def judge(problems: list[Problem], *, counters: Counters, is_interrupted: bool = False) -> Outcome:
    """Give the one outcome that everybody repeats."""
    if is_interrupted:
        return Outcome.INTERRUPTED
    weights = {problem.weight for problem in problems}
    if Weight.FATAL in weights:
        if not _is_only_busy(problems):
            return Outcome.FAILED
        return Outcome.PARTIAL if counters.pages else Outcome.SKIPPED
    return Outcome.PARTIAL if Weight.PROBLEM in weights or counters.quarantined else Outcome.OK


def _is_only_busy(problems: list[Problem]) -> bool:
    return all(problem.code == "busy" for problem in problems if problem.weight is Weight.FATAL)
