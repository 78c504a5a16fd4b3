"""One run under way: what it works with, what it has counted, what it must tell."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from windrow.config.schema import SourceSettings
from windrow.errors import WindrowError
from windrow.harvest.kept import Keeper
from windrow.harvest.observer import Observer
from windrow.harvest.options import HarvestOptions
from windrow.harvest.sampling import Samples
from windrow.harvest.stopping import Stopper
from windrow.model.record import Record, Reject
from windrow.model.record_tally import RecordTally
from windrow.model.run import Counters, Problem, Weight
from windrow.model.stamp import Granularity, read_granularity
from windrow.sources.oai import OaiClient
from windrow.store import aliases, leases, listed, quarantine, runs, sources
from windrow.store.connection import Connection
from windrow.store.sets import SetGroups
from windrow.store.sources import SourceState
from windrow.store.store import Store
from windrow.store.writer import PageWriter, RecordMarks

MAX_PROBLEMS = 500  # told in full for one run; a repository with a fault on every page has millions
_BEAT_SECONDS = 1.0


@dataclass(slots=True)
class Work:
    """Everything that the stages of one source's run share."""

    settings: SourceSettings
    options: HarvestOptions
    store: Store
    client: OaiClient
    source: SourceState
    run_id: int
    keeper: Keeper
    observer: Observer
    stopper: Stopper
    now: Callable[[], datetime]
    identity: dict[str, object]
    counters: Counters = field(default_factory=Counters)
    problems: list[Problem] = field(default_factory=list)
    claimed: int | None = None  # by all lists of this run
    expected: int | None = None  # the best guess, for the progress bar
    is_reduced: bool = False  # the repository lists far less than the library holds
    is_unsized: bool = False  # it states no size of a list that takes several pages
    effects: RecordTally = field(default_factory=RecordTally)
    samples: Samples = field(default_factory=Samples)
    _writers: dict[str, PageWriter] = field(default_factory=dict)
    _groups: SetGroups | None = None
    _merged: frozenset[str] | None = None
    _untold: dict[Weight, int] = field(default_factory=dict)
    _beaten: float = 0.0

    @property
    def name(self) -> str:
        """The source's name."""
        return self.settings.name

    @property
    def groups(self) -> SetGroups:
        """The combinations of sets that this source's records are in."""
        if self._groups is None:
            self._groups = SetGroups(self.source.id)
        return self._groups

    @property
    def granularity(self) -> Granularity:
        """How finely this repository tells time: as configured, as found out, as it says, else by day."""
        if self.settings.granularity != "auto":
            return Granularity(self.settings.granularity)
        found = self.identity.get("negotiated")
        if isinstance(found, str):
            return Granularity(found)
        return read_granularity(str(self.identity.get("granularity", ""))) or Granularity.DAY

    @property
    def earliest(self) -> str:
        """What the repository calls its earliest datestamp; a hint, never a bound."""
        return str(self.identity.get("earliest", ""))

    def learn(self, **facts: object) -> None:
        """Remember something about the repository for this run and the next."""
        self.identity.update(facts)
        with self.store.writing() as connection:
            sources.note(connection, self.source.id, identity=self.identity)

    def tell(
        self,
        code: str,
        message: str,
        *,
        weight: Weight = Weight.PROBLEM,
        url: str | None = None,
        body: bytes | None = None,
    ) -> None:
        """Put something on record; a body is kept as a file."""
        if len(self.problems) >= MAX_PROBLEMS and weight is not Weight.FATAL:
            self._untold[weight] = self._untold.get(weight, 0) + 1
            return
        redact = self.client.redact  # a repository may repeat what it was asked, with the key in it
        kept = self.keeper.keep(_redacted(body, redact)) if body else None
        problem = Problem(code, redact(message), weight, url and redact(url), kept)
        self.problems.append(problem)
        self.observer.noted(self.name, problem)

    def told(self) -> list[Problem]:
        """All problems, and how many more there were than anybody wants to read."""
        more = [Problem("more", f"and {count:,} more", weight) for weight, count in self._untold.items()]
        return self.problems + more

    @contextmanager
    def storing(self) -> Iterator[Connection]:
        """Give a transaction to `put` into; where it comes to nothing, what it counted is taken back."""
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
        """Store records and quarantine rejects in the transaction at hand; count them.

        Returns what became of these entries by themselves; `counters` has each record once.
        """
        writer = self._writers.get(prefix)
        if writer is None:
            format_id = sources.format_id(connection, prefix)
            writer = self._writers[prefix] = self._writer(format_id)
        merged = self.merged(connection)
        if merged:
            records = [_laid_to_rest(each) if each.identifier in merged else each for each in records]
        delta = writer.write(connection, records, marks=marks)
        self.samples.add(prefix, records)
        if rejects:
            rejects = [replace(each, reason=self.client.redact(each.reason)) for each in rejects]
            count = quarantine.put(connection, self.source.id, self.run_id, prefix, rejects, now=self.now())
            delta.quarantined += count
            delta.seen += count
            for reject in rejects:
                self.effects.reject(prefix, quarantine.key_of(reject))
        self.counters.seen += delta.seen
        self._note_progress(connection)
        return delta

    def bury(self, connection: Connection, tombstones: Sequence[Record]) -> None:
        """Mark records as deleted that the repository said nothing about: they count as deleted, not seen."""
        self._writer(None).write(connection, tombstones)
        names = [record.identifier for record in tombstones]
        listed.mark(connection, self.source.id, names, at=self.now().isoformat())
        self._note_progress(connection)

    def keep_waiting(self, connection: Connection, prefix: str, key: str) -> None:
        """Count a quarantined record that was asked for again and is still bad."""
        self.effects.reject(prefix, key)
        self._note_progress(connection)

    def close_cases(self, connection: Connection, prefix: str) -> None:
        """Close the cases of records that came whole in this format after all, and count them no longer."""
        format_id = sources.format_id(connection, prefix)
        for case_id, identifier, record_id, is_mapping in quarantine.of_stored(
            connection, self.source.id, prefix
        ):
            # Whether a record can be mapped is asked again only when it has changed.
            if (
                self.effects.is_touched(record_id)
                if is_mapping
                else self.effects.has_come(format_id, record_id)
            ):
                quarantine.resolve(connection, case_id, now=self.now())
                if not is_mapping:
                    self.effects.accept(prefix, identifier)
        self.effects.write_to(self.counters)

    def merged(self, connection: Connection) -> frozenset[str]:
        """Give the identifiers that were merged into others: they stay tombstones, whatever is harvested."""
        if self._merged is None:
            self._merged = aliases.names(connection, self.source.id)
        return self._merged

    def start_afresh(self) -> None:
        """Forget what was remembered of the store: others may have written to this source since."""
        self._writers.clear()
        self._groups = self._merged = None

    def show(self) -> None:
        """Tell the observer how far we are."""
        self.observer.advanced(self.name, self.counters, self.expected)

    def tally(self) -> None:
        """Take over what the client counted."""
        traffic = self.client.traffic
        self.counters.requests, self.counters.retries = traffic.sent, traffic.retries
        self.counters.bytes = traffic.bytes

    def _writer(self, format_id: int | None) -> PageWriter:
        return PageWriter(
            self.source.id, format_id, run_id=self.run_id, groups=self.groups, tally=self.effects
        )

    def _note_progress(self, connection: Connection) -> None:
        """Write the counters with what they count, so that those of a killed run are right too."""
        self.tally()
        self.effects.write_to(self.counters)
        runs.progress(connection, self.run_id, self.counters, self.claimed)
        if time.monotonic() - self._beaten >= _BEAT_SECONDS:
            self._beaten = time.monotonic()
            leases.beat(connection, leases.lease_name(self.name))


def _laid_to_rest(record: Record) -> Record:
    return Record(record.identifier, record.stamp, (), is_deleted=True)


def _redacted(page: bytes, redact: Callable[[str], str]) -> bytes:
    """Return a page without the secrets that it repeats; all other bytes stay, whatever they encode."""
    return redact(page.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def utc_now() -> datetime:
    """Give the time, aware, to the second."""
    return datetime.now(UTC).replace(microsecond=0)


def describe(exc: BaseException) -> str:
    """Give an error's words with its hint."""
    words, hint = str(exc), exc.hint if isinstance(exc, WindrowError) else ""
    if not hint:
        return words
    return f"{words} {hint}" if words.endswith((".", "!", "?")) else f"{words}. {hint}"
