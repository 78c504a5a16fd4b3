"""The format `windrow_document`: the contents of a file, and statements about it, as one element.

The harvest of documents writes it with `write_extracted`; the registry reads it back into a Document. Facts
in a sidecar file beside the document (`given`) take precedence over those in the document itself. The
schema is in `schemas/windrow_document.xsd`. `write_document_dc` writes a summary in Dublin Core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import NamedTuple

from lxml import etree

from windrow.formats.dublin_core.oai_dc import write_plain_dc
from windrow.formats.mapping.document_draft import Draft
from windrow.formats.mapping.markup import escape_xml
from windrow.formats.mapping.xml_records import Trail, element_text, local_name
from windrow.formats.registry import parse_payload
from windrow.model.document import Document, Heading, HeldFile, LinkKind, Text
from windrow.model.file_content import MEASURED_FACTS, STATED_FACTS, Extract

# DCMI Type Vocabulary: the type of a file by its media type.

# By media type or its top-level type.
_KINDS: Mapping[str, str] = {
    "text": "Text",
    "image": "Image",
    "audio": "Sound",
    "video": "MovingImage",
    "model": "InteractiveResource",
    "message": "Text",
    "chemical": "Dataset",
    "font": "Software",
    "text/csv": "Dataset",
    "text/tab-separated-values": "Dataset",
    "text/calendar": "Event",
    "text/javascript": "Software",
    "application/pdf": "Text",
    "application/postscript": "Text",
    "application/rtf": "Text",
    "application/epub+zip": "Text",
    "application/xhtml+xml": "Text",
    "application/msword": "Text",
    "application/mbox": "Text",
    "application/vnd.oasis.opendocument.text": "Text",
    "application/vnd.oasis.opendocument.presentation": "Text",
    "application/vnd.oasis.opendocument.graphics": "Image",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Text",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "Text",
    "application/vnd.ms-powerpoint": "Text",
    "application/x-latex": "Text",
    "application/json": "Dataset",
    "application/geo+json": "Dataset",
    "application/x-ndjson": "Dataset",
    "application/rdf+xml": "Dataset",
    "application/n-triples": "Dataset",
    "application/vnd.ms-excel": "Dataset",
    "application/vnd.oasis.opendocument.spreadsheet": "Dataset",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "Dataset",
    "application/vnd.apache.parquet": "Dataset",
    "application/vnd.sqlite3": "Dataset",
    "application/x-hdf": "Dataset",
    "application/x-hdf5": "Dataset",
    "application/x-netcdf": "Dataset",
    "application/fits": "Dataset",
    "application/zip": "Collection",
    "application/x-tar": "Collection",
    "application/wasm": "Software",
    "application/x-msdownload": "Software",
    "application/java-archive": "Software",
    "application/x-ipynb+json": "Software",
}


def dcmi_type(media_type: str) -> str:
    """Return the DCMI type for a media type, or ""."""
    return _KINDS.get(media_type) or _KINDS.get(media_type.partition("/")[0], "")


NAMESPACE = "urn:windrow:document:1"
PREFIX = "windrow_document"
SCHEMA_FILE = f"{PREFIX}.xsd"
LONGEST_NAME = 64  # characters of a fact with a custom name
_LONGEST_NUMBER = 19  # digits
_READ = b"<doc:extracted "  # start of the part read from the file
_PUBLIC = ("http://", "https://")


class StatedFact(NamedTuple):
    """A fact in a sidecar file, and the name of that file."""

    name: str
    value: str
    origin: str


@dataclass(frozen=True, slots=True)
class DocumentLocation:
    """The place of a document, and its properties that do not require reading its contents."""

    address: str  # of the file; it need not be on the web
    path: str  # relative to the harvested folder
    size: int  # bytes
    modified: str  # in the format of OAI-PMH
    sha256: str
    member: str = ""  # inside the archive at `path`


def write_extracted(
    place: DocumentLocation,
    extract: Extract,
    given: Sequence[StatedFact] = (),
    *,
    reader: str = "",
    version: str = "",
) -> bytes:
    """Return one `<doc:document>` element in UTF-8. `reader` and `version` name the program that read it."""
    parts = [_start(place, extract.media_type), _given(given)]
    parts.append(f'<doc:extracted reader="{escape_xml(reader)}" version="{escape_xml(version)}">')
    parts += (_fact(name, value) for name, value in (*extract.said, *extract.measured) if value.strip())
    parts += (_heading(heading) for heading in extract.headings)
    parts += (f"<doc:note>{escape_xml(note)}</doc:note>" for note in extract.notes)
    parts.append("</doc:extracted>")
    if any(extract.text):
        parts.append(f'<doc:text paged="{"true" if extract.is_paged else "false"}">')
        parts += (
            f'<doc:page n="{n}">{escape_xml(page)}</doc:page>' for n, page in enumerate(extract.text, 1)
        )
        parts.append("</doc:text>")
    parts.append("</doc:document>")
    return "".join(parts).encode()


def rewrite_extracted(payload: bytes, place: DocumentLocation, given: Sequence[StatedFact]) -> bytes:
    """Return the output of `write_extracted` for another place and with other sidecar facts."""
    start = _start(place, read_file_facts(payload).media_type) + _given(given)
    return start.encode() + payload[payload.index(_READ) :]


class FileFacts(NamedTuple):
    """Media type and facts of a file, as passed to `write_extracted`."""

    media_type: str
    facts: tuple[tuple[str, str], ...]


def read_file_facts(payload: bytes) -> FileFacts:
    """Return the facts in the output of `write_extracted`, without parsing the text."""
    root = parse_payload(without_text(payload), b"")[0]
    return FileFacts(root.get("media-type", ""), tuple(_facts(root, "extracted", Trail())))


def without_text(payload: bytes) -> bytes:
    """Return the output of `write_extracted` without the text of the document."""
    start, end = payload.find(b"<doc:text "), payload.rfind(b"</doc:text>")
    return payload if start < 0 or end < start else payload[:start] + payload[end + len(b"</doc:text>") :]


def schema() -> bytes:
    return files("windrow.formats").joinpath("schemas", SCHEMA_FILE).read_bytes()


def _start(place: DocumentLocation, media_type: str) -> str:
    member = f' member="{_attribute(place.member)}"' if place.member else ""
    return (
        f'<doc:document xmlns:doc="{NAMESPACE}" address="{_attribute(place.address)}"'
        f' path="{_attribute(place.path)}"{member} media-type="{_attribute(media_type)}" size="{place.size}"'
        f' modified="{place.modified}" sha256="{place.sha256}">'
    )


def _given(given: Sequence[StatedFact]) -> str:
    told = [_fact(fact.name, fact.value, fact.origin) for fact in given if fact.value.strip()]
    return "".join(("<doc:given>", *told, "</doc:given>")) if told else ""


def _attribute(text: str) -> str:
    # File names may contain line breaks, which a parser would turn into spaces.
    return escape_xml(text).replace("\n", "&#10;").replace("\t", "&#9;")


def _fact(name: str, value: str, origin: str = "") -> str:
    said_by = f' from="{_attribute(origin)}"' if origin else ""
    return f'<doc:fact name="{_attribute(name)}"{said_by}>{escape_xml(value)}</doc:fact>'


def _heading(heading: Heading) -> str:
    page = f' page="{heading.page}"' if heading.page is not None else ""
    return f'<doc:heading level="{heading.level}"{page}>{escape_xml(heading.title)}</doc:heading>'


class Extracted:
    """Reader of documents in a folder."""

    name = PREFIX
    prefixes: frozenset[str] = frozenset()
    roots = frozenset({f"{{{NAMESPACE}}}document"})

    def read(self, root: etree._Element) -> Document:
        trail = Trail()
        given, said = list(_facts(root, "given", trail)), list(_facts(root, "extracted", trail))
        told = {name for name, _ in given}
        file = _file(root, said, trail)
        draft = Draft("doc")
        for name, value in (*given, *(fact for fact in said if fact[0] not in told)):
            _add(draft, name, value, is_of_file=file is not None)
        if file is not None:
            _add_file(draft, file, told | {name for name, _ in said}, root.get("address", ""))
        trail.sweep(root, draft, "doc")
        document = draft.finish()
        if file is None:
            return document
        return replace(document, titles=document.titles or (Text(file.name),), file=file)


def _add_file(draft: Draft, file: HeldFile, told: set[str], address: str) -> None:
    # Properties of the file itself, unless the document or its sidecar states them.
    if "type" not in told:
        draft.add_type(dcmi_type(file.media_type))
    if "language" not in told:
        draft.add_language(file.fact("detected-language"))
    draft.add_pages(_number(file.fact("pages")))
    if address.startswith(_PUBLIC) and not file.member:
        draft.add_link(address, media_type=file.media_type or None, hint=LinkKind.FULLTEXT)


def _items(root: etree._Element, part: str, name: str, trail: Trail) -> Iterator[tuple[etree._Element, str]]:
    for holder in root:
        for item in holder if local_name(holder) == part else ():
            if local_name(item) == name:
                trail.skip(item)
                yield item, (item.text or "") if len(item) == 0 else element_text(item)


def _facts(root: etree._Element, part: str, trail: Trail) -> Iterator[tuple[str, str]]:
    for fact, words in _items(root, part, "fact", trail):
        yield fact.get("name") or "fact", words


_ADDED: Mapping[str, Callable[[Draft, str], None]] = {
    "title": Draft.add_title,
    "creator": Draft.add_creators,
    "contributor": Draft.add_contributors,
    "subject": Draft.add_subjects,
    "description": Draft.add_description,
    "publisher": Draft.add_publisher,
    "date": Draft.add_date,
    "type": Draft.add_type,
    "language": Draft.add_language,
    "identifier": Draft.add_identifier,
    "source": Draft.add_source,
    "relation": Draft.add_relation,
    "rights": Draft.add_rights,
}
_OF_FILES = frozenset(MEASURED_FACTS)


def _add(draft: Draft, name: str, value: str, *, is_of_file: bool) -> None:
    # Measured facts belong to the file, all others to the draft.
    add = _ADDED.get(name)
    if add is not None:
        add(draft, value)
    elif name == "modified":
        draft.add_date(value, "modified")
    elif not (is_of_file and name in _OF_FILES):
        draft.add_extra(f"doc:{name[:LONGEST_NAME]}", value)


def _file(root: etree._Element, said: Sequence[tuple[str, str]], trail: Trail) -> HeldFile | None:
    path = root.get("path")
    if not path:
        return None
    headings = _items(root, "extracted", "heading", trail)
    notes = _items(root, "extracted", "note", trail)
    return HeldFile(
        path=path,
        media_type=root.get("media-type", ""),
        size=_number(root.get("size")) or 0,
        sha256=root.get("sha256", ""),
        member=root.get("member", ""),
        text=tuple(words for _, words in _items(root, "text", "page", trail)),
        is_paged=any(holder.get("paged") == "true" for holder in root if local_name(holder) == "text"),
        headings=tuple(
            Heading(title, _number(item.get("level")) or 1, _number(item.get("page")))
            for item, title in headings
            if title.strip()
        ),
        facts=(
            *(fact for fact in said if fact[0] not in STATED_FACTS),
            *(("note", words) for _, words in notes if words),
        ),
    )


def _number(text: str | None) -> int | None:
    is_number = text is not None and text.isascii() and text.isdecimal() and len(text) < _LONGEST_NUMBER
    return int(text) if is_number and text is not None else None


READER = Extracted()

# Dublin Core: sidecar facts, the document's own, and properties of the file. A summary of the format above
# that every harvester can read.


def write_document_dc(
    place: DocumentLocation, facts: FileFacts, given: Sequence[StatedFact], *, archive: str = ""
) -> bytes:
    """Return one `<oai_dc:dc>` element; `archive` is the identifier of the archive it belongs to."""
    said = _stated_facts(facts, given)
    names = {name for name, words in said if words.strip()}
    elements = [("identifier", place.address), *said, *_measured_facts(facts)]
    if "title" not in names:
        elements.append(("title", (place.member or place.path).rpartition("/")[2]))
    if "date" not in names:
        elements.append(("date", place.modified))
    if not any(fact.name == "type" for fact in given):
        elements.append(("type", dcmi_type(facts.media_type)))
    if "language" not in names:
        elements += [("language", words) for name, words in facts.facts if name == "detected-language"]
    elements += [("format", facts.media_type), ("format", f"{place.size} bytes"), ("relation", archive)]
    return write_plain_dc(elements)


def _stated_facts(facts: FileFacts, given: Sequence[StatedFact]) -> list[tuple[str, str]]:
    # Sidecar facts first; the document's own only under other names.
    told = {fact.name for fact in given}
    own = [fact for fact in facts.facts if fact[0] not in told]
    return [*((fact.name, fact.value) for fact in given), *own]


def _measured_facts(facts: FileFacts) -> Iterator[tuple[str, str]]:
    measured = dict(facts.facts)
    pages, width, height, seconds = map(measured.get, ("pages", "width", "height", "seconds"))
    if pages:
        yield "format", f"{pages} pages" if pages != "1" else "1 page"
    if width and height:
        yield "format", f"{width} x {height} pixels"
    if seconds:
        yield "format", f"{seconds} seconds"
    if measured.get("latitude") and measured.get("longitude"):
        # DCMI Point, Dublin Core's notation for coordinates.
        yield "coverage", f"north={measured['latitude']}; east={measured['longitude']}"
