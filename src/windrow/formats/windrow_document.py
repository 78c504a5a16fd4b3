"""The format `windrow_document`: what was read out of a file, and what somebody said of it, as one element.

The harvest of documents writes it with `write_extracted`; the registry reads it back into a Document. Of a
fact that somebody gave in a file beside the document (`given`), what the document says itself is left aside.
The schema is in `schemas/windrow_document.xsd`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import NamedTuple

from lxml import etree

from windrow.formats.dcmi_types import dcmi_type
from windrow.formats.draft import Draft
from windrow.formats.elements import local, text_of
from windrow.formats.envelope import parse
from windrow.formats.leftovers import Trail
from windrow.formats.xml_words import xml_words
from windrow.model.document import Document, LinkKind, Text
from windrow.model.extract import MEASURED, SAID, Extract
from windrow.model.held_file import Heading, HeldFile

NAMESPACE = "urn:windrow:document:1"
PREFIX = "windrow_document"
SCHEMA_FILE = f"{PREFIX}.xsd"
LONGEST_NAME = 64  # of a fact that somebody made up
_LONGEST_NUMBER = 19  # digits
_READ = b"<doc:extracted "  # where what was read begins
_PUBLIC = ("http://", "https://")


class Given(NamedTuple):
    """A fact that a file beside the document gives of it, and the name of that file."""

    name: str
    value: str
    origin: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document lies, and what can be told of it without reading it."""

    address: str  # of the file; what publishes it may not be on the web
    path: str  # from its folder on
    size: int  # bytes
    modified: str  # as OAI-PMH writes times
    sha256: str
    member: str = ""  # inside the archive at `path`


def write_extracted(
    place: Place,
    extract: Extract,
    given: Sequence[Given] = (),
    *,
    reader: str = "",
    version: str = "",
) -> bytes:
    """Give one `<doc:document>` element in UTF-8. `reader` and `version` say who read the file."""
    parts = [_start(place, extract.media_type), _given(given)]
    parts.append(f'<doc:extracted reader="{xml_words(reader)}" version="{xml_words(version)}">')
    parts += (_fact(name, value) for name, value in (*extract.said, *extract.measured) if value.strip())
    parts += (_heading(heading) for heading in extract.headings)
    parts += (f"<doc:note>{xml_words(note)}</doc:note>" for note in extract.notes)
    parts.append("</doc:extracted>")
    if any(extract.text):
        parts.append(f'<doc:text paged="{"true" if extract.is_paged else "false"}">')
        parts += (f'<doc:page n="{n}">{xml_words(page)}</doc:page>' for n, page in enumerate(extract.text, 1))
        parts.append("</doc:text>")
    parts.append("</doc:document>")
    return "".join(parts).encode()


def rewrite_extracted(payload: bytes, place: Place, given: Sequence[Given]) -> bytes:
    """Give what `write_extracted` wrote, for another place and with other words given of it."""
    start = _start(place, facts_of(payload).media_type) + _given(given)
    return start.encode() + payload[payload.index(_READ) :]


class Facts(NamedTuple):
    """What a file says of itself and what was measured of it, as `write_extracted` was told."""

    media_type: str
    facts: tuple[tuple[str, str], ...]


def facts_of(payload: bytes) -> Facts:
    """Give the facts out of what `write_extracted` wrote, without a look at the text."""
    root = parse(without_text(payload), b"")[0]
    return Facts(root.get("media-type", ""), tuple(_facts(root, "extracted", Trail())))


def without_text(payload: bytes) -> bytes:
    """Give what `write_extracted` wrote without the text of the document: all that describes it."""
    start, end = payload.find(b"<doc:text "), payload.rfind(b"</doc:text>")
    return payload if start < 0 or end < start else payload[:start] + payload[end + len(b"</doc:text>") :]


def schema() -> bytes:
    """Give the XML Schema of the format."""
    return files("windrow.formats").joinpath("schemas", SCHEMA_FILE).read_bytes()


def _start(place: Place, media_type: str) -> str:
    member = f' member="{_attribute(place.member)}"' if place.member else ""
    return (
        f'<doc:document xmlns:doc="{NAMESPACE}" address="{_attribute(place.address)}"'
        f' path="{_attribute(place.path)}"{member} media-type="{_attribute(media_type)}" size="{place.size}"'
        f' modified="{place.modified}" sha256="{place.sha256}">'
    )


def _given(given: Sequence[Given]) -> str:
    told = [_fact(fact.name, fact.value, fact.origin) for fact in given if fact.value.strip()]
    return "".join(("<doc:given>", *told, "</doc:given>")) if told else ""


def _attribute(text: str) -> str:
    """Text for an attribute: file names may hold line breaks, which a parser would make spaces of."""
    return xml_words(text).replace("\n", "&#10;").replace("\t", "&#9;")


def _fact(name: str, value: str, origin: str = "") -> str:
    said_by = f' from="{_attribute(origin)}"' if origin else ""
    return f'<doc:fact name="{_attribute(name)}"{said_by}>{xml_words(value)}</doc:fact>'


def _heading(heading: Heading) -> str:
    page = f' page="{heading.page}"' if heading.page is not None else ""
    return f'<doc:heading level="{heading.level}"{page}>{xml_words(heading.title)}</doc:heading>'


class Extracted:
    """Documents that lie in a folder."""

    name = PREFIX
    prefixes: frozenset[str] = frozenset()
    roots = frozenset({f"{{{NAMESPACE}}}document"})

    def read(self, root: etree._Element) -> Document:
        """Give the document, with the file behind it."""
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
    """Take what the file itself shows, unless somebody told otherwise."""
    if "type" not in told:
        draft.add_type(dcmi_type(file.media_type))
    if "language" not in told:
        draft.add_language(file.fact("detected-language"))
    draft.add_pages(_number(file.fact("pages")))
    if address.startswith(_PUBLIC) and not file.member:
        draft.add_link(address, media_type=file.media_type or None, hint=LinkKind.FULLTEXT)


def _items(root: etree._Element, part: str, name: str, trail: Trail) -> Iterator[tuple[etree._Element, str]]:
    """The elements of a name in one part, each with its words as they stand."""
    for holder in root:
        for item in holder if local(holder) == part else ():
            if local(item) == name:
                trail.skip(item)
                yield item, (item.text or "") if len(item) == 0 else text_of(item)


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
_OF_FILES = frozenset(MEASURED)


def _add(draft: Draft, name: str, value: str, *, is_of_file: bool) -> None:
    """Take one fact where the model has a place for it; what was measured belongs to the file."""
    add = _ADDED.get(name)
    if add is not None:
        add(draft, value)
    elif name == "modified":
        draft.add_date(value, "modified")
    elif not (is_of_file and name in _OF_FILES):
        draft.add_extra(f"doc:{name[:LONGEST_NAME]}", value)


def _file(root: etree._Element, said: Sequence[tuple[str, str]], trail: Trail) -> HeldFile | None:
    """The file behind the document; None where nothing says where it lies."""
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
        is_paged=any(holder.get("paged") == "true" for holder in root if local(holder) == "text"),
        headings=tuple(
            Heading(title, _number(item.get("level")) or 1, _number(item.get("page")))
            for item, title in headings
            if title.strip()
        ),
        facts=(
            *(fact for fact in said if fact[0] not in SAID),
            *(("note", words) for _, words in notes if words),
        ),
    )


def _number(text: str | None) -> int | None:
    is_number = text is not None and text.isascii() and text.isdecimal() and len(text) < _LONGEST_NUMBER
    return int(text) if is_number and text is not None else None


READER = Extracted()
