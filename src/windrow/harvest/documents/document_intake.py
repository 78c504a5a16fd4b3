"""Takes in what a look at a folder of documents found: settled, read in rounds, stored batch by batch.

The middle of `documents`, which has the run around it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from windrow.errors import Interrupted
from windrow.harvest.document_batch import Batch
from windrow.harvest.document_finding import Finding, Scribe
from windrow.harvest.document_look import CLOSED, Candidate, DocumentLook
from windrow.harvest.document_reading import Done, Readers, Reading, member_readings
from windrow.harvest.document_remarks import Remarked, codes_of, without_cut
from windrow.harvest.document_settling import Deed, Settler, Step
from windrow.harvest.document_writer import DOCUMENT, DocumentWriter
from windrow.model.extract import NO_TEXT_LAYER
from windrow.store import held_files
from windrow.store.held_files import HeldRow
from windrow.store.stamps import writing_dated
from windrow.store.store import Store

if TYPE_CHECKING:
    from windrow.extract.derived import Derived
    from windrow.extract.pool import Pool
    from windrow.store.connection import Connection
    from windrow.store.records import RecordReader

SHOWN_SECONDS = 0.25  # between two words to who watches


@dataclass(frozen=True, slots=True)
class DocumentMeans:
    """How the documents of a source are taken in, and with what."""

    pool: Callable[[], Pool]  # made when something is to be read
    derived: Derived
    largest: int  # bytes of a file that is read
    archive_members: int = 1_000  # files of one archive that become documents
    has_sidecars: bool = True
    has_archives: bool = True
    keeps_gone: bool = False


class DocumentTaking:
    """Takes in the changes of one look, for one run."""

    def __init__(
        self,
        look: DocumentLook,
        means: DocumentMeans,
        writer: DocumentWriter,
        *,
        store: Store,
        now: Callable[[], int],
        show: Callable[[], None],
    ) -> None:
        self._look = look
        self._means = means
        self._writer = writer
        self._store = store
        self._now = now
        self._show = show
        self._shown = 0.0
        self._batch = Batch()
        self._scribe = Scribe(look.folder)
        self._remarked = Remarked()
        self._described: list[Step] = []
        self._waiting: list[Reading] = []  # for the next round

    def take(self, candidates: Sequence[Candidate]) -> None:
        """Take all of it in; when asked to stop, what was read until then is stored."""
        gone = self._look.gone()
        settler = Settler(self._look, gone, now=self._now)
        try:
            self._read(self._settled(settler, candidates))
            self._describe()
            while self._waiting:
                round_, self._waiting = self._waiting, []
                self._read(iter(round_))
        except Interrupted:
            self._store_batch()
            raise
        finally:
            self._look.problems += self._remarked.problems(self._look.folder.name)
        if not self._means.keeps_gone:
            self._bury([row for row in gone if row.path not in settler.moved and not row.is_verdict])
        self._store_batch()

    def _settled(self, settler: Settler, candidates: Sequence[Candidate]) -> Iterator[Reading]:
        """Settle one after another; give those that must be read."""
        for candidate in candidates:
            self._look.stopper.check()
            self._look.counters.seen += 1
            step = settler.settle(candidate)
            if step is None:
                continue
            if step.deed is Deed.READ:
                yield Reading(step.row, step.file, step.former)
            elif step.deed is Deed.DESCRIBE:
                self._described.append(step)
            else:
                self._batch.noted.append(step.row)
                self._look.tell_cut(step.row)
                self._take_along(step.former, step.row)
                self._advance()

    def _read(self, readings: Iterator[Reading]) -> None:
        first = next(readings, None)
        if first is None:  # no process is started for nothing
            return
        means = self._means
        readers = Readers(
            self._look,
            self._scribe,
            means.pool(),
            means.derived,
            largest=means.largest,
            most_members=means.archive_members,
        )
        for done in readers.read(chain((first,), readings)):
            if done.finding is not None:
                finding = done.finding
                if done.members and not means.has_archives:
                    remarks = without_cut(finding.row.remarks)
                    finding = finding._replace(row=finding.row._replace(reader=CLOSED, remarks=remarks))
                self._note_remarks(finding.row)
                self._batch.add(finding)
                self._take_members(done, finding)
            elif done.refused is not None:
                self._batch.refused.append(done.refused)
            self._advance()

    def _note_remarks(self, row: HeldRow) -> None:
        self._remarked.add(row)
        self._look.counters.without_text += NO_TEXT_LAYER in codes_of(row.remarks)
        if not row.member:  # archives in archives stay closed
            self._look.tell_cut(row)

    def _take_members(self, done: Done, finding: Finding) -> None:
        """Have the members of an archive read in the next round; those that are gone are buried."""
        reading = done.reading
        if reading.row.member or (reading.former is None and not done.members):
            return
        members = done.members if self._means.has_archives else ()
        former = self._members_of(reading.former or reading.row)  # verdicts outlast the archive itself
        readings, gone = member_readings(reading, finding, members, former)
        self._take_along(reading.former, finding.row)
        self._waiting += readings
        self._look.counters.seen += len(readings)
        self._batch.gone += gone

    def _take_along(self, former: HeldRow | None, row: HeldRow) -> None:
        """With an archive that was moved goes what was decided of its members by hand."""
        if former is not None and former.path != row.path:
            judged = [member for member in self._members_of(former) if member.is_verdict]
            self._batch.judged += [_follow(member, row) for member in judged]

    def _describe(self) -> None:
        """Describe documents anew of which everything was read before: their place or sidecars changed."""
        from windrow.store.records import RecordReader  # noqa: PLC0415 - slow to load, and seldom needed

        reader = RecordReader()
        for step in self._described:
            self._look.stopper.check()
            former = step.former
            assert former is not None
            self._look.tell_cut(step.row)
            self._take_along(former, step.row)
            members = [_follow(row, step.row) for row in self._members_of(former) if not row.is_verdict]
            for row in (step.row, *members):
                self._describe_one(reader, step, row)
            self._advance()

    def _describe_one(self, reader: RecordReader, step: Step, row: HeldRow) -> None:
        with self._store.reading() as connection:
            payload = self._payload(connection, reader, row)
        if payload is None:
            self._waiting.append(Reading(row, step.file, step.former))
            return
        given = () if row.member else self._look.given(row.path)
        self._batch.add(self._scribe.of_payload(row, payload, given))

    def _payload(self, connection: Connection, reader: RecordReader, row: HeldRow) -> bytes | None:
        name = self._look.folder.name
        record = next(iter(reader.find(connection, row.identifier, source=name)), None)
        payload = record.payload(DOCUMENT) if record is not None else None
        return payload.data if payload is not None else None

    def _members_of(self, row: HeldRow) -> list[HeldRow]:
        with self._store.reading() as connection:
            return held_files.members(connection, self._writer.source_id, row.path)

    def _bury(self, gone: Sequence[HeldRow]) -> None:
        for row in gone:
            self._batch.gone += [row, *self._members_of(row)]

    def _advance(self) -> None:
        """Store what is in hand if that is due, and say how far we are."""
        if self._batch.is_full:
            self._store_batch()
        if time.monotonic() - self._shown > SHOWN_SECONDS:
            self._shown = time.monotonic()
            self._show()

    def _store_batch(self) -> None:
        batch, self._batch = self._batch, Batch()
        if batch.is_empty:
            return
        with writing_dated(self._store, self._writer.source_id, self._now) as (connection, now):
            self._look.counters.add(batch.write(connection, self._writer, now=now))


def _follow(member: HeldRow, archive: HeldRow) -> HeldRow:
    """Give the row of a member of an archive that was moved, or is protected otherwise than before."""
    return member._replace(path=archive.path, guards=archive.guards, looked_at=archive.looked_at)
