"""Electronic books (.epub): package metadata, chapters in reading order, table of contents."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import BinaryIO
from urllib.parse import unquote

from lxml import etree

from windrow.extract.html_markup import read_page
from windrow.extract.reading_job import Job, Unreadable
from windrow.extract.text_decoding import decode
from windrow.extract.xml_packages import Package, element_text, local_name
from windrow.model.document import Heading
from windrow.model.file_content import STATED_FACTS, Extract

MOST_CHAPTERS = 2_000
MOST_LETTERS = 5_000_000  # after which no further chapter is read
MOST_HEADINGS = 2_000
_CONTAINER = "META-INF/container.xml"
_NAMES = frozenset(STATED_FACTS) - {"modified", "type"}
_SCRAMBLED_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")


def read(file: BinaryIO, job: Job) -> Extract:  # noqa: ARG001 - a reader
    package = Package(file)
    _refuse_locked(package)
    place, root = root_file(package)
    folder = posixpath.dirname(place)
    items = {str(each.get("id")): each for each in root.iter() if local_name(each) == "item"}
    said = tuple(dict.fromkeys(_said(root)))
    text = "\n\n".join(_chapters(package, root, items, folder)).strip()
    headings = tuple(_headings(package, items, folder))
    return Extract("application/epub+zip", said=said, text=(text,) if text else (), headings=headings)


def root_file(package: Package) -> tuple[str, etree._Element]:
    """Return the path of the package document, and the document."""
    container = package.tree(_CONTAINER)
    named = (
        str(each.get("full-path") or "")
        for each in (container.iter() if container is not None else ())
        if local_name(each) == "rootfile"
    )
    guessed = (name for name in package.names if name.endswith(".opf"))
    for name in (*named, *guessed):
        root = package.tree(name)
        if root is not None:
            return name, root
    raise Unreadable("it does not say what is in it")


def part_at(folder: str, reference: str) -> str:
    """Return the name of the part that a reference from a folder of the package points to."""
    path = unquote(reference.partition("#")[0])
    return posixpath.normpath(posixpath.join("/", folder, path)).lstrip("/")


def _refuse_locked(package: Package) -> None:
    """Raise Unreadable for a book with DRM; obfuscated fonts alone are allowed."""
    encryption = package.tree("META-INF/encryption.xml")
    methods = [
        str(each.get("Algorithm") or "")
        for each in (encryption.iter() if encryption is not None else ())
        if local_name(each) == "EncryptionMethod"
    ]
    if any(method not in _SCRAMBLED_FONTS for method in methods):
        raise Unreadable("it is encrypted: it is locked to one reader's device")


def _said(root: etree._Element) -> Iterator[tuple[str, str]]:
    metadata = next((each for each in root if local_name(each) == "metadata"), None)
    for element in metadata.iter() if metadata is not None else ():
        name, value = local_name(element), element_text(element)
        if value and name in _NAMES and "purl.org/dc/" in str(element.tag):
            is_change = any("modification" in str(mark) for mark in element.attrib.values())
            yield ("modified" if name == "date" and is_change else name), value


def _chapters(
    package: Package, root: etree._Element, items: dict[str, etree._Element], folder: str
) -> Iterator[str]:
    letters = 0
    spine = [str(each.get("idref")) for each in root.iter() if local_name(each) == "itemref"]
    for mark in spine[:MOST_CHAPTERS]:
        item = items.get(mark)
        data = package.part(part_at(folder, str(item.get("href") or ""))) if item is not None else None
        if data is None:
            continue
        chapter = read_page(decode(data).text).text
        letters += len(chapter)
        yield chapter
        if letters > MOST_LETTERS:
            return


def _headings(package: Package, items: dict[str, etree._Element], folder: str) -> Iterator[Heading]:
    """Yield the headings of the NCX table of contents (EPUB 2), which nearly every book still has."""
    contents = next((each for each in items.values() if "dtbncx" in str(each.get("media-type") or "")), None)
    tree = package.tree(part_at(folder, str(contents.get("href") or ""))) if contents is not None else None
    count = 0
    for point in tree.iter() if tree is not None else ():
        if local_name(point) == "navPoint" and count < MOST_HEADINGS:
            label = element_text(next((each for each in point if local_name(each) == "navLabel"), None))
            level = sum(local_name(above) == "navPoint" for above in point.iterancestors()) + 1
            if label:
                count += 1
                yield Heading(label[:500], min(level, 12))
