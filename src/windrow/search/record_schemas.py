"""Record schemas: the formats in which SRU and Z39.50 return a record.

`dc`, `marcxml`, `mods` and `windrow` are available for every record. Harvested MARC and MODS are returned
unchanged; otherwise they are written from the document. Each harvested format is a schema of its own name. A
database may add others (`Record.rendered`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lxml import etree

from windrow.formats import mods, windrow_record
from windrow.formats.dublin_core.oai_dc import SRW_NAMESPACE, write_srw_dc
from windrow.formats.known_formats import describe_payload, known_format
from windrow.formats.marc import marcxml
from windrow.formats.marc.marc_record import SCHEMA as MARC_SCHEMA
from windrow.formats.marc.marc_record import MarcRecord, marc_in, write_iso2709, write_marc, write_marcxml
from windrow.formats.mods import SCHEMA as MODS_SCHEMA
from windrow.formats.mods import write_mods
from windrow.formats.registry import parse_payload
from windrow.formats.windrow_record import NAMESPACE as WINDROW
from windrow.formats.windrow_record import write_windrow as _write_windrow
from windrow.search.databases import Record
from windrow.store.published import selection
from windrow.store.records.record_reader import StoredPayload
from windrow.store.store import Store


@dataclass(frozen=True, slots=True)
class RecordSchema:
    """A schema: its name in requests, its URI and its title."""

    name: str
    identifier: str
    title: str
    namespace: str
    location: str = ""  # the address of its XML Schema


DC = RecordSchema(
    "dc",
    "info:srw/schema/1/dc-v1.1",
    "Dublin Core",
    SRW_NAMESPACE,
    "http://www.loc.gov/standards/sru/recordSchemas/dc-schema.xsd",
)
MARCXML = RecordSchema(
    "marcxml", "info:srw/schema/1/marcxml-v1.1", "MARC 21 in XML", marcxml.NAMESPACE, MARC_SCHEMA
)
MODS = RecordSchema("mods", "info:srw/schema/1/mods-v3.7", "MODS", mods.NAMESPACE, MODS_SCHEMA)
OWN = RecordSchema("windrow", WINDROW, "Everything that Windrow knows of a record, with its events", WINDROW)
ZTHES = RecordSchema(
    "zthes", "http://zthes.z3950.org/xml/1.0/", "Zthes", "", "http://zthes.z3950.org/schema/zthes-1.0.dtd"
)
WRITTEN = (DC, MARCXML, MODS, OWN)  # available for every record of the library
_BY_NAME = {schema.name: schema for schema in (*WRITTEN, ZTHES)}
# Aliases and URIs of the same schemas; other MODS versions differ only in rarely used elements.
_ALIASES = {
    "oai_dc": "oai_dc",
    "info:srw/schema/1/dc-v1.0": "dc",
    "http://purl.org/dc/elements/1.1/": "dc",
    SRW_NAMESPACE: "dc",
    "marc": "marcxml",
    "marc21": "marcxml",
    "info:srw/schema/1/marcxml-v1.0": "marcxml",
    marcxml.NAMESPACE: "marcxml",
    mods.NAMESPACE: "mods",
    **{f"info:srw/schema/1/mods-v3.{minor}": "mods" for minor in range(9)},
    windrow_record.NAMESPACE: "windrow",
}


def describe_schema(name: str) -> RecordSchema:
    """Return a schema by its name; an unknown name is a harvested format."""
    found = _BY_NAME.get(name)
    if found is not None:
        return found
    known = known_format(name)
    namespace = known.namespace if known else ""
    return RecordSchema(
        name, namespace or f"urn:windrow:format:{name}", name, namespace, known.schema if known else ""
    )


def find_schema(text: str, names: Iterable[str]) -> RecordSchema | None:
    """Return the schema with this name or URI, ignoring case, or None."""
    offered = {name.casefold(): name for name in names}
    wanted = text.strip().casefold()
    if wanted in offered:
        return describe_schema(offered[wanted])
    alias = _ALIASES.get(text.strip()) or _ALIASES.get(wanted)
    if alias in offered.values():
        return describe_schema(alias or "")
    described = (describe_schema(name) for name in offered.values())
    return next((schema for schema in described if schema.identifier.casefold() == wanted), None)


def schema_lister(store: Store) -> Callable[[Sequence[str] | None], Sequence[str]]:
    """Return a function that lists the schema names of some sources' records (None: of all)."""

    def names(sources: Sequence[str] | None) -> Sequence[str]:
        with store.reading() as connection:
            known = {} if sources is None else selection.read_source_ids(connection)
            wanted = None if sources is None else [known[name] for name in sources if name in known]
            harvested = selection.known_prefixes(connection, wanted)
        return tuple(dict.fromkeys((*(schema.name for schema in WRITTEN), *harvested)))

    return names


