"""MPEG-21 DIDL: the packages of Dutch and DSpace repositories, with a description and its files.

Each item carries an object type: descriptive metadata, a file, or the landing page. `write_didl_item`
writes such a package for a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lxml import etree

from windrow.formats.mapping.markup import escape_xml
from windrow.formats.mapping.xml_records import Draft, Trail, local_name
from windrow.formats.wrappers import inner_reader, join
from windrow.model.document import Document, LinkKind

NAMESPACE = "urn:mpeg:mpeg21:2002:02-DIDL-NS"
_RDF_RESOURCE = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}resource"
# Not a licence, only DIDL's way to state "OpenAccess".
_EPRINT_RIGHTS = "http://purl.org/eprint/accessRights/"
_LONGEST_LABEL = 200  # characters; the label is repeated beside every file of the item
_KINDS = {
    "descriptiveMetadata": None,
    "objectFile": LinkKind.FULLTEXT,
    "humanStartPage": LinkKind.LANDING,
}


class Didl:
    """Reader of the Digital Item Declaration Language."""

    name = "didl"
    prefixes = frozenset({"DIDL", "oai_didl", "nl_didl", "nl_didl_norm", "nl_didl_combined", "didl_mods"})
    roots = frozenset({f"{{{NAMESPACE}}}DIDL", f"{{{NAMESPACE}}}Item"})

    def read(self, root: etree._Element) -> Document:
        draft, trail = Draft("didl"), Trail()
        inner = _read_description(root, trail)
        _walk(root, draft, trail)
        trail.sweep(root, draft, "didl", anchors=frozenset({"Descriptor", "Component"}))
        outer = draft.finish()
        return outer if inner is None else join(inner, outer)


def _walk(root: etree._Element, draft: Draft, trail: Trail) -> None:
    # Items are visited in document order; those inside a description that was already read are skipped.
    stack = [root]
    while stack:
        element = stack.pop()
        if local_name(element) == "Item":
            _add_item(element, draft, trail)
        stack.extend(child for child in reversed(element) if local_name(child) and child not in trail)


def _children(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    return (child for child in element if local_name(child) in names)


def _read_description(root: etree._Element, trail: Trail) -> Document | None:
    """Return the richest description: Dutch records carry MODS beside plain Dublin Core."""
    found: list[tuple[bool, etree._Element]] = []
    for holder in root.iter():
        if local_name(holder) in ("Statement", "Resource"):
            found += [
                (reader.name == "oai_dc", child)
                for child in holder
                if local_name(child) and (reader := inner_reader(str(child.tag))) is not None
            ]
    if not found:
        return None
    description = min(found, key=lambda pair: pair[0])[1]
    reader = inner_reader(str(description.tag))
    trail.skip(description)
    return reader.read(description) if reader is not None else None


def _add_item(item: etree._Element, draft: Draft, trail: Trail) -> None:
    kind = ""
    label = None
    for descriptor in _children(item, "Descriptor"):
        for statement in _children(descriptor, "Statement"):
            for said in statement:
                kind = _type_of(said, trail) or kind
                label = _add_statement(said, draft, trail) or label
    for component in _children(item, "Component"):
        for resource in _children(component, "Resource"):
            _add_resource(resource, kind, label, draft, trail)


def _type_of(said: etree._Element, trail: Trail) -> str:
    """Return the object type in a statement: the last word of info:eu-repo/semantics/…"""
    if local_name(said) not in ("type", "ObjectType"):
        return ""
    address = said.get(_RDF_RESOURCE) or said.text or ""
    kind = address.strip().rpartition("/")[2]
    if kind in _KINDS:
        trail.skip(said)
        return kind
    return ""


def _add_statement(said: etree._Element, draft: Draft, trail: Trail) -> str | None:
    """Add a statement about an item. Return its text if it is the label of a file."""
    name = local_name(said)
    if name == "Identifier":
        draft.add_identifier(trail.use(said))
    elif name in ("accessRights", "rights"):
        draft.add_rights(trail.use(said).removeprefix(_EPRINT_RIGHTS))
    elif name == "description" and len(said.text or "") <= _LONGEST_LABEL:
        return trail.use(said)
    return None


def _add_resource(resource: etree._Element, kind: str, label: str | None, draft: Draft, trail: Trail) -> None:
    if resource.get("encoding") == "base64":
        trail.skip(resource)  # the file itself, not text about it
        return
    address = resource.get("ref") or ""
    if not address.lower().startswith(("http://", "https://", "ftp://")):
        return
    media_type = resource.get("mimeType")
    if kind != "objectFile" and media_type in ("application/xml", "text/xml"):
        media_type = None  # Dutch records declare their landing page as XML
    draft.add_link(address, media_type=media_type, hint=_KINDS.get(kind), label=label)
    trail.value(resource, "ref")


READER = Didl()

# Writing: a file as an MPEG-21 digital item, with its description and its content. The parts are joined
# once at the end, because a file may have megabytes and each copy costs.

SCHEMA = "http://standards.iso.org/ittf/PubliclyAvailableStandards/MPEG-21_schema_files/did/didl.xsd"
_IDENTIFICATION = "urn:mpeg:mpeg21:2002:01-DII-NS"
_FIXITY = "http://www.loc.gov/premis/v3"
_TERMS = "http://purl.org/dc/terms/"
_XML = "application/xml; charset=utf-8"
_HEAD = (
    f'<didl:DIDL xmlns:didl="{NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    f' xsi:schemaLocation="{NAMESPACE} {SCHEMA}"><didl:Item>'
).encode()
_STATED = f'<didl:Descriptor><didl:Statement mimeType="{_XML}">'.encode()
_STATED_END = b"</didl:Statement></didl:Descriptor>"
_TAIL = b"</didl:Component></didl:Item></didl:DIDL>"


@dataclass(frozen=True, slots=True)
class FileItem:
    """A file to be packaged. `statements` are self-contained XML elements."""

    address: str
    media_type: str
    provenance: str
    statements: Iterable[bytes]
    sha256: str | None = None  # in hexadecimal digits
    content: bytes | None = None  # the file in base64; None writes only its address


def write_didl_item(item: FileItem) -> bytes:
    """Return one `<didl:DIDL>` element in UTF-8."""
    # Address and content are two resources of one component: by the standard they are the same bits.
    address, media_type = escape_xml(item.address), escape_xml(item.media_type)
    parts = [_HEAD, *_statement(f'<dii:Identifier xmlns:dii="{_IDENTIFICATION}">{address}</dii:Identifier>')]
    for statement in item.statements:
        parts += (_STATED, statement, _STATED_END)
    said = escape_xml(item.provenance)
    parts += _statement(f'<dcterms:provenance xmlns:dcterms="{_TERMS}">{said}</dcterms:provenance>')
    parts.append(b"<didl:Component>")
    if item.sha256 is not None:
        parts += _statement(_fixity(item.sha256))
    parts.append(f'<didl:Resource mimeType="{media_type}" ref="{address}"/>'.encode())
    if item.content is not None:
        start = f'<didl:Resource mimeType="{media_type}" encoding="base64">'.encode()
        parts += (start, item.content, b"</didl:Resource>")
    parts.append(_TAIL)
    return b"".join(parts)


def _statement(element: str) -> tuple[bytes, bytes, bytes]:
    return _STATED, element.encode(), _STATED_END


def _fixity(sha256: str) -> str:
    return (
        f'<premis:fixity xmlns:premis="{_FIXITY}">'
        "<premis:messageDigestAlgorithm>SHA-256</premis:messageDigestAlgorithm>"
        f"<premis:messageDigest>{sha256}</premis:messageDigest></premis:fixity>"
    )
