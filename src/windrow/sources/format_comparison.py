"""Comparison of a repository's metadata formats on the same records: which one is worth harvesting?"""

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

# Coverage: which fields a format fills, counted over documents.

Count = Callable[[Document], int]


def _links(kind: LinkKind) -> Count:
    return lambda document: sum(link.kind is kind for link in document.links)


# The fields that people look for in a record, in the order of a record page.
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
OTHER = "other values"  # values without a field of their own, which are kept all the same


@dataclass(frozen=True, slots=True)
class FieldCoverage:
    """Coverage of one field: the share of records that have it, and the number of its values."""

    share: float
    mean: float


@dataclass(frozen=True, slots=True)
class FormatCoverage:
    """The coverage of a format in a sample of records; `trouble` is why there are fewer records, or none."""

    prefix: str
    reader: str | None  # None: there is no reader for it, so fields are guessed from element names
    records: int
    mean_bytes: int
    fills: Mapping[str, FieldCoverage]
    trouble: str = ""

    @property
    def score(self) -> float:
        """The number of fields that a typical record fills."""
        return sum(fill.share for name, fill in self.fills.items() if name != OTHER)


def measure_coverage(
    prefix: str, documents: Sequence[Document], *, reader: str | None, total_bytes: int, trouble: str = ""
) -> FormatCoverage:
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


MAX_FAILURES = 5  # consecutive failures of single records before a format is abandoned


@dataclass(frozen=True, slots=True)
class Comparison:
    """The formats in the order of the repository, measured on the same records."""

    identifiers: tuple[str, ...]
    portraits: tuple[FormatCoverage, ...]

    @property
    def best(self) -> FormatCoverage | None:
        """The format with the highest score; of several, the one listed first."""
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
    """Fetch the same few records in each format and measure their coverage.

    Takes one list request per format, and single requests for records missing from its first page.
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
    """Samples formats; the first one with records determines which records the others are asked for."""

    def __init__(
        self, client: OaiClient, sample: int, spec: str | None, on_step: Callable[[str], None]
    ) -> None:
        self.names: list[str] = []
        self._client = client
        self._sample = sample
        self._spec = spec
        self._on_step = on_step

    def draw(self, offered: MetadataFormat) -> FormatCoverage:
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
        """Return the live records of the first page by identifier; on failure none, with a reason."""
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
        """Add single records to those found; return the reason of the last failure."""
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
    """Return the documents of the readable records, their total bytes, and the last error."""
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
