"""Spreadsheets (.xlsx): the names of the sheets and the text of their cells; formulas are not evaluated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from lxml import etree

from windrow.extract.reader_registry import OOXML
from windrow.extract.reading_job import Job, Unreadable
from windrow.extract.xml_packages import Package, element_text, local_name, office_properties
from windrow.model.file_content import Extract

MOST_LETTERS = 1_000_000  # the far end of a machine-made table is never searched for
_SHEET = re.compile(r"xl/worksheets/sheet(\d{1,6})\.xml")


def read(file: BinaryIO, job: Job) -> Extract:  # noqa: ARG001 - a reader
    package = Package(file)
    book = package.tree("xl/workbook.xml")
    sheets = sorted((int(found[1]), found[0]) for found in map(_SHEET.fullmatch, package.names) if found)
    if book is None or not sheets:
        raise Unreadable("it has no sheets that could be read")
    said, measured = office_properties(package)
    pieces: list[str] = [str(each.get("name") or "") for each in book.iter() if local_name(each) == "sheet"]
    shared, letters = _shared(package), 0
    notes: tuple[str, ...] = ()
    for _, name in sheets:
        for row in _rows(package.tree(name), shared):
            letters += len(row)
            if letters > MOST_LETTERS:
                notes = (f"only the first {MOST_LETTERS:,} letters of its cells were read",)
                break
            pieces.append(row)
        if notes:
            break
    text = "\n".join(filter(None, pieces))
    return Extract(
        f"{OOXML}.spreadsheetml.sheet",
        said=tuple(said),
        measured=tuple(measured),
        text=(text,) if text else (),
        notes=notes,
    )


def _shared(package: Package) -> list[str]:
    """Return the shared strings, to which cells refer by number."""
    root = package.tree("xl/sharedStrings.xml")
    return [] if root is None else [element_text(item) for item in root if local_name(item) == "si"]


def _rows(root: etree._Element | None, shared: list[str]) -> Iterator[str]:
    for row in root.iter() if root is not None else ():
        if local_name(row) == "row":
            cells = (_cell(cell, shared) for cell in row if local_name(cell) == "c")
            yield "\t".join(filter(None, cells))


def _cell(cell: etree._Element, shared: list[str]) -> str:
    value = next((each for each in cell if local_name(each) in ("v", "is")), None)
    written = element_text(value)
    if cell.get("t") != "s":
        return written
    return shared[int(written)] if written.isdecimal() and int(written) < len(shared) else ""
