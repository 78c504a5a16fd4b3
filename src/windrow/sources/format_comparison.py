"""The formats of a repository side by side, on the same records: which one is worth harvesting?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from windrow.errors import BadXml, NotFound, Unreachable, UpstreamBusy, UpstreamError
from windrow.formats.registry import read
from windrow.model.document import Document, LinkKind
from windrow.model.record import Record
from windrow.protocols.oai.oai_request import list_request
from windrow.protocols.oai.page_parser import parse_page
from windrow.protocols.oai.repository_info import MetadataFormat
from windrow.sources.oai_client import OaiClient, as_error
from windrow.sources.repository_findings import reader_name

# Which fields a format fills: documents counted field by field. For `compare`.

Count = Callable[[Document], int]


def _links(kind: LinkKind) -> Count:
    return lambda document: sum(link.kind is kind for link in document.links)


# What a person looks for in a record, in the order in which a page about it would show it.
FIELDS: Mapping[str, Count] = {
    "title": lambda document: len(document.titles),
    "creators": lambda document: len(document.creators),
    "contributors": lambda document: len(document.contributors),
    "year": lambda document: int(document.year is not None),
    "language": lambda document: len(document.languages),
    "type": lambda document: len(document.types),
    "pages": lambda document: int(document.pages is not None),
    "subjects": lambda document: len(document.subjects),
    "keywords": lambda document: len(document.keywords),
    "abstract": lambda document: len(document.descriptions),
    "publisher": lambda document: len(document.publishers),
    "institution": lambda document: int(document.institution is not None),
    "department": lambda document: int(document.department is not None),
    "full-text link": _links(LinkKind.FULLTEXT),
    "landing page": _links(LinkKind.LANDING),
    "identifiers": lambda document: len(document.names),
    "rights": lambda document: len(document.rights),
    "part of": lambda document: len(document.sources),
    "relations": lambda document: len(document.relations),
}
OTHER = "other values"  # no field has a place for them; they are kept all the same


@dataclass(frozen=True, slots=True)
class FieldCoverage:
    """How one field is filled: the share of records that have it, and how many values those have."""

    share: float
    mean: float


@dataclass(frozen=True, slots=True)
class FormatCoverage:
    """A format as it shows in a sample of records; `trouble` says why there are fewer, or none."""

    prefix: str
    reader: str | None  # None: no reader of its own, so fields are picked out by the look of their names
    records: int
    mean_bytes: int
    fills: Mapping[str, FieldCoverage]
    trouble: str = ""

    @property
    def score(self) -> float:
        """How many fields the typical record fills."""
        return sum(fill.share for name, fill in self.fills.items() if name != OTHER)


def measure_coverage(
    prefix: str, documents: Sequence[Document], *, reader: str | None, total_bytes: int, trouble: str = ""
) -> FormatCoverage:
    """Count what these documents hold."""
    if not documents:
        return FormatCoverage(prefix, reader, 0, 0, {}, trouble)
    fills = {
        name: _field_coverage([count(document) for document in documents]) for name, count in FIELDS.items()
    }
    fills[OTHER] = _field_coverage([sum(map(len, document.extra.values())) for document in documents])
    return FormatCoverage(prefix, reader, len(documents), total_bytes // len(documents), fills, trouble)


def _field_coverage(counts: Sequence[int]) -> FieldCoverage:
    having = [count for count in counts if count]
    return FieldCoverage(len(having) / len(counts), sum(having) / len(having) if having else 0.0)


MAX_FAILURES = 5  # single records that fail in a row before a format is given up


@dataclass(frozen=True, slots=True)
class Comparison:
    """Formats in the order in which the repository lists them, drawn from the same records."""

    identifiers: tuple[str, ...]
    portraits: tuple[FormatCoverage, ...]

    @property
    def best(self) -> FormatCoverage | None:
        """The format that fills most fields; of two that fill the same, the one listed first."""
        drawn = [portrait for portrait in self.portraits if portrait.records]
        return max(drawn, key=lambda portrait: portrait.score, default=None)


def compare_formats(
    client: OaiClient,
    *,
    sample: int,
    formats: Sequence[str] = (),
    spec: str | None = None,
    on_step: Callable[[str], None] = lambda _: None,
) -> Comparison:
    """Fetch the same few records in each format and count what each says.

    One list request a format, and single ones for the records that its first page lacks.
    """
    on_step("Formats")
    offered = client.formats()
    wanted = [item for item in offered if not formats or item.prefix in formats]
    lacking = set(formats) - {item.prefix for item in wanted}
    if lacking:
        raise NotFound(
            f"the repository does not offer {', '.join(sorted(lacking))}",
            hint=f"It offers: {', '.join(item.prefix for item in offered)}.",
        )
    sampler = _Sampler(client, sample, spec, on_step)
    portraits = tuple(sampler.draw(item) for item in wanted)
    return Comparison(tuple(sampler.names), portraits)


class _Sampler:
    """Draws formats; the first that has records decides which records all others are asked for."""

    def __init__(
        self, client: OaiClient, sample: int, spec: str | None, on_step: Callable[[str], None]
    ) -> None:
        self.names: list[str] = []
        self._client = client
        self._sample = sample
        self._spec = spec
        self._on_step = on_step

    def draw(self, offered: MetadataFormat) -> FormatCoverage:
        """Return the portrait of one format."""
        prefix, reader = offered.prefix, reader_name(offered)
        listed, trouble = self._listed(prefix)
        if not self.names:
            self.names = list(listed)[: self._sample]
        found = {name: listed[name] for name in self.names if name in listed}
        lacking = [name for name in self.names if name not in found]
        if lacking:
            trouble = self._fetch(prefix, lacking, found) or trouble
        documents, total, unread = _read_all(found.values(), prefix)
        is_whole = documents and len(documents) == len(self.names)
        trouble = "" if is_whole else unread or trouble
        return measure_coverage(prefix, documents, reader=reader, total_bytes=total, trouble=trouble)

    def _listed(self, prefix: str) -> tuple[dict[str, Record], str]:
        """Return the live records on the first page by identifier; nothing and a reason where it fails."""
        self._on_step(f"{prefix}: the first page")
        try:
            request = list_request("ListRecords", prefix=prefix, spec=self._spec)
            page = parse_page(self._client.ask(request).body)
            for fault in page.faults:
                raise as_error(fault)
        except (Unreachable, UpstreamBusy):
            raise
        except UpstreamError as exc:
            return {}, str(exc)
        return {record.identifier: record for record in page.records if record.payload is not None}, ""

    def _fetch(self, prefix: str, names: Sequence[str], found: dict[str, Record]) -> str:
        """Add single records to those found; give why the last that failed did."""
        self._on_step(f"{prefix}: {len(names)} records one by one")
        trouble, failures = "", 0
        for name in names:
            try:
                records = self._client.record(name, prefix=prefix).records
            except (Unreachable, UpstreamBusy):
                raise
            except UpstreamError as exc:
                trouble, failures = str(exc), failures + 1
                if failures >= MAX_FAILURES:
                    break
                continue
            failures = 0
            found |= {record.identifier: record for record in records if record.payload is not None}
        return trouble


def _read_all(records: Iterable[Record], prefix: str) -> tuple[list[Document], int, str]:
    """Return the documents of the records that can be read, their bytes, and why the last other one cannot."""
    documents, total, trouble = [], 0, ""
    for record in records:
        payload = record.payload or b""
        try:
            documents.append(read(payload, record.declarations, prefix))
        except BadXml as exc:
            trouble = str(exc)
            continue
        total += len(payload)
    return documents, total, trouble
