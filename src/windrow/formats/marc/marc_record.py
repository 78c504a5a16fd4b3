"""A MARC 21 record as values, in both of its forms: MARCXML and ISO 2709 in UTF-8.

`write_marc` builds one from any document; `marc_in` extracts one from harvested MARCXML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from lxml import etree

from windrow.formats.citations.reference_fields import (
    THESES,
    WorkKind,
    document_container,
    document_publisher,
    issued_parts,
    work_kind,
)
from windrow.formats.mapping.agent_names import is_organisation
from windrow.formats.mapping.markup import escape_xml
from windrow.formats.mapping.xml_records import local_name
from windrow.formats.marc.marcxml import NAMESPACE
from windrow.model.document import Agent, Document, Event, LinkKind
from windrow.model.text.language_codes import bibliographic_code

SCHEMA = "http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd"
LONGEST_FIELD = 9_999  # bytes including the terminator (ISO 2709 has four digits for the length)
LONGEST_RECORD = 99_999
LEADER_LENGTH = 24
USUAL_LEADER = "00000nam a2200000 u 4500"

_FIELD_END, _RECORD_END, _SUBFIELD = "\x1e", "\x1d", "\x1f"
_SEPARATORS = re.compile("[\x1d-\x1f]")
_TAG = re.compile(r"[0-9A-Za-z]{3}", re.ASCII)
_CODE = re.compile(r"[!-~]", re.ASCII)


@dataclass(frozen=True, slots=True)
class MarcField:
    """One data field."""

    tag: str
    subfields: tuple[tuple[str, str], ...]
    ind1: str = " "
    ind2: str = " "


@dataclass(frozen=True, slots=True)
class MarcRecord:
    """One record. `control` contains the fields below 010, each a tag and its text."""

    leader: str
    control: tuple[tuple[str, str], ...]
    fields: tuple[MarcField, ...]


def write_marcxml(record: MarcRecord) -> bytes:
    """Return one self-contained `<record>` element."""
    parts = [f'<record xmlns="{NAMESPACE}"><leader>{escape_xml(_leader(record.leader))}</leader>']
    parts += [
        f'<controlfield tag="{tag}">{escape_xml(text)}</controlfield>' for tag, text in record.control if text
    ]
    for field in record.fields:
        subfields = "".join(
            f'<subfield code="{escape_xml(code)}">{escape_xml(text)}</subfield>'
            for code, text in field.subfields
            if text
        )
        if subfields:
            indicators = f'ind1="{escape_xml(field.ind1)}" ind2="{escape_xml(field.ind2)}"'
            start = f'<datafield tag="{field.tag}" {indicators}>'
            parts.append(f"{start}{subfields}</datafield>")
    parts.append("</record>")
    return "".join(parts).encode()


def write_iso2709(record: MarcRecord) -> bytes:
    """Return the record as ISO 2709 in UTF-8.

    The format limits the size of fields and records. A field that is too long is cut at a character; fields
    that do not fit any more are left out from the end.
    """
    directory: list[bytes] = []
    bodies: list[bytes] = []
    length, taken = LEADER_LENGTH + 2, 0  # including the terminators of directory and record
    for tag, body in _bodies(record):
        if length + len(body) + 12 > LONGEST_RECORD:
            break
        directory.append(f"{tag}{len(body):04d}{taken:05d}".encode())
        bodies.append(body)
        taken += len(body)
        length += len(body) + 12
    base = LEADER_LENGTH + 12 * len(directory) + 1
    leader = _leader(record.leader)
    # The lengths, UTF-8 in position 9, and the constants of MARC 21 in the others.
    head = f"{length:05d}{leader[5:9]}a22{base:05d}{leader[17:20]}4500"
    end = _FIELD_END.encode()
    return b"".join((head.encode(), *directory, end, *bodies, _RECORD_END.encode()))


def marc_in(root: etree._Element) -> MarcRecord | None:
    """Return the record in MARCXML, the first of several, or None."""
    elements = (each for each in root.iter() if local_name(each) == "record")
    record = next(elements, None)
    if record is None:
        return None
    leader, control, fields = USUAL_LEADER, list[tuple[str, str]](), list[MarcField]()
    for child in record:
        kind, tag = local_name(child), child.get("tag") or ""
        if kind == "leader":
            leader = child.text or leader
        elif kind == "controlfield" and _TAG.fullmatch(tag):
            control.append((tag, child.text or ""))
        elif kind == "datafield" and _TAG.fullmatch(tag):
            subfields = tuple(
                (each.get("code") or "", "".join(map(str, each.itertext())))
                for each in child
                if local_name(each) == "subfield" and _CODE.fullmatch(each.get("code") or "")
            )
            fields.append(MarcField(tag, subfields, _indicator(child, "ind1"), _indicator(child, "ind2")))
    return MarcRecord(leader, tuple(control), tuple(fields))


def _indicator(element: etree._Element, name: str) -> str:
    found = element.get(name) or " "
    return found if len(found) == 1 and found.isascii() and found.isprintable() else " "


def _bodies(record: MarcRecord) -> Iterator[tuple[str, bytes]]:
    for tag, text in record.control:
        if text:
            yield tag, _cut(_plain(text), "")
    for field in record.fields:
        subfields = "".join(f"{_SUBFIELD}{code}{_plain(text)}" for code, text in field.subfields if text)
        if subfields:
            yield field.tag, _cut(subfields, field.ind1 + field.ind2)


def _cut(text: str, start: str) -> bytes:
    encoded = (start + text).encode("utf-8", "replace")
    if len(encoded) >= LONGEST_FIELD:
        encoded = encoded[: LONGEST_FIELD - 1].decode("utf-8", "ignore").encode()
    return encoded + _FIELD_END.encode()


def _plain(text: str) -> str:
    return _SEPARATORS.sub(" ", text)


def _leader(text: str) -> str:
    found = "".join(letter if letter.isascii() and letter.isprintable() else " " for letter in text)
    return found[:LEADER_LENGTH] if len(found) >= LEADER_LENGTH else USUAL_LEADER


# Writing: any document as MARC 21, for SRU and Z39.50. Fields are those of the MARC 21 bibliographic
# format; values without a field there are left out.

# Leader positions 6 and 7 by kind of work; a book ("am") if the kind is unknown.
_LEADERS = {
    WorkKind.CHAPTER: "aa",
    WorkKind.ARTICLE: "ab",
    WorkKind.NEWS: "ab",
    WorkKind.REVIEW: "ab",
    WorkKind.CONFERENCE_PAPER: "aa",
    WorkKind.JOURNAL: "as",
    WorkKind.DATASET: "mm",
    WorkKind.SOFTWARE: "mm",
    WorkKind.MAP: "em",
    WorkKind.SCORE: "cm",
    WorkKind.VIDEO: "gm",
    WorkKind.SOUND: "im",
    WorkKind.IMAGE: "km",
    WorkKind.WEBPAGE: "ai",
}
_STANDARD_NUMBERS = {"doi": "doi", "hdl": "hdl", "urn": "urn", "arxiv": "arxiv", "pmid": "pmid"}
_THESAURI = {"lcsh": "0", "lcshac": "1", "mesh": "2", "nal": "3", "csh": "5", "rvm": "6"}
_EVENT_PARTS = ("kind", "intensity", "language", "time")
_LONGEST_CODE = 30


def write_marc(
    document: Document, identifier: str, *, source: str = "", changed: datetime | None = None
) -> MarcRecord:
    """Return the record; `identifier` becomes its control number, `source` the agency of that number."""
    kind = work_kind(document)
    control = [("001", identifier)]
    if source:
        control.append(("003", source))
    if changed is not None:
        control.append(("005", f"{changed:%Y%m%d%H%M%S}.0"))
    control.append(("008", _fixed(document, changed)))
    fields = sorted(_fields(document, kind), key=lambda field: field.tag)
    return MarcRecord(f"00000n{_LEADERS.get(kind, 'am')} a2200000 u 4500", tuple(control), tuple(fields))


def _fixed(document: Document, changed: datetime | None) -> str:
    """Return field 008: date entered, year, place, language. Unknown positions are filled or blank."""
    parts = issued_parts(document)
    year = f"{parts[0]:04d}" if parts and 0 < parts[0] < 10_000 else ""
    kind_of_date = "s" if year else "n"
    languages = [code for each in document.languages if (code := bibliographic_code(each))]
    language = languages[0] if languages else "und"
    entered = f"{changed:%y%m%d}" if changed is not None else "000000"
    return f"{entered}{kind_of_date}{year or 'uuuu'}{'    ' if year else 'uuuu'}xx {'|' * 17}{language} d"


def _fields(document: Document, kind: WorkKind) -> Iterator[MarcField]:
    yield from _numbers(document)
    yield from _languages(document)
    yield from _people(document)
    yield from _titles(document)
    yield from _publication(document, kind)
    if document.pages is not None:
        yield MarcField("300", (("a", f"{document.pages} p."),))
    if kind in THESES:
        degree = tuple(("b", each) for each in document.types[:1])
        yield MarcField("502", (*degree, *_some("c", document.institution)))
    yield from (MarcField("518", _event(event)) for event in document.events)
    for text in document.descriptions:
        yield MarcField("520", (("a", text.value),), "3")
    yield from (MarcField("521", (("a", text),)) for text in document.prerequisites)
    yield from (MarcField("540", (("a", text),)) for text in document.rights)
    yield from _subjects(document)
    yield from (MarcField("655", (("a", text),), " ", "4") for text in document.types)
    container = document_container(document, kind)
    for source in document.sources:
        yield MarcField("773" if source == container else "787", (("t", source),), "0", " ")
    yield from (MarcField("787", (("t", text),), "0", " ") for text in document.relations)
    yield from _links(document)


def _numbers(document: Document) -> Iterator[MarcField]:
    for name in document.names:
        if name.scheme in ("isbn", "issn"):
            yield MarcField("020" if name.scheme == "isbn" else "022", (("a", name.value),))
        elif name.scheme in _STANDARD_NUMBERS:
            yield MarcField("024", (("a", name.value), ("2", _STANDARD_NUMBERS[name.scheme])), "7")
        else:
            yield MarcField("024", (("a", name.value),), "8")


def _languages(document: Document) -> Iterator[MarcField]:
    codes = [code for each in document.languages if (code := bibliographic_code(each))]
    if len(codes) > 1:
        yield MarcField("041", tuple(("a", code) for code in codes), "0")


def _people(document: Document) -> Iterator[MarcField]:
    # The first creator is the main entry, all others are added entries.
    for place, agent in enumerate(document.creators):
        yield _agent(agent, "1" if place == 0 else "7", agent.role)
    for agent in document.contributors:
        yield _agent(agent, "7", agent.role or "contributor")
    for unit in document.units or ():
        parts = (*_some("a", unit.institution), *_some("b", unit.department))
        yield MarcField("710", parts if unit.institution else _some("a", unit.department), "2")
    if not document.units and (document.institution or document.department):
        body = document.institution or document.department
        part = document.department if document.institution else None
        yield MarcField("710", (*_some("a", body), *_some("b", part)), "2")


def _agent(agent: Agent, block: str, role: str | None) -> MarcField:
    details = (
        ("a", agent.name),
        *_some("e", role),
        *(("u", each) for each in agent.affiliations),
        *_some("0", agent.identifier),
    )
    if is_organisation(agent.name):
        return MarcField(f"{block}10", details, "2")
    # Entered under the family name or, if that is unknown, in direct order.
    return MarcField(f"{block}00", details, "1" if "," in agent.name else "0")


def _titles(document: Document) -> Iterator[MarcField]:
    is_added = "1" if document.creators else "0"
    first, *others = [text.value for text in document.titles] or ["[No title]"]
    yield MarcField("245", (("a", first),), is_added, "0")
    yield from (MarcField("246", (("a", each),), "3", "1") for each in others)


def _publication(document: Document, kind: WorkKind) -> Iterator[MarcField]:
    parts = issued_parts(document)
    publishers = document.publishers or _only(document_publisher(document, kind))
    subfields = (*(("b", each) for each in publishers), *((("c", str(parts[0])),) if parts else ()))
    yield MarcField("264", subfields, " ", "1")


def _event(event: Event) -> tuple[tuple[str, str], ...]:
    """Return the subfields of field 518 for an event: what, when and where."""
    said = [value for name in _EVENT_PARTS if (value := getattr(event, name))]
    return (
        *_some("3", event.identifier),
        *_some("o", "; ".join(said)),
        *_some("d", event.period),
        *_some("p", event.place),
    )


def _subjects(document: Document) -> Iterator[MarcField]:
    for subject in document.subjects:
        scheme = (subject.scheme or "").strip()
        own = _THESAURI.get(scheme.lower())
        details: tuple[tuple[str, str], ...] = (("a", subject.value),)
        if own is None and scheme and len(scheme) <= _LONGEST_CODE and scheme.isalnum():
            details = (*details, ("2", scheme))
            own = "7"
        yield MarcField("650", (*details, *_some("0", subject.uri)), " ", own or "4")
    yield from (MarcField("653", (("a", word),)) for word in document.keywords)


def _links(document: Document) -> Iterator[MarcField]:
    relations = {LinkKind.FULLTEXT: "0", LinkKind.LANDING: " "}
    for link in document.links:
        details = (("u", link.url), *_some("q", link.media_type), *_some("y", link.label))
        yield MarcField("856", details, "4", relations.get(link.kind, "2"))


def _some(code: str, text: str | None) -> tuple[tuple[str, str], ...]:
    return ((code, text),) if text else ()


def _only(value: str | None) -> Iterable[str]:
    return (value,) if value else ()
