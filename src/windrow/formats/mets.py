"""METS packages: the description in the dmdSec, read by its format's reader, and files as links.

METS of DSpace and of Omeka has one description; that of digitised books (Goobi, Kitodo, the DFG viewer) has
one for the book, one for each chapter, and thousands of page images.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from windrow.formats.mapping.xml_records import Draft, Trail, local_name
from windrow.formats.wrappers import join, read_inner
from windrow.model.document import Document, LinkKind

NAMESPACE = "http://www.loc.gov/METS/"
MOST_FILES = 20  # a group with more files contains the pages of a book, not copies of it

_XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
_XLINK_LABEL = "{http://www.w3.org/1999/xlink}title"
_PREFIXES = {"DC": "qdc", "MODS": "mods", "MARC": "marcxml", "LIDO": "lido", "DDI": "ddi", "DIM": "dim"}
_RANKS = {"MODS": 0, "MARC": 1, "DC": 3}
_THUMBNAILS = frozenset({"thumbnail", "thumbnails", "thumb", "thumbs", "min", "preview", "teaser"})
_LICENSES = frozenset({"license", "cc-license", "licence"})
_ASIDES = frozenset({"text", "ocr", "fulltext", "alto", "metadata", "archive", "presentation_ocr"})
_DOCUMENTS = ("application/pdf", "application/epub+zip", "application/postscript", "application/msword")


class Mets:
    """Reader of the Metadata Encoding and Transmission Standard."""

    name = "mets"
    prefixes = frozenset({"METS", "oai_mets", "mets_mods", "metsmods", "goobi", "mets-mods", "dfgviewer"})
    roots = frozenset({f"{{{NAMESPACE}}}mets", f"{{{NAMESPACE}}}METS"})

    def read(self, root: etree._Element) -> Document:
        draft, trail = Draft("mets"), Trail()
        inner = _read_description(root, trail)
        if root.get("OBJID"):
            draft.add_identifier(root.get("OBJID") or "")
        if inner is None:
            draft.add_title(root.get("LABEL") or "")
        _add_files(root, draft, trail)
        for section in _children(root, "amdSec"):
            _add_viewer_rights(section, draft, trail)
        for header in _children(root, "metsHdr"):
            _add_custodian(header, draft, trail)
        trail.sweep(root, draft, "mets")
        outer = draft.finish()
        return outer if inner is None else join(inner, outer)


def _children(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    return (child for child in element if local_name(child) in names)


def _read_description(root: etree._Element, trail: Trail) -> Document | None:
    """Return the description of the whole: that of the top division of the structure, or the first."""
    sections = {section.get("ID") or str(at): section for at, section in enumerate(_children(root, "dmdSec"))}
    named = [sections[key] for key in _top_descriptions(root) if key in sections]
    wraps = [wrap for section in (named or list(sections.values())) for wrap in _children(section, "mdWrap")]
    if named:
        wraps.sort(key=lambda wrap: _RANKS.get((wrap.get("MDTYPE") or "").upper(), 2))
    for wrap in wraps:
        kind = wrap.get("OTHERMDTYPE") if wrap.get("MDTYPE") == "OTHER" else wrap.get("MDTYPE")
        for data in _children(wrap, "xmlData"):
            found = read_inner(data, _PREFIXES.get((kind or "").upper(), (kind or "").lower()))
            if found is not None:
                trail.skip(found[1])
                return found[0]
    return None


def _top_descriptions(root: etree._Element) -> list[str]:
    """Return the IDs of the top division's descriptions, logical structure first."""
    maps = sorted(
        _children(root, "structMap"), key=lambda map_: (map_.get("TYPE") or "").upper() == "PHYSICAL"
    )
    for map_ in maps:
        for division in _children(map_, "div"):
            found = _described(division)
            if found:
                return found
    return []


def _described(division: etree._Element) -> list[str]:
    """Return the descriptions of a division, or of the first division below it that has any."""
    # Volumes of a set are inside a division that only points to the set.
    for element in division.iter():
        names = element.get("DMDID") if local_name(element) == "div" else None
        if names:
            return names.split()
    return []


def _add_files(root: etree._Element, draft: Draft, trail: Trail) -> None:
    whole = _whole_files(root)
    for section in _children(root, "fileSec"):
        for group in section.iter():
            if local_name(group) == "fileGrp":
                _add_group(group, whole, draft, trail)


def _whole_files(root: etree._Element) -> set[str]:
    """Return the IDs of the files of the top division itself: the whole book in one file."""
    return {
        pointer.get("FILEID") or ""
        for map_ in _children(root, "structMap")
        for division in _children(map_, "div")
        for pointer in _children(division, "fptr")
    }


def _add_group(group: etree._Element, whole: set[str], draft: Draft, trail: Trail) -> None:
    """Add the files of a group as links; those of single pages stay in extra."""
    use = (group.get("USE") or "").lower()
    files = list(_children(group, "file"))
    if use in _THUMBNAILS:
        files = files[:1]
    elif len(files) > MOST_FILES:
        files = [file for file in files if file.get("ID") in whole][:MOST_FILES]
    for file in files:
        media_type = file.get("MIMETYPE")
        kind = _kind_of(use, media_type)
        for place in _children(file, "FLocat"):
            address = place.get(_XLINK_HREF) or ""
            if address.lower().startswith(("http://", "https://", "ftp://")):
                draft.add_link(address, media_type=media_type, hint=kind, label=place.get(_XLINK_LABEL))
                trail.skip(place)


def _kind_of(use: str, media_type: str | None) -> LinkKind:
    if use in _THUMBNAILS:
        return LinkKind.THUMBNAIL
    if use in _LICENSES:
        return LinkKind.LICENSE
    if use in _ASIDES and media_type not in _DOCUMENTS:
        return LinkKind.RELATED
    return LinkKind.FULLTEXT


def _add_viewer_rights(section: etree._Element, draft: Draft, trail: Trail) -> None:
    """Add what the DFG viewer displays beside a book: owner, licence, landing page."""
    for element in section.iter():
        name = local_name(element)
        if name == "owner":
            draft.add_institution(trail.use(element))
        elif name == "license":
            draft.add_rights(trail.use(element))
        elif name == "presentation" and (element.text or "").strip().startswith("http"):
            draft.add_link(trail.use(element), hint=LinkKind.LANDING)
        elif name == "reference" and (element.text or "").strip().startswith("http"):
            draft.add_link(trail.use(element), hint=LinkKind.RELATED)


def _add_custodian(header: etree._Element, draft: Draft, trail: Trail) -> None:
    for agent in _children(header, "agent"):
        if agent.get("ROLE") == "CUSTODIAN" and agent.get("TYPE") == "ORGANIZATION":
            for name in _children(agent, "name"):
                draft.add_institution(trail.use(name))


READER = Mets()
