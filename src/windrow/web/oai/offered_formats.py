"""The metadata formats of a repository, and payloads in formats that are not stored.

Harvested payloads are disseminated unchanged. Every record has `oai_dc`: where it was not harvested, it is
mapped from another format. Some sources derive further formats on request.
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


class DerivedRenderer(Protocol):
    """Renders records one after the other, for one response."""

    def render(self, identifier: str, prefix: str, stored: Mapping[str, bytes]) -> bytes | None:
        """Return a record's payload in a format; None if the record no longer exists."""


class FormatDeriver(Protocol):
    """Derives formats of a source on request, and checks access to guarded records. `wiring` provides it."""

    @property
    def formats(self) -> Mapping[str, tuple[str, str]]:
        """Return the schema and namespace of each derived format, by prefix."""

    def renderer(self) -> DerivedRenderer:
        """Return a renderer for one response, which may cache what it reads from the source."""

    def may_see(self, guard: str, username: str | None, password: str | None) -> bool:
        """Return whether these credentials give access to guarded records."""


OAI_DC = "oai_dc"
SAMPLE_RECORDS = 5  # of a format, to find its namespace in one that can be parsed


class OfferedFormats:
    """A snapshot of the formats of one repository."""

    def __init__(
        self,
        offering: RecordListing,
        sources: Mapping[int, str],
        derivers: Mapping[str, FormatDeriver],
        schemas: Mapping[str, str],
    ) -> None:
        self._offering = offering
        self._schemas = schemas  # of our own formats, by prefix
        self._ids = selection.list_formats(offering)
        self._prefixes = {number: prefix for prefix, number in self._ids.items()}
        self._derivers = {number: derivers[name] for number, name in sources.items() if name in derivers}
        self._stored = selection.prefixes_by_source(offering, tuple(sources))
        self._facts: dict[str, MetadataFormat] = {}
        self.prefixes = self._all()

    def facts(self, prefix: str) -> MetadataFormat:
        """Return the ListMetadataFormats entry of a format."""
        found = self._facts.get(prefix)
        if found is None:
            found = self._facts[prefix] = self._describe(prefix)
        return found

    def number(self, prefix: str) -> int | None:
        """Return the number of a stored format; None for others."""
        return self._ids.get(prefix)

    def sources(self, prefix: str) -> tuple[int, ...]:
        if prefix == OAI_DC:
            return tuple(self._stored)
        return tuple(
            source
            for source, stored in self._stored.items()
            if prefix in stored or self._is_derived(source, prefix)
        )

    def is_made(self, source: int, prefix: str) -> bool:
        """Return whether all live records of a source are available in a format, stored in it or not."""
        return prefix == OAI_DC or self._is_derived(source, prefix)

    def of_record(self, row: Row) -> list[str]:
        numbers = self._offering.formats_of(row[0])
        held = [self._prefixes[number] for number in numbers if number in self._prefixes]
        derived = self._derivers[row[1]].formats if row[1] in self._derivers else ()
        return [prefix for prefix in dict.fromkeys((OAI_DC, *held, *derived)) if is_prefix(prefix)]

    def renderer(self, source: int, prefix: str) -> DerivedRenderer | None:
        """Return the renderer of a source's derived format for one response; None if it derives none."""
        return self._derivers[source].renderer() if self._is_derived(source, prefix) else None

    def held(self, numbers: Sequence[int]) -> dict[int, dict[str, tuple[bytes, bytes, bytes]]]:
        """Return the payloads of records by prefix, each with its declarations and `about`.

        Of large payloads only the beginning is returned.
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
        """Return whether credentials give access to what a source guards; always False without a deriver."""
        deriver = self._derivers.get(source)
        username, password = credentials or (None, None)
        return deriver is not None and deriver.may_see(guard, username, password)

    def _all(self) -> tuple[str, ...]:
        """Return all prefixes, `oai_dc` first, without those that the protocol does not allow."""
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


# Payloads made for one response, because they are not stored in the requested format.

_BATCH_RECORDS = 100  # records read at a time: the page may be full before the last of many

# A payload, the declarations around it, and its `about`, by prefix.
StoredPayloads = Mapping[str, tuple[bytes, bytes, bytes]]


class HarvestedPayload(NamedTuple):
    """The format a record was harvested in, and its `about` containers with the declarations around them."""

    prefix: str
    declarations: bytes = b""
    about: bytes = b""


class PayloadMaker:
    """Makes the payloads of some records in one format, by a crosswalk or by their source."""

    def __init__(self, formats: OfferedFormats, rows: Sequence[Row], prefix: str) -> None:
        """`rows` are the records in the order in which they will be requested."""
        self._formats = formats
        self._prefix = prefix
        self._numbers = [row[0] for row in rows]
        self._places = {number: place for place, number in enumerate(self._numbers)}
        self._held: Mapping[int, StoredPayloads] = {}
        self._renderers: dict[int, DerivedRenderer | None] = {}

    def make(self, row: Row) -> tuple[bytes, HarvestedPayload] | None:
        """Return the payload of a record, and what it was made from.

        None if the record no longer exists, or has no format to make it from.
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
