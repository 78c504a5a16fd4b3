"""What an OAI-PMH answer holds, whichever way it was parsed."""

from __future__ import annotations

from dataclasses import dataclass, field

from windrow.model.record import Record, Reject

NAMESPACE = "http://www.openarchives.org/OAI/2.0/"
LISTS = ("ListRecords", "ListIdentifiers", "GetRecord")


@dataclass(frozen=True, slots=True)
class Token:
    """A resumptionToken element; an empty value closes the list."""

    value: str
    cursor: int | None = None
    size: int | None = None  # completeListSize
    expires: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """An OAI-PMH error element."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """One answer to ListRecords, ListIdentifiers or GetRecord."""

    response_date: str | None
    records: list[Record] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    token: Token | None = None
    faults: tuple[Fault, ...] = ()
    repairs: tuple[str, ...] = ()  # what had to be repaired before it parsed, in words
