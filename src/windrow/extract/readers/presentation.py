"""Presentations (.pptx): each slide is a page, with its notes."""

from __future__ import annotations

import posixpath
import re
from typing import BinaryIO

from windrow.extract.reader_registry import OOXML
from windrow.extract.reading_job import Job, Unreadable
from windrow.extract.xml_packages import Package, local_name, office_properties, walk_elements
from windrow.model.file_content import Extract

MOST_SLIDES = 2_000
_SLIDE = re.compile(r"ppt/slides/slide(\d{1,6})\.xml")


def read(file: BinaryIO, job: Job) -> Extract:  # noqa: ARG001 - a reader
    package = Package(file)
    slides = _slides(package)
    if not slides:
        raise Unreadable("it has no slides that could be read")
    said, measured = office_properties(package)
    pages = [_slide(package, name) for name in slides[:MOST_SLIDES]]
    measured = [pair for pair in measured if pair[0] != "pages"] + [("pages", str(len(slides)))]
    notes = () if len(slides) <= MOST_SLIDES else (f"only the first {MOST_SLIDES:,} slides were read",)
    return Extract(
        f"{OOXML}.presentationml.presentation",
        said=tuple(said),
        measured=tuple(measured),
        text=tuple(pages) if any(pages) else (),
        is_paged=True,
        notes=notes,
    )


def _slides(package: Package) -> list[str]:
    """Return the slides in the order of the show, or by number if that is missing."""
    numbered = sorted((int(found[1]), found[0]) for found in map(_SLIDE.fullmatch, package.names) if found)
    names = [name for _, name in numbered]
    targets = _related(package, "ppt/presentation.xml")
    show = package.tree("ppt/presentation.xml")
    order = []
    for element in show.iter() if show is not None else ():
        if local_name(element) == "sldId":
            marks = [str(value) for key, value in element.attrib.items() if str(key).endswith("}id")]
            order += [targets[mark] for mark in marks if targets.get(mark) in package.names]
    return list(dict.fromkeys(order)) or names


def _related(package: Package, part: str) -> dict[str, str]:
    """Return the parts that a part refers to in this package, by relationship id."""
    folder, _, name = part.rpartition("/")
    root = package.tree(f"{folder}/_rels/{name}.rels")
    found = {}
    for element in root if root is not None else ():
        if element.get("TargetMode") != "External":
            target = str(element.get("Target") or "")
            found[str(element.get("Id"))] = posixpath.normpath(posixpath.join("/", folder, target)).lstrip(
                "/"
            )
    return found


def _slide(package: Package, name: str) -> str:
    noted = [target for target in _related(package, name).values() if "notesSlide" in target][:1]
    return "\n".join(filter(None, (_text(package, each) for each in (name, *noted))))


def _text(package: Package, name: str) -> str:
    root = package.tree(name)
    pieces: list[str] = []
    for is_start, element in walk_elements(root) if root is not None else ():
        if local_name(element) == "t" and is_start:
            pieces.append(str(element.text or ""))
        elif local_name(element) in ("p", "br") and not is_start:
            pieces.append("\n")
    return "".join(pieces).strip()
