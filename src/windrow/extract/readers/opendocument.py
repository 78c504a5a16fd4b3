"""OpenDocument: texts, sheets, slides and drawings, zipped or as one flat XML file."""

from __future__ import annotations

from typing import BinaryIO

from lxml import etree

from windrow.extract.reader_registry import OPEN_DOCUMENT
from windrow.extract.reading_job import Job, Unreadable
from windrow.extract.xml_packages import (
    MAX_PART_BYTES,
    Package,
    element_text,
    local_name,
    parse_xml,
    walk_elements,
)
from windrow.model.file_content import Extract

MOST_REPEATS = 100  # of spaces that one element represents
_META = {
    "title": "title",
    "initial-creator": "creator",
    "creator": "last-writer",
    "subject": "description",
    "description": "description",
    "keyword": "subject",
    "creation-date": "date",
    "date": "modified",
    "language": "language",
    "generator": "software",
}
_LINES = frozenset({"p", "h", "table-row", "line-break", "list-item"})
_LEFT_OUT = frozenset({"tracked-changes", "binary-data", "scripts", "forms"})


def read(file: BinaryIO, job: Job) -> Extract:  # noqa: ARG001 - a reader
    if file.read(2) == b"PK":
        file.seek(0)
        package = Package(file)
        _refuse_encrypted(package)
        kind = (package.part("mimetype") or b"")[:100].decode("ascii", "replace").strip()
        trees = [package.tree("meta.xml"), package.tree("content.xml")]
        body = trees[1]
    else:
        file.seek(0)
        root = parse_xml(file.read(MAX_PART_BYTES))
        kind = (
            "" if root is None else str(next((v for k, v in root.attrib.items() if "mimetype" in str(k)), ""))
        )
        trees, body = (
            [root],
            None if root is None else next((e for e in root if local_name(e) == "body"), None),
        )
    if body is None:
        raise Unreadable("it has no contents that could be read")
    said, measured = _said([tree for tree in trees if tree is not None])
    text = _text(body)
    media_type = kind if kind.startswith(OPEN_DOCUMENT) else f"{OPEN_DOCUMENT}.text"
    return Extract(media_type, said=said, measured=measured, text=(text,) if text else ())


def _refuse_encrypted(package: Package) -> None:
    manifest = package.tree("META-INF/manifest.xml")
    if manifest is not None and any(local_name(each) == "encryption-data" for each in manifest.iter()):
        raise Unreadable("it is encrypted: it needs a password")


def _said(
    trees: list[etree._Element],
) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    found: list[tuple[str, str]] = []
    for meta in (each for tree in trees for each in tree.iter() if local_name(each) == "meta"):
        for element in meta:
            if element_text(element) and local_name(element) in _META:
                found.append((_META[local_name(element)], element_text(element)))
            for key, value in element.attrib.items() if local_name(element) == "document-statistic" else ():
                if str(key).endswith("page-count"):
                    found.append(("pages", str(value)))
    has_creator = any(name == "creator" for name, _ in found)
    found = [
        ("creator" if name == "last-writer" else name, value)
        for name, value in dict.fromkeys(found)
        if name != "last-writer" or not has_creator
    ]
    measured = ("software", "pages")
    return (
        tuple(pair for pair in found if pair[0] not in measured),
        tuple(pair for pair in found if pair[0] in measured),
    )


def _text(body: etree._Element) -> str:
    pieces: list[str] = []
    skipped = 0
    for is_start, element in walk_elements(body):
        name = local_name(element)
        if name in _LEFT_OUT:
            skipped += 1 if is_start else -1
        if is_start:
            if not skipped:
                pieces.append(
                    _spaces(element) if name == "s" else "\t" if name in ("tab", "table-cell") else ""
                )
                pieces.append(str(element.text or ""))
        else:
            pieces.append("\n" if name in _LINES and not skipped else "")
            if not skipped and element is not body:
                pieces.append(str(element.tail or ""))
    lines = (line.strip() for line in "".join(pieces).splitlines())
    return "\n".join(line for line in lines if line)


def _spaces(element: etree._Element) -> str:
    count = next((str(value) for key, value in element.attrib.items() if str(key).endswith("}c")), "1")
    return " " * (min(int(count), MOST_REPEATS) if count.isdecimal() and len(count) < 6 else 1)
