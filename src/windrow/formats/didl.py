"""Reads MPEG-21 DIDL, in which Dutch and DSpace repositories wrap a description and its files.

Items say by an object type what they hold: descriptive metadata, a file, the page about it all.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from windrow.formats.elements import Draft, local
from windrow.formats.leftovers import Trail
from windrow.formats.wrapping import inner_reader, join
from windrow.model.document import Document, LinkKind

NAMESPACE = "urn:mpeg:mpeg21:2002:02-DIDL-NS"
_RDF_RESOURCE = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}resource"
_EPRINT_RIGHTS = "http://purl.org/eprint/accessRights/"  # no licence, only a way to say "OpenAccess"
_LONGEST_LABEL = 200  # it stands beside every file of the item
_KINDS = {
    "descriptiveMetadata": None,
    "objectFile": LinkKind.FULLTEXT,
    "humanStartPage": LinkKind.LANDING,
}


class Didl:
    """The Digital Item Declaration Language."""

    name = "didl"
    prefixes = frozenset({"DIDL", "oai_didl", "nl_didl", "nl_didl_norm", "nl_didl_combined", "didl_mods"})
    roots = frozenset({f"{{{NAMESPACE}}}DIDL", f"{{{NAMESPACE}}}Item"})

    def read(self, root: etree._Element) -> Document:
        """Give the document that the item describes."""
        draft, trail = Draft("didl"), Trail()
        inner = _read_description(root, trail)
        _walk(root, draft, trail)
        trail.sweep(root, draft, "didl", anchors=frozenset({"Descriptor", "Component"}))
        outer = draft.finish()
        return outer if inner is None else join(inner, outer)


def _walk(root: etree._Element, draft: Draft, trail: Trail) -> None:
    """Visit the items in their order, but none that stands inside something already used."""
    stack = [root]
    while stack:
        element = stack.pop()
        if local(element) == "Item":
            _add_item(element, draft, trail)
        stack.extend(child for child in reversed(element) if local(child) and child not in trail)


def _children(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    return (child for child in element if local(child) in names)


def _read_description(root: etree._Element, trail: Trail) -> Document | None:
    """Give the richest description: Dutch records give MODS and plain Dublin Core side by side."""
    found: list[tuple[bool, etree._Element]] = []
    for holder in root.iter():
        if local(holder) in ("Statement", "Resource"):
            found += [
                (reader.name == "oai_dc", child)
                for child in holder
                if local(child) and (reader := inner_reader(str(child.tag))) is not None
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
                label = _add_said(said, draft, trail) or label
    for component in _children(item, "Component"):
        for resource in _children(component, "Resource"):
            _add_resource(resource, kind, label, draft, trail)


def _type_of(said: etree._Element, trail: Trail) -> str:
    """Give the object type that a statement names: the last word of info:eu-repo/semantics/…"""
    if local(said) not in ("type", "ObjectType"):
        return ""
    address = said.get(_RDF_RESOURCE) or said.text or ""
    kind = address.strip().rpartition("/")[2]
    if kind in _KINDS:
        trail.skip(said)
        return kind
    return ""


def _add_said(said: etree._Element, draft: Draft, trail: Trail) -> str | None:
    """Take what a statement says of its item; give its words where they describe a file."""
    name = local(said)
    if name == "Identifier":
        draft.add_identifier(trail.use(said))
    elif name in ("accessRights", "rights"):
        draft.add_rights(trail.use(said).removeprefix(_EPRINT_RIGHTS))
    elif name == "description" and len(said.text or "") <= _LONGEST_LABEL:
        return trail.use(said)
    return None


def _add_resource(resource: etree._Element, kind: str, label: str | None, draft: Draft, trail: Trail) -> None:
    if resource.get("encoding") == "base64":
        trail.skip(resource)  # the file itself, not words about it
        return
    address = resource.get("ref") or ""
    if not address.lower().startswith(("http://", "https://", "ftp://")):
        return
    media_type = resource.get("mimeType")
    if kind != "objectFile" and media_type in ("application/xml", "text/xml"):
        media_type = None  # Dutch records say XML of their landing page
    draft.add_link(address, media_type=media_type, hint=_KINDS.get(kind), label=label)
    trail.value(resource, "ref")


READER = Didl()
