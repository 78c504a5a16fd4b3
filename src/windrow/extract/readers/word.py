"""Word documents (.docx): properties, and the text in order, followed by footnotes and headers.

External references are not followed; tracked deletions are not text.
"""

from __future__ import annotations

from typing import BinaryIO

from lxml import etree

from windrow.extract.reader_registry import OOXML
from windrow.extract.reading_job import Job, Unreadable
from windrow.extract.xml_packages import Package, local_name, office_properties, walk_elements
from windrow.model.file_content import Extract

_BREAKS = {"p": "\n", "br": "\n", "cr": "\n", "tab": "\t", "tc": "\t"}
_LEFT_OUT = frozenset({"delText", "instrText", "Fallback", "rt"})
_ASIDE = ("footnotes", "endnotes", "comments", "header", "footer")


def read(file: BinaryIO, job: Job) -> Extract:  # noqa: ARG001 - a reader
    package = Package(file)
    body = package.tree("word/document.xml")
    if body is None:
        main = next((name for name in package.names if name.endswith("/document.xml")), "")
        body = package.tree(main) if main else None
    if body is None:
        raise Unreadable("it has no text that could be read")
    said, measured = office_properties(package)
    language = _language(package)
    if language and not any(name == "language" for name, _ in said):
        said.append(("language", language))
    texts = [text_of(body), *(text_of(part) for part in _asides(package))]
    text = "\n".join(filter(None, (each.strip() for each in texts)))
    return Extract(
        f"{OOXML}.wordprocessingml.document",
        said=tuple(said),
        measured=tuple(measured),
        text=(text,) if text else (),
    )


def text_of(root: etree._Element) -> str:
    """Return the text of a part, with paragraphs as lines."""
    pieces: list[str] = []
    skipped = 0
    for is_start, element in walk_elements(root):
        name = local_name(element)
        if name in _LEFT_OUT:
            skipped += 1 if is_start else -1
        elif skipped:
            continue
        elif is_start and name == "t":
            pieces.append(str(element.text or ""))
        elif name in _BREAKS and not is_start:
            pieces.append(_BREAKS[name])
    return "".join(pieces)


def _asides(package: Package) -> list[etree._Element]:
    names = [
        name
        for name in package.names
        if name.startswith("word/") and name.endswith(".xml") and name[5:-4].rstrip("0123456789") in _ASIDE
    ]
    return [tree for tree in map(package.tree, names[:200]) if tree is not None]


def _language(package: Package) -> str:
    """Return the default language of the styles, or ""."""
    styles = package.tree("word/styles.xml")
    for element in styles.iter() if styles is not None else ():
        if local_name(element) == "lang":
            return str(
                next((value for key, value in element.attrib.items() if str(key).endswith("}val")), "")
            )
    return ""
