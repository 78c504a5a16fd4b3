"""Documents into the store: records in three formats, the rows of their files, cases for those refused.

Each is dated by the moment in which it is stored. The caller owns the transactions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import count
from typing import NamedTuple, TypeVar

from windrow.config.schema import DOCUMENT_FORMATS
from windrow.harvest.document_finding import Finding
from windrow.model.record import Record, Reject
from windrow.model.record_tally import RecordTally
from windrow.model.run import Counters
from windrow.sources.files.describe import stamp_of
from windrow.sources.files.mime_sets import named_sets
from windrow.store import cases, held_files, quarantine, sources
from windrow.store.connection import Connection
from windrow.store.held_files import AWAY, DROPPED, HIDDEN, REFUSED, HeldRow
from windrow.store.sets import SetGroups, name_sets
from windrow.store.writer import PageWriter

DOCUMENT = DOCUMENT_FORMATS[0]
T = TypeVar("T", "Finding", "Refused")


class Refused(NamedTuple):
    """A file that could not be read, and why."""

    row: HeldRow
    reason: str
    is_new: bool


class DocumentWriter:
    """Writes what one run found."""

    def __init__(self, source_id: int, run_id: int) -> None:
        self.source_id = source_id
        self._run_id = run_id

    def write(self, connection: Connection, findings: Sequence[Finding], *, now: int) -> Counters:
        """Store documents; give the numbers of them."""
        named = [self._named(connection, finding) for finding in findings]
        groups = SetGroups(self.source_id)
        counters = self._store(connection, [each for each in named if each.is_new], groups, now=now)
        counters.add(self._store(connection, [each for each in named if not each.is_new], groups, now=now))
        if groups.unnamed:
            name_sets(connection, self.source_id, named_sets(groups.unnamed))
        held_files.put(connection, self.source_id, [finding.row for finding in named])
        return counters

    def note(self, connection: Connection, rows: Iterable[HeldRow]) -> None:
        """Write down where files are now, and as they are, without a change to their records."""
        held_files.put(connection, self.source_id, rows)

    def refuse(self, connection: Connection, refused: Sequence[Refused], *, now: int) -> Counters:
        """Put files that could not be read into quarantine."""
        moment = datetime.fromtimestamp(now, UTC)
        named = [self._named(connection, item) for item in refused]
        for item in named:
            waiting = cases.of_record(connection, self.source_id, item.row.identifier)
            for case in waiting[:1]:
                cases.renew(connection, case, self._run_id, item.reason, b"")
            if not waiting:
                reject = Reject(item.reason, b"", item.row.identifier)
                quarantine.put(connection, self.source_id, self._run_id, DOCUMENT, [reject], now=moment)
        held_files.put(connection, self.source_id, [item.row for item in named])
        return Counters(quarantined=len(refused))

    def bury(self, connection: Connection, gone: Sequence[HeldRow], *, now: int) -> Counters:
        """Put tombstones in the place of documents whose files are gone, and forget the files.

        What was decided by hand is not forgotten: the file may come back.
        """
        counters = self.bury_records(connection, [row.identifier for row in gone], now=now)
        held_files.remove(connection, self.source_id, [row for row in gone if row.state != DROPPED])
        hidden = [row._replace(reader=AWAY) for row in gone if row.state == HIDDEN]
        held_files.put(connection, self.source_id, hidden)
        self._close_cases(connection, gone, now=now)
        return counters

    def bury_records(self, connection: Connection, identifiers: Sequence[str], *, now: int) -> Counters:
        """Put tombstones in the place of records, where there are any."""
        writer = PageWriter(self.source_id, None, run_id=self._run_id, groups=SetGroups(self.source_id))
        known = held_files.live(connection, self.source_id, identifiers)
        tombstones = [Record(name, stamp_of(now), (), True) for name in identifiers if name in known]
        return Counters(deleted=writer.write(connection, tombstones).deleted)

    def close_stored(self, connection: Connection, *, now: int) -> None:
        """Close the cases of files that this run could read after all."""
        moment = datetime.fromtimestamp(now, UTC)
        quarantine.resolve_stored(connection, self.source_id, self._run_id, DOCUMENT, now=moment)

    def _close_cases(self, connection: Connection, gone: Sequence[HeldRow], *, now: int) -> None:
        for row in gone:
            if row.state == REFUSED:
                for case in cases.of_record(connection, self.source_id, row.identifier):
                    quarantine.resolve(connection, case, now=datetime.fromtimestamp(now, UTC))

    def _named(self, connection: Connection, item: T) -> T:
        """Give what was found, where it is new with an identifier that no other file has.

        A file that was moved keeps its first address; what comes to that place later needs another.
        """
        row = item.row
        if not item.is_new or self._is_free(connection, row, row.identifier):
            return item
        others = (f"{row.identifier}?{number}" for number in count(2))
        free = next(name for name in others if self._is_free(connection, row, name))
        return item._replace(row=row._replace(identifier=free))

    def _is_free(self, connection: Connection, row: HeldRow, identifier: str) -> bool:
        held = held_files.find(connection, self.source_id, identifier)
        return held is None or (held.path, held.member) == (row.path, row.member)

    def _store(
        self, connection: Connection, findings: Sequence[Finding], groups: SetGroups, *, now: int
    ) -> Counters:
        """Store some documents in all formats; of new ones that is a single change, not three."""
        if not findings:
            return Counters()
        stamp, tally, added = stamp_of(now), RecordTally(), 0
        for prefix in DOCUMENT_FORMATS:
            records = [
                Record(finding.row.identifier, stamp, finding.sets, False, _payload(finding, prefix))
                for finding in findings
            ]
            format_id = sources.format_id(connection, prefix)
            writer = PageWriter(self.source_id, format_id, run_id=self._run_id, groups=groups, tally=tally)
            if added == len(records):
                writer.complete(connection, records)
            else:
                added += writer.write(connection, records).added
        counters = Counters()
        tally.write_to(counters)
        return counters


def _payload(finding: Finding, prefix: str) -> bytes:
    if prefix == DOCUMENT:
        return finding.document
    return finding.description if prefix == "oai_dc" else finding.header
