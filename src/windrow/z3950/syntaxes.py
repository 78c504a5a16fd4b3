"""Record syntaxes: rendering of records as SUTRS, GRS-1, MARC 21 or XML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from windrow.errors import RpnError
from windrow.protocols.z3950 import z3950_registry
from windrow.protocols.z3950.asn1 import TEXT, External
from windrow.protocols.z3950.grs1 import encode_record, gils_elements
from windrow.protocols.z3950.z3950_registry import Diagnostic, Profile
from windrow.search.databases import Database, Record
from windrow.search.record_schemas import find_schema, render_iso2709, render_record, render_text

BRIEF, FULL = "B", "F"
APPLICATION_XML = "1.2.840.10003.5.109.11"
SYNTAXES = {
    z3950_registry.XML: "XML",
    APPLICATION_XML: "XML",
    z3950_registry.USMARC: "MARC 21",
    z3950_registry.GRS_1: "GRS-1",
    z3950_registry.SUTRS: "SUTRS",
}
_GRS_SCHEMAS = (None, z3950_registry.GILS_SCHEMA)


@dataclass(frozen=True, slots=True)
class Composition:
    """The syntax, schema and element set that a client requests."""

    syntax: str = z3950_registry.XML
    schema: str | None = None  # an object identifier or a URI
    element_set: str | None = None

    def check(self, database: Database) -> str:
        """Return the schema of XML records, else ""; raise RpnError for an unsupported combination."""
        if self.syntax not in SYNTAXES:
            raise RpnError(Diagnostic.SYNTAX_UNSUPPORTED, self.syntax)
        if SYNTAXES[self.syntax] == "XML":
            return self._xml_schema(database)
        if self.element_set not in (None, BRIEF, FULL):
            raise RpnError(Diagnostic.ELEMENT_SET_NAME, self.element_set or "")
        if self.syntax == z3950_registry.GRS_1 and self.schema not in _GRS_SCHEMAS:
            raise RpnError(Diagnostic.SYNTAX_UNAVAILABLE, self.schema or "")
        return ""

    def _xml_schema(self, database: Database) -> str:
        """Return the schema of XML records; a client may name it instead of an element set."""
        names = database.schemas
        for wanted, condition in (
            (self.schema, Diagnostic.SYNTAX_UNAVAILABLE),
            (self.element_set, Diagnostic.ELEMENT_SET_NAME),
        ):
            if wanted is None or wanted in (BRIEF, FULL):
                continue
            if wanted == z3950_registry.ZTHES_SCHEMA and "zthes" in names:
                return "zthes"
            found = find_schema(wanted, names)
            if found is None:
                raise RpnError(condition, wanted)
            return found.name
        return names[0]


def render(
    record: Record,
    composition: Composition,
    schema: str,
    *,
    profile: Profile,
    encode: Callable[[str], bytes],
) -> External | None:
    """Render a record in a syntax, for XML in a schema; return None if it is not available in it."""
    syntax = composition.syntax
    is_brief = composition.element_set == BRIEF
    if syntax == z3950_registry.USMARC:
        return External(syntax, octets=render_iso2709(record))
    if syntax == z3950_registry.SUTRS:
        return External(syntax, written=TEXT.write(encode(_text(record, is_brief=is_brief))))
    if syntax == z3950_registry.GRS_1:
        elements = gils_elements(
            record.document,
            record.identifier,
            source=record.source,
            profile=profile,
            is_brief=is_brief,
            changed=record.stamp,
        )
        return External(syntax, written=encode_record(elements, encode))
    xml = render_record(record, schema)
    return None if xml is None else External(syntax, octets=xml)


def _text(record: Record, *, is_brief: bool) -> str:
    if not is_brief:
        return render_text(record)
    document = record.document
    parts = (
        ("Title", document.title or ""),
        ("Creator", "; ".join(agent.name for agent in document.creators)),
        ("Year", "" if document.year is None else str(document.year)),
        ("Identifier", record.identifier),
    )
    return "".join(f"{name}: {value}\n" for name, value in parts if value)
