"""The metadata formats of a repository: which there are, and which records are there in one of them.

What was harvested leaves as it came. `oai_dc` is there for every record: where it was not harvested, it is
written from what was. Some sources render more when asked. The writing and rendering is done in `making`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol

from windrow.errors import BadXml
from windrow.formats.dublin_core.oai_dc import write_oai_dc
from windrow.formats.known_formats import describe_payload, known_format, richness_rank
from windrow.formats.registry import read
from windrow.protocols.oai.provider_request import is_prefix
from windrow.protocols.oai.repository_info import MetadataFormat
from windrow.store.published import selection
from windrow.store.published.record_listing import RecordListing, Row

# What a source may do for its repository beyond what is stored; `wiring` hands it over.


class DerivedRenderer(Protocol):
    """Renders some records, one after the other, for one answer."""

    def render(self, identifier: str, prefix: str, stored: Mapping[str, bytes]) -> bytes | None:
        """Return a record's payload in a format; None when there is no such record any more."""


class FormatDeriver(Protocol):
    """Renders formats when they are asked for, and knows who may see what."""

    @property
    def formats(self) -> Mapping[str, tuple[str, str]]:
        """The schema and the namespace of each format it renders, by prefix."""

    def renderer(self) -> DerivedRenderer:
        """What renders, from now on: it may remember what it saw at the source, so it is for one answer."""

    def may_see(self, guard: str, username: str | None, password: str | None) -> bool:
        """Return whether these credentials open what is guarded."""


OAI_DC = "oai_dc"
SAMPLE_RECORDS = 5  # of a format, to learn its namespace from one that can be read


class OfferedFormats:
    """The formats of one repository, as they were when it was made."""

    def __init__(
        self,
        offering: RecordListing,
        sources: Mapping[int, str],
        derivers: Mapping[str, FormatDeriver],
        schemas: Mapping[str, str],
    ) -> None:
        self._offering = offering
        self._schemas = schemas  # of formats that are our own, by prefix
        self._ids = selection.list_formats(offering)
        self._prefixes = {number: prefix for prefix, number in self._ids.items()}
        self._derivers = {number: derivers[name] for number, name in sources.items() if name in derivers}
        self._stored = selection.prefixes_by_source(offering, tuple(sources))
        self._facts: dict[str, MetadataFormat] = {}
        self.prefixes = self._all()

    def facts(self, prefix: str) -> MetadataFormat:
        """Return what ListMetadataFormats says of a format."""
        found = self._facts.get(prefix)
        if found is None:
            found = self._facts[prefix] = self._describe(prefix)
        return found

    def number(self, prefix: str) -> int | None:
        """Return the number of a format that is stored; None for others."""
        return self._ids.get(prefix)

    def sources(self, prefix: str) -> tuple[int, ...]:
        """Return the sources that have records in a format."""
        if prefix == OAI_DC:
            return tuple(self._stored)
        return tuple(
            source
            for source, stored in self._stored.items()
            if prefix in stored or self._is_derived(source, prefix)
        )

    def is_made(self, source: int, prefix: str) -> bool:
        """Return whether every live record of a source is there in a format, stored in it or not."""
        return prefix == OAI_DC or self._is_derived(source, prefix)

    def of_record(self, row: Row) -> list[str]:
        """Return the formats that one live record is there in."""
        numbers = self._offering.formats_of(row[0])
        held = [self._prefixes[number] for number in numbers if number in self._prefixes]
        derived = self._derivers[row[1]].formats if row[1] in self._derivers else ()
        return [prefix for prefix in dict.fromkeys((OAI_DC, *held, *derived)) if is_prefix(prefix)]

    def renderer(self, source: int, prefix: str) -> DerivedRenderer | None:
        """Return what renders the records of a source in a format for one answer; None: nobody does."""
        return self._derivers[source].renderer() if self._is_derived(source, prefix) else None

    def held(self, numbers: Sequence[int]) -> dict[int, dict[str, tuple[bytes, bytes, bytes]]]:
        """Return what records have, by prefix: the payload, the declarations around it, `about` after it.

        Of large ones only the first are given.
        """
        return {
            number: {
                self._prefixes[format_id]: payload
                for format_id, payload in stored.items()
                if format_id in self._prefixes
            }
            for number, stored in self._offering.held(numbers).items()
        }

    def may_see(self, source: int, guard: str, credentials: tuple[str, str] | None) -> bool:
        """Return whether somebody may see what a source guards; what nobody answers for stays hidden."""
        deriver = self._derivers.get(source)
        username, password = credentials or (None, None)
        return deriver is not None and deriver.may_see(guard, username, password)

    def _all(self) -> tuple[str, ...]:
        """Every prefix, `oai_dc` first; what the protocol has no spelling for cannot be asked for."""
        stored = sorted({prefix for prefixes in self._stored.values() for prefix in prefixes})
        derived = [prefix for deriver in self._derivers.values() for prefix in deriver.formats]
        return tuple(prefix for prefix in dict.fromkeys((OAI_DC, *stored, *derived)) if is_prefix(prefix))

    def _is_derived(self, source: int, prefix: str) -> bool:
        return source in self._derivers and prefix in self._derivers[source].formats

    def _describe(self, prefix: str) -> MetadataFormat:
        for deriver in self._derivers.values():
            if prefix in deriver.formats:
                return MetadataFormat(prefix, *deriver.formats[prefix])
        usual, number = known_format(prefix), self._ids.get(prefix)
        sampled = None if number is None or prefix == OAI_DC else self._sample(number)
        if sampled is None:
            return MetadataFormat(prefix, *(usual or (self._schemas.get(prefix, ""),)))
        schema, namespace = describe_payload(*sampled[:2])
        if usual is not None and namespace in ("", usual.namespace):
            schema, namespace = schema or usual.schema, usual.namespace
        return MetadataFormat(prefix, schema or self._schemas.get(prefix, ""), namespace)

    def _sample(self, format_id: int) -> Sequence[bytes] | None:
        records = selection.sample_records(self._offering, format_id, SAMPLE_RECORDS)
        found = (self._offering.held((record,)).get(record, {}).get(format_id) for record in records)
        return next(filter(None, found), None)


