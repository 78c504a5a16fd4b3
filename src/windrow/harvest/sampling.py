"""A sample of what a run brought, and what an unusual share of it lacks: a note of the run.

A few hundred records are put aside as they came and read when the run ends. That takes some hundredths
of a second, whatever the harvest brought.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from windrow.errors import BadXml
from windrow.formats.registry import read
from windrow.model.field_gaps import LIMITS, Gap, is_excused, is_unusual, missing_fields
from windrow.model.record import Record

MOST_SAMPLES = 200  # of each format
LONGEST_SAMPLE_BYTES = 100_000  # longer records are left out: text of whole books is no measure of metadata


@dataclass(slots=True)
class Sample:
    """Records of one format, taken evenly from all that came: every one at first, then fewer and fewer."""

    records: list[Record] = field(default_factory=list)
    _seen: int = 0
    _every: int = 1

    def add(self, page: Sequence[Record]) -> None:
        """Take some records of a page."""
        chosen = page[-self._seen % self._every :: self._every]
        self._seen += len(page)
        self.records += [each for each in chosen if 0 < len(each.payload or b"") <= LONGEST_SAMPLE_BYTES]
        while len(self.records) > MOST_SAMPLES:
            self.records, self._every = self.records[::2], self._every * 2


@dataclass(slots=True)
class Samples:
    """The samples of a run, one for each format."""

    by_format: dict[str, Sample] = field(default_factory=dict)

    def add(self, prefix: str, page: Sequence[Record]) -> None:
        """Take some records of a page in a format."""
        if page:
            self.by_format.setdefault(prefix, Sample()).add(page)

    def gaps(self) -> Iterator[Gap]:
        """Yield the fields that too many of the records lack, whatever format they came in."""
        counted = [found for each in self.by_format.items() if (found := _count(*each)) is not None]
        for name in LIMITS:
            # What one format lacks another may have: the fullest counts.
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
