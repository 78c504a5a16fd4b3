"""What a run of documents has in hand and has not stored yet: stored often, so that a kill loses little."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from windrow.harvest.document_finding import Finding
from windrow.harvest.document_writer import DocumentWriter, Refused
from windrow.model.run import Counters
from windrow.store.connection import Connection
from windrow.store.held_files import HeldRow

MOST_DOCUMENTS = 500
MOST_BYTES = 16_000_000
MOST_SECONDS = 5.0


@dataclass(slots=True)
class Batch:
    """Documents, refusals and notes that go into one transaction."""

    findings: list[Finding] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    noted: list[HeldRow] = field(default_factory=list)
    judged: list[HeldRow] = field(default_factory=list)  # of which only the place is written down
    gone: list[HeldRow] = field(default_factory=list)
    size: int = 0  # bytes
    begun: float = field(default_factory=time.monotonic)

    def add(self, finding: Finding) -> None:
        """Take a document in."""
        self.findings.append(finding)
        self.size += len(finding.document) + len(finding.description)

    @property
    def is_empty(self) -> bool:
        """Is there nothing to store?"""
        return not (self.findings or self.refused or self.noted or self.judged or self.gone)

    @property
    def is_full(self) -> bool:
        """Is it time to store it?"""
        number = len(self.findings) + len(self.refused) + len(self.noted)
        is_late = number > 0 and time.monotonic() - self.begun > MOST_SECONDS
        return number >= MOST_DOCUMENTS or self.size >= MOST_BYTES or is_late

    def write(self, connection: Connection, writer: DocumentWriter, *, now: int) -> Counters:
        """Store everything; give the numbers."""
        writer.note(connection, [*self.noted, *self.judged])
        counters = writer.write(connection, self.findings, now=now)
        counters.add(writer.refuse(connection, self.refused, now=now))
        if self.gone:
            counters.add(writer.bury(connection, self.gone, now=now))
        counters.unchanged += len(self.noted)
        return counters