# Payloads that are not stored in the format asked for, made for one answer.
# Beside `formats`, which knows what can be made; `records` asks for one after the other.

_BATCH_RECORDS = 100  # records read at once: the page may be full before the last of many

# A payload, the declarations around it, `about` after it, by prefix.
StoredPayloads = Mapping[str, tuple[bytes, bytes, bytes]]


class HarvestedPayload(NamedTuple):
    """How a record came: in which format, and what was said about it, with the declarations around that."""

    prefix: str
    declarations: bytes = b""
    about: bytes = b""


class PayloadMaker:
    """Makes payloads of some records in one format: a crosswalk, or what their source derives."""

    def __init__(self, formats: OfferedFormats, rows: Sequence[Row], prefix: str) -> None:
        """`rows` are the records in the order in which they will be asked for."""
        self._formats = formats
        self._prefix = prefix
        self._numbers = [row[0] for row in rows]
        self._places = {number: place for place, number in enumerate(self._numbers)}
        self._held: Mapping[int, StoredPayloads] = {}
        self._renderers: dict[int, DerivedRenderer | None] = {}

    def make(self, row: Row) -> tuple[bytes, HarvestedPayload] | None:
        """Return the payload of a record, and what it was made of.

        None where it is gone, or there is nothing to make it of.
        """
        held, renderer = self._read(row[0]), self._renderer(row[1])
        if renderer is not None:
            rendered = renderer.render(row[2], self._prefix, {name: each[0] for name, each in held.items()})
            return None if rendered is None else (rendered, HarvestedPayload(self._prefix))
        if self._prefix == OAI_DC:
            for name in sorted(held, key=richness_rank):
                payload, declarations, about = held[name]
                with suppress(BadXml):
                    made = write_oai_dc(read(payload, declarations, name))
                    return made, HarvestedPayload(name, declarations, about)
        return None

    def _renderer(self, source: int) -> DerivedRenderer | None:
        if source not in self._renderers:
            self._renderers[source] = self._formats.renderer(source, self._prefix)
        return self._renderers[source]

    def _read(self, number: int) -> StoredPayloads:
        if number not in self._held:
            place = self._places[number]
            self._held = self._formats.held(self._numbers[place : place + _BATCH_RECORDS])
        return self._held[number]
