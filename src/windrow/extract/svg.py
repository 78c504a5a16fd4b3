"""Drawings in SVG: their title, description, size and words. Nothing in them is run or followed."""

from __future__ import annotations

import re
from typing import BinaryIO

from windrow.extract.packages import MOST_PART_BYTES, local, parse_xml, words
from windrow.extract.refusing import Unreadable
from windrow.extract.xmp import find_packet, read_xmp
from windrow.model.extract import MEASURED, Extract

MOST_LETTERS = 1_000_000
_PIXELS = re.compile(r"\s*(\d{1,6}(?:\.\d+)?)(?:px)?\s*$")


def read_svg(file: BinaryIO) -> Extract:
    """Read one drawing."""
    file.seek(0)
    data = file.read(MOST_PART_BYTES)
    root = parse_xml(data)
    if root is None or local(root) != "svg":
        raise Unreadable("it is no drawing that can be read")
    said = [
        (name, words(each))
        for name, tag in (("title", "title"), ("description", "desc"))
        for each in root
        if local(each) == tag
    ]
    said += [pair for pair in read_xmp(find_packet(data)) if pair[0] not in MEASURED]
    text = "\n".join(filter(None, (words(each) for each in root.iter() if local(each) == "text")))
    return Extract(
        "image/svg+xml",
        said=tuple(dict.fromkeys(pair for pair in said if pair[1])),
        measured=tuple(_size(root.get("width"), root.get("height"), root.get("viewBox"))),
        text=(text[:MOST_LETTERS],) if text else (),
    )


def _size(width: str | None, height: str | None, box: str | None) -> list[tuple[str, str]]:
    parts = re.split(r"[\s,]+", (box or "").strip())
    wide, high = (parts[2], parts[3]) if len(parts) == 4 else ("", "")
    found = []
    for name, told, other in (("width", width, wide), ("height", height, high)):
        number = _PIXELS.match(told or "") or _PIXELS.match(other)
        if number:
            found.append((name, str(round(float(number[1])))))
    return found