def render_record(record: Record, schema: str) -> bytes | None:
    """Return a record as one standalone XML element in UTF-8; None if it has no such format.

    Harvested metadata is checked for well-formedness before it becomes part of a response.
    """
    given = record.rendered.get(schema)
    if given is not None:
        return given
    if schema == DC.name:
        return write_srw_dc(record.document)
    if schema == OWN.name:
        return _write_windrow(record.document, record.identifier, source=record.source, stamp=record.stamp)
    if schema == MARCXML.name:
        return _payload_in(record, marcxml.NAMESPACE) or write_marcxml(to_marc(record))
    if schema == MODS.name:
        harvested = _payload_in(record, mods.NAMESPACE)
        return harvested or write_mods(record.document, record.identifier, source=record.source)
    found = next((each for each in record.payloads if each.prefix == schema), None)
    element = None if found is None else _element(found)
    return None if element is None else _written(element)


def to_marc(record: Record) -> MarcRecord:
    """Return a record in MARC 21: as harvested where possible, else written from its document."""
    for payload in record.payloads:
        if _namespace(payload) == marcxml.NAMESPACE:
            try:
                root = parse_payload(payload.data, payload.declarations)
            except etree.XMLSyntaxError:
                continue
            found = marc_in(root)
            if found is not None:
                return found
    return write_marc(record.document, record.identifier, source=record.source, changed=record.changed)


def render_iso2709(record: Record) -> bytes:
    """Return a record in MARC 21 as ISO 2709, in UTF-8."""
    return write_iso2709(to_marc(record))


def render_text(record: Record) -> str:
    """Return a record as labelled lines of text (SUTRS)."""
    root = etree.fromstring(
        _write_windrow(record.document, record.identifier, source=record.source, stamp=record.stamp)
    )
    return "".join(_lines(root))


def _lines(root: etree._Element) -> Iterable[str]:
    for element in root:
        name = etree.QName(element).localname
        values = [" ".join((each.text or "").split()) for each in element.iter() if (each.text or "").strip()]
        if values:
            yield f"{name.capitalize()}: {'; '.join(values)}\n"


def _payload_in(record: Record, namespace: str) -> bytes | None:
    """Return the harvested payload that is a single record of a namespace, not a collection."""
    for payload in record.payloads:
        element = _element(payload) if _namespace(payload) == namespace else None
        if element is not None and not etree.QName(element).localname.lower().endswith("collection"):
            return _written(element)
    return None


def _namespace(payload: StoredPayload) -> str:
    return _described(payload.data[:2000], payload.declarations)


@lru_cache(maxsize=1024)
def _described(start: bytes, declarations: bytes) -> str:
    return describe_payload(start, declarations).namespace


def _element(payload: StoredPayload) -> etree._Element | None:
    """Return the root element of a payload; None for one that would make a response ill-formed."""
    try:
        envelope = parse_payload(payload.data, payload.declarations)
    except etree.XMLSyntaxError:
        return None
    return envelope[0] if len(envelope) == 1 else None


def _written(element: etree._Element) -> bytes:
    return etree.tostring(element, encoding="unicode", with_tail=False).encode("utf-8", "replace")
