"""Files that must be read, handed to the pool: what comes back becomes a document, a case, or a note.

Between `document_settling`, which says what is to be read, and `document_writer`. Members of an archive are
read after it, each as a file of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from windrow.extract.job import Job
from windrow.harvest.document_finding import Finding, Scribe, picture_key
from windrow.harvest.document_look import READING, DocumentLook, in_fragment
from windrow.harvest.document_remarks import remarks_of
from windrow.harvest.document_writer import Refused
from windrow.model.extract import UNREAD, Extract, Member
from windrow.model.run import Weight
from windrow.sources.files.describe import NANOSECONDS
from windrow.sources.files.mime import media_type
from windrow.sources.files.walk import FoundFile, open_visible
from windrow.store.held_files import DROPPED, HIDDEN, REFUSED, SHOWN, HeldRow

if TYPE_CHECKING:
    from windrow.extract.derived import Derived
    from windrow.extract.pool import Pool, Refusal

PICTURE_SIZE = "320"  # pixels; how the pictures that a run makes are called


class Reading(NamedTuple):
    """A file, or a member of one, that is to be read. The row is as it will be."""

    row: HeldRow
    file: FoundFile
    former: HeldRow | None


@dataclass(frozen=True, slots=True)
class Done:
    """What came of reading one: a document, or a refusal, or (neither) nothing that can be kept."""

    reading: Reading
    finding: Finding | None = None
    refused: Refused | None = None
    members: tuple[Member, ...] = ()


class Readers:
    """Reads the files of one look."""

    def __init__(
        self,
        look: DocumentLook,
        scribe: Scribe,
        pool: Pool,
        derived: Derived,
        *,
        largest: int,
        most_members: int,
    ) -> None:
        """`largest` is the size up to which files are read, in bytes; `most_members` are of one archive."""
        self._look = look
        self._scribe = scribe
        self._pool = pool
        self._derived = derived
        self._largest = largest
        self._most_members = most_members

    def read(self, readings: Iterable[Reading]) -> Iterator[Done]:
        """Give what came of each, in no order. What is too large is described by its name and size."""
        from windrow.extract.pool import Refusal, Task  # noqa: PLC0415 - not needed where nothing changed

        large: list[Done] = []

        def tasks() -> Iterator[Task]:
            for reading in readings:
                self._look.stopper.check()
                if reading.file.size > self._largest:
                    large.append(self._too_large(reading))
                else:
                    opener = partial(open_visible, self._look.tree, reading.row.path)
                    yield Task(reading, opener, _job(reading, self._most_members))

        for task, outcome in self._pool.work(tasks()):
            yield from _emptied(large)
            reading: Reading = task.key
            if self._has_changed(reading):
                yield Done(reading)
            elif isinstance(outcome, Refusal):
                yield self._refused(reading, outcome)
            else:
                yield self._read(reading, outcome.extract, outcome.picture)
        yield from _emptied(large)

    def _too_large(self, reading: Reading) -> Done:
        kind = media_type(reading.file.path, reading.file.media_type)
        note = f"It is larger than {self._largest:,} bytes, so it was not read."
        return self._read(reading, Extract(kind, measured=(UNREAD,), notes=(note,)))

    def _has_changed(self, reading: Reading) -> bool:
        """Was the file written while it was read? Then what was read may be half of the one and the other."""
        now = self._look.tree.look_up(reading.row.path)
        if now is not None and (now.size, now.mtime_ns) == (reading.file.size, reading.file.mtime_ns):
            return False
        words = f"{reading.row.path} changed while it was read; the next harvest reads it again"
        self._look.tell("changing", words, Weight.NOTE)
        return True

    def _refused(self, reading: Reading, refusal: Refusal) -> Done:
        if refusal.code == "gone":
            return Done(reading)
        row = reading.row
        version = "" if refusal.code == "missing" else READING  # which is no fault of the file
        state = REFUSED if row.state in (SHOWN, REFUSED) else row.state
        row = row._replace(reader=version, state=state, remarks="")
        return Done(reading, refused=Refused(row, refusal.reason, reading.former is None))

    def _read(self, reading: Reading, extract: Extract, picture: bytes | None = None) -> Done:
        row = reading.row
        row = row._replace(state=SHOWN) if row.state == REFUSED else row
        row = row._replace(remarks=remarks_of(extract, most_members=self._most_members))
        if picture:
            self._derived.put(picture_key(row.sha256, row.member), PICTURE_SIZE, picture)
        given = () if row.member else self._look.given(row.path)
        finding = self._scribe.of_extract(row, extract, given, is_new=reading.former is None)
        return Done(reading, finding, members=() if row.member else extract.members)


def member_readings(
    archive: Reading, finding: Finding, members: Sequence[Member], former: Sequence[HeldRow]
) -> tuple[list[Reading], list[HeldRow]]:
    """Give the members of an archive that are to be read, and what is known of those that are gone."""
    known = {row.member: row for row in former}
    readings = []
    for member in members:
        held = known.pop(member.name, None)
        if held is None or held.state != DROPPED:
            readings.append(Reading(_member_row(finding.row, member, held), archive.file, held))
    return readings, [row for row in known.values() if not row.is_verdict]


def _member_row(archive: HeldRow, member: Member, held: HeldRow | None) -> HeldRow:
    row = held or HeldRow(
        archive.path, member.name, f"{archive.identifier}#{in_fragment(member.name)}", 0, 0, ""
    )._replace(state=HIDDEN if archive.state == HIDDEN else SHOWN)
    return row._replace(
        path=archive.path,
        size=member.size,
        mtime_ns=archive.mtime_ns if member.modified is None else member.modified * NANOSECONDS,
        sha256=archive.sha256,
        guards=archive.guards,
        looked_at=archive.looked_at,
    )


def _job(reading: Reading, most_members: int) -> Job:
    row = reading.row
    name = (row.member or row.path).rpartition("/")[2]
    declared = "" if row.member else reading.file.media_type or ""
    return Job(name, declared, row.member, most_members=most_members)


def _emptied(done: list[Done]) -> Iterator[Done]:
    while done:
        yield done.pop()
