"""One run under way: what it works with, what it has counted, what it must tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from windrow.config.source_kinds import RepositorySettings
from windrow.harvest.intake import Intake
from windrow.harvest.kept import Keeper
from windrow.harvest.observer import Observer
from windrow.harvest.options import HarvestOptions
from windrow.harvest.run import Attempt
from windrow.harvest.sampling import Samples
from windrow.harvest.stopping import Stopper
from windrow.model.record import Record, Reject
from windrow.model.run import Counters, Weight
from windrow.model.stamp import Granularity, read_granularity
from windrow.sources.oai import OaiClient
from windrow.store import sources
from windrow.store.connection import Connection
from windrow.store.writer import RecordMarks


@dataclass(slots=True, kw_only=True)
class Work(Intake):
    """Everything that the stages of one source's run share."""

    settings: RepositorySettings
    options: HarvestOptions
    client: OaiClient
    keeper: Keeper
    identity: dict[str, object]
    expected: int | None = None  # the best guess, for the progress bar
    is_reduced: bool = False  # the repository lists far less than the library holds
    is_unsized: bool = False  # it states no size of a list that takes several pages
    samples: Samples = field(default_factory=Samples)

    @classmethod
    def of(
        cls,
        attempt: Attempt,
        settings: RepositorySettings,
        client: OaiClient,
        *,
        folder: Path,
        options: HarvestOptions | None = None,
        expected: int | None = None,
    ) -> Work:
        """Return the work of a run; `folder` is the library's."""
        work = cls(
            attempt=attempt,
            settings=settings,
            options=options or HarvestOptions(),
            client=client,
            keeper=Keeper(folder, attempt.run_id),
            identity=dict(attempt.source.identity),
            expected=expected,
        )
        attempt.before_end, attempt.redact = work.tally, client.redact
        return work

    @property
    def name(self) -> str:
        """The source's name."""
        return self.settings.name

    @property
    def observer(self) -> Observer:
        """Who watches the run."""
        return self.attempt.observer

    @property
    def stopper(self) -> Stopper:
        """The way to stop the run."""
        return self.attempt.stopper

    @property
    def claimed(self) -> int | None:
        """How many entries all lists of this run hold, by the repository's own account."""
        return self.attempt.claimed

    @claimed.setter
    def claimed(self, number: int | None) -> None:
        self.attempt.claimed = number

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
        is_recorded = body is not None and self.attempt.has_room(weight)
        kept = self.keeper.keep(_redacted(body, self.client.redact)) if body and is_recorded else None
        self.attempt.note(code, message, weight=weight, url=url, kept=kept)

    def put(
        self,
        connection: Connection,
        prefix: str,
        records: Sequence[Record],
        rejects: Sequence[Reject] = (),
        *,
        marks: RecordMarks | None = None,
    ) -> Counters:
        """Store records and quarantine rejects as any run does, and take samples of them."""
        merged = self.merged(connection)
        found = [each for each in records if each.identifier not in merged] if merged else records
        self.samples.add(prefix, found)
        rejects = [replace(each, reason=self.client.redact(each.reason)) for each in rejects]
        return super(Work, self).put(connection, prefix, records, rejects, marks=marks)

    def show(self) -> None:
        """Tell the observer how far we are."""
        self.observer.advanced(self.name, self.counters, self.expected)

    def tally(self) -> None:
        """Take over what the client counted."""
        traffic = self.client.traffic
        self.counters.requests, self.counters.retries = traffic.sent, traffic.retries
        self.counters.bytes = traffic.bytes


def _redacted(page: bytes, redact: Callable[[str], str]) -> bytes:
    """Return a page without the secrets that it repeats; all other bytes stay, whatever they encode."""
    return redact(page.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
