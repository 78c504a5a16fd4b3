"""The state that the stages of one OAI-PMH run share, with the samples and damaged pages it keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from windrow.config.source_kinds import RepositorySettings
from windrow.errors import BadXml, unwritable
from windrow.formats.registry import read
from windrow.harvest.intake import Intake
from windrow.harvest.options import HarvestOptions, Observer, Stopper
from windrow.harvest.run import Attempt
from windrow.model.field_gaps import LIMITS, Gap, is_excused, is_unusual, missing_fields
from windrow.model.record import Granularity, Record, Reject, parse_granularity
from windrow.model.run import Counters, Severity
from windrow.permissions import make_folder
from windrow.sources.oai_client import OaiClient
from windrow.store import sources
from windrow.store.connection import Connection
from windrow.store.records.page_writer import RecordMarks

# Damaged pages are kept unchanged: the operator needs them as evidence for the provider.

MAX_ARCHIVED_PAGES = 50  # per run
MAX_ARCHIVED_BYTES = 64 * 1024 * 1024  # per run


class PageArchive:
    """Keeps damaged pages of one run as files in the library."""

    def __init__(self, folder: Path, run_id: int) -> None:
        self._folder = folder / "files" / "kept-pages"
        self._library = folder
        self._run_id = run_id
        self._count = 0
        self._bytes = 0

    def keep(self, body: bytes) -> str | None:
        """Keep a page and return its path inside the library; None when the run has kept enough."""
        if self._count >= MAX_ARCHIVED_PAGES or self._bytes + len(body) > MAX_ARCHIVED_BYTES:
            return None
        self._count += 1
        self._bytes += len(body)
        path = self._folder / f"run-{self._run_id}-page-{self._count}.xml"
        try:
            make_folder(self._folder, self._library)
            path.write_bytes(body)
        except OSError as exc:
            raise unwritable(path, exc) from exc
        return str(path.relative_to(self._library))


# A sample of the records of a run. A note reports the fields that an unusual share of them lacks. The
# payloads of a few hundred records are set aside and parsed when the run ends, which takes some hundredths of
# a second, however large the harvest.

MAX_SAMPLES = 200  # per format
MAX_SAMPLE_BYTES = 100_000  # longer records are skipped: the text of whole books is no measure of metadata


@dataclass(slots=True)
class Sample:
    """Records of one format, spaced evenly over the run: the sampling rate falls as more records arrive."""

    records: list[Record] = field(default_factory=list)
    _seen: int = 0
    _every: int = 1

    def add(self, page: Sequence[Record]) -> None:
        chosen = page[-self._seen % self._every :: self._every]
        self._seen += len(page)
        self.records += [each for each in chosen if 0 < len(each.payload or b"") <= MAX_SAMPLE_BYTES]
        while len(self.records) > MAX_SAMPLES:
            self.records, self._every = self.records[::2], self._every * 2


@dataclass(slots=True)
class Samples:
    """The samples of a run by format."""

    by_format: dict[str, Sample] = field(default_factory=dict)

    def add(self, prefix: str, page: Sequence[Record]) -> None:
        if page:
            self.by_format.setdefault(prefix, Sample()).add(page)

    def gaps(self) -> Iterator[Gap]:
        """Yield the fields that too many of the records lack in every format."""
        counted = [found for each in self.by_format.items() if (found := _count(*each)) is not None]
        for name in LIMITS:
            # What one format lacks another may have, so the format with the fewest gaps counts.
            gaps = [
                Gap(name, missing[name], records - excused[name], examples.get(name, ""))
                for records, missing, excused, examples in counted
            ]
            least = min(gaps, key=lambda gap: gap.missing / max(gap.records, 1), default=None)
            if least is not None and is_unusual(name, least.missing, least.records, self.by_format):
                yield least


_Counts = tuple[int, Counter[str], Counter[str], dict[str, str]]


def _count(prefix: str, sample: Sample) -> _Counts | None:
    missing, excused, examples, records = Counter[str](), Counter[str](), dict[str, str](), 0
    for record in sample.records:
        try:
            document = read(record.payload or b"", record.declarations, prefix)
        except BadXml:
            continue
        records += 1
        excused.update(name for name in LIMITS if is_excused(name, document))
        for name in missing_fields(document):
            missing[name] += 1
            examples.setdefault(name, record.identifier)
    return (records, missing, excused, examples) if records else None


@dataclass(slots=True, kw_only=True)
class HarvestContext(Intake):
    """The state that the stages of one source's run share."""

    settings: RepositorySettings
    options: HarvestOptions
    client: OaiClient
    keeper: PageArchive
    identity: dict[str, object]
    expected: int | None = None  # best estimate, for the progress bar
    is_reduced: bool = False  # the repository lists far fewer records than the library holds
    is_unsized: bool = False  # some list of several pages has no stated size
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
    ) -> HarvestContext:
        work = cls(
            attempt=attempt,
            settings=settings,
            options=options or HarvestOptions(),
            client=client,
            keeper=PageArchive(folder, attempt.run_id),
            identity=dict(attempt.source.identity),
            expected=expected,
        )
        attempt.before_end, attempt.redact = work.tally, client.redact
        return work

    @property
    def name(self) -> str:
        return self.settings.name

    @property
    def observer(self) -> Observer:
        return self.attempt.observer

    @property
    def stopper(self) -> Stopper:
        return self.attempt.stopper

    @property
    def claimed(self) -> int | None:
        """The number of entries in all lists of this run, as stated by the repository."""
        return self.attempt.claimed

    @claimed.setter
    def claimed(self, number: int | None) -> None:
        self.attempt.claimed = number

    @property
    def granularity(self) -> Granularity:
        """The granularity of datestamps: configured, else negotiated, else from Identify, else a day."""
        if self.settings.granularity != "auto":
            return Granularity(self.settings.granularity)
        found = self.identity.get("negotiated")
        if isinstance(found, str):
            return Granularity(found)
        return parse_granularity(str(self.identity.get("granularity", ""))) or Granularity.DAY

    @property
    def earliest(self) -> str:
        """The repository's stated earliest datestamp; a hint, never a bound."""
        return str(self.identity.get("earliest", ""))

    def learn(self, **facts: object) -> None:
        """Store facts about the repository for this run and later ones."""
        self.identity.update(facts)
        with self.store.writing() as connection:
            sources.note(connection, self.source.id, identity=self.identity)

    def note(
        self,
        code: str,
        message: str,
        *,
        weight: Severity = Severity.PROBLEM,
        url: str | None = None,
        body: bytes | None = None,
    ) -> None:
        """Record a problem; `body` is kept as a file."""
        is_recorded = body is not None and self.attempt.has_room(weight)
        kept = self.keeper.keep(_redact(body, self.client.redact)) if body and is_recorded else None
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
        merged = self.merged(connection)
        found = [each for each in records if each.identifier not in merged] if merged else records
        self.samples.add(prefix, found)
        rejects = [replace(each, reason=self.client.redact(each.reason)) for each in rejects]
        return super(HarvestContext, self).put(connection, prefix, records, rejects, marks=marks)

    def show(self) -> None:
        self.observer.advanced(self.name, self.counters, self.expected)

    def tally(self) -> None:
        traffic = self.client.traffic
        self.counters.requests, self.counters.retries = traffic.sent, traffic.retries
        self.counters.bytes = traffic.bytes


def _redact(page: bytes, redact: Callable[[str], str]) -> bytes:
    """Remove secrets from a page. All other bytes are kept, in any encoding."""
    return redact(page.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
