"""Storing the records of a run: write, count each once, quarantine, mark as deleted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

from windrow.harvest.run import Attempt
from windrow.model.record import Granularity, Record, Reject, format_datestamp
from windrow.model.run import Counters, RecordCounter
from windrow.store import sources
from windrow.store.connection import Connection
from windrow.store.harvests import checkpoints, list_comparison, quarantine_cases
from windrow.store.records import record_reader
from windrow.store.records.page_writer import PageWriter, RecordMarks
from windrow.store.records.payloads import read_identifiers
from windrow.store.records.set_hierarchy import SetGroups
from windrow.store.sources import SourceState
from windrow.store.store import Store


@dataclass(slots=True, kw_only=True)
class Intake:
    """Stores the records of one run, for any kind of source.

    intake = Intake(attempt=attempt)
    with intake.storing() as connection:
        intake.put(connection, "oai_dc", records, rejects)
    """

    attempt: Attempt
    effects: RecordCounter = field(default_factory=RecordCounter)
    _writers: dict[str, PageWriter] = field(default_factory=dict)
    _groups: SetGroups | None = None
    _merged: frozenset[str] | None = None

    @property
    def store(self) -> Store:
        return self.attempt.store

    @property
    def source(self) -> SourceState:
        return self.attempt.source

    @property
    def run_id(self) -> int:
        return self.attempt.run_id

    @property
    def counters(self) -> Counters:
        return self.attempt.counters

    @property
    def groups(self) -> SetGroups:
        """The combinations of sets that this source's records are in."""
        if self._groups is None:
            self._groups = SetGroups(self.source.id)
        return self._groups

    def now(self) -> datetime:
        return self.attempt.now()

    def tally(self) -> None:
        """Update counters that are kept elsewhere, such as by an HTTP client."""

    @contextmanager
    def storing(self) -> Iterator[Connection]:
        """Yield a transaction for `put`; if it fails, its counts are rolled back."""
        before = replace(self.counters)
        self.effects.begin()
        try:
            with self.store.writing() as connection:
                yield connection
        except BaseException:
            self.counters.assign(before)
            self.effects.roll_back()
            raise

    def put(
        self,
        connection: Connection,
        prefix: str,
        records: Sequence[Record],
        rejects: Sequence[Reject] = (),
        *,
        marks: RecordMarks | None = None,
    ) -> Counters:
        """Store records and quarantine rejects in the given transaction, and count them.

        Returns the effect of these entries alone; in `counters` each record counts once.
        """
        writer = self._writers.get(prefix)
        if writer is None:
            format_id = sources.format_id(connection, prefix)
            writer = self._writers[prefix] = self._writer(format_id)
        merged = self.merged(connection)
        if merged:
            records = [_tombstone(each) if each.identifier in merged else each for each in records]
        delta = writer.write(connection, records, marks=marks)
        if rejects:
            count = quarantine_cases.put(
                connection, self.source.id, self.run_id, prefix, rejects, now=self.now()
            )
            delta.quarantined += count
            delta.seen += count
            for reject in rejects:
                self.effects.reject(prefix, quarantine_cases.reject_key(reject))
        self.counters.seen += delta.seen
        self._note_progress(connection)
        return delta

    def bury(self, connection: Connection, tombstones: Sequence[Record]) -> None:
        """Mark records as deleted that the repository no longer lists; they count as deleted, not as seen."""
        self._writer(None).write(connection, tombstones)
        names = [record.identifier for record in tombstones]
        list_comparison.mark_tombstones(connection, self.source.id, names, at=self.now().isoformat())
        self._note_progress(connection)

    def keep_waiting(self, connection: Connection, prefix: str, key: str) -> None:
        """Count a quarantined record that was requested again and is still bad."""
        self.effects.reject(prefix, key)
        self._note_progress(connection)

    def close_cases(self, connection: Connection, prefix: str) -> None:
        """Close the cases of records that arrived intact in this format, and stop counting them."""
        format_id = sources.format_id(connection, prefix)
        for case_id, identifier, record_id, is_mapping in quarantine_cases.find_stored(
            connection, self.source.id, prefix
        ):
            # Mapping is tried again only if the record has changed.
            if (
                self.effects.is_touched(record_id)
                if is_mapping
                else self.effects.has_come(format_id, record_id)
            ):
                quarantine_cases.resolve(connection, case_id, now=self.now())
                if not is_mapping:
                    self.effects.accept(prefix, identifier)
        self.effects.write_to(self.counters)

    def merged(self, connection: Connection) -> frozenset[str]:
        """Return the identifiers that were merged into others; harvests leave them tombstones."""
        if self._merged is None:
            self._merged = record_reader.list_alias_names(connection, self.source.id)
        return self._merged

    def start_afresh(self) -> None:
        """Discard cached state of the store: other processes may have written to this source since."""
        self._writers.clear()
        self._groups = self._merged = None

    def complete(self, connection: Connection, prefixes: Sequence[str]) -> None:
        """Note that the source was seen completely in these formats, now."""
        for prefix in prefixes:
            checkpoints.move_cursor(
                connection,
                self.source.id,
                prefix,
                "",
                next_from=format_datestamp(self.now(), Granularity.SECOND),
                size=self.counters.seen,
                run_id=self.run_id,
            )

    def live(self, connection: Connection, prefix: str) -> set[str]:
        format_id = sources.format_id(connection, prefix)
        numbers = list_comparison.read_live_numbers(connection, self.source.id, format_id, "")
        return set(read_identifiers(connection, numbers).values())

    def _writer(self, format_id: int | None) -> PageWriter:
        return PageWriter(
            self.source.id, format_id, run_id=self.run_id, groups=self.groups, tally=self.effects
        )

    def _note_progress(self, connection: Connection) -> None:
        """Store the counters with the data they count, so that those of a killed run are right, too."""
        self.tally()
        self.effects.write_to(self.counters)
        self.attempt.progress(connection)


def _tombstone(record: Record) -> Record:
    return Record(record.identifier, record.stamp, (), is_deleted=True)
