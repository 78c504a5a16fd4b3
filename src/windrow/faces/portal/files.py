"""The file behind a document on its record page: a picture or a player, the way to its text, the download.

Never the text itself: that has pages of its own, under `/document`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from windrow.faces.portal.file_facts import file_facts
from windrow.faces.portal.room import Ways
from windrow.faces.portal.said import Fact
from windrow.faces.shared.file_words import kind_words, size_words
from windrow.faces.shared.frame import Frame
from windrow.faces.shared.wording import cut
from windrow.finding.addresses import document_path, record_path
from windrow.finding.record import RecordView
from windrow.model.document import Document, Link, LinkKind
from windrow.model.held_file import HeldFile
from windrow.model.media import family_of, has_picture

MOST_HEADINGS = 100
DEEPEST_LEVEL = 6
SMALL, LARGE = 320, 1600  # pixels of pictures
_LONGEST_HEADING = 200
_PLAYED = ("audio", "video")
_SHEET = (210, 297)  # the sides of most pages
_MOST_DIGITS = 10  # of a side

Covers = Callable[[str, str], bool]  # by source and identifier: whether there is a picture of a recording


@dataclass(frozen=True, slots=True)
class Chapter:
    """An entry of the file's table of contents."""

    words: str
    level: int
    address: str  # empty where it leads nowhere


@dataclass(frozen=True, slots=True)
class ShownFile:
    """What the page shows of a file."""

    kind: str  # PDF, Picture (JPEG)
    icon: str  # which of the few drawings stands for it
    size: str
    original: str
    player: str  # audio, video, or nothing
    picture: str  # small; empty where there is none
    large: str  # empty where it shows no more than the small one
    widths: tuple[int, int]  # pixels of the two
    leads_to: str  # what a click on the picture opens
    text: str  # empty where there is none
    archive: str  # of which it is a part
    facts: tuple[Fact, ...]
    contents: tuple[Chapter, ...]
    is_longer: bool  # the table of contents has more than these


def show_file(record: RecordView, frame: Frame, ways: Ways, has_cover: Covers) -> ShownFile | None:
    """Give what the page shows of the file; None for a record without one."""
    file = record.document.file
    if file is None:
        return None
    name = (record.source, record.identifier)
    original = frame.link(document_path("original", *name))
    text = frame.link(document_path("text", *name)) if file.has_words else ""
    family = family_of(file.media_type)
    is_seen = has_picture(file) or (family in _PLAYED and has_cover(*name))
    archive = record.identifier.partition("#")[0] if file.member else ""
    return ShownFile(
        kind=kind_words(file.media_type, frame.tongue),
        icon=family if family in (*_PLAYED, "image", "text") else "file",
        size=size_words(file.size, frame.tongue),
        original=original,
        player=family if family in _PLAYED else "",
        picture=frame.link(document_path("picture", *name, size=SMALL)) if is_seen else "",
        large=frame.link(document_path("picture", *name, size=LARGE)) if is_seen and is_large(file) else "",
        widths=(_width(file, SMALL), _width(file, LARGE)),
        leads_to=original if family == "image" else text or original,
        text=text,
        archive=frame.link(record_path(record.source, archive)) if archive else "",
        facts=tuple(file_facts(file, record.identifier, frame.tongue, ways)),
        contents=tuple(_contents(file, name, frame)),
        is_longer=len(file.headings) > MOST_HEADINGS,
    )


def is_large(file: HeldFile) -> bool:
    """Whether a larger picture shows more than a small one: what is small is not blown up."""
    sides = _sides(file)
    return sides is None or max(sides) > SMALL


def _width(file: HeldFile, size: int) -> int:
    """How wide a picture of this size is, which a browser must know to choose; of a page, nearly."""
    width, height = _sides(file) or _SHEET
    longest = max(width, height, size if _sides(file) else 0)
    return max(round(width * size / longest), 1)


def _sides(file: HeldFile) -> tuple[int, int] | None:
    """Width and height in pixels, where the file tells both."""
    width, height = (file.fact(name) for name in ("width", "height"))
    is_told = all(
        side.isascii() and side.isdecimal() and len(side) < _MOST_DIGITS for side in (width, height)
    )
    return (int(width), int(height)) if is_told and int(width) and int(height) else None


def addressed(record: RecordView, site_url: str) -> RecordView:
    """Give the record with the addresses of its file and its picture here, for whoever reads the head."""
    file = record.document.file
    if file is None:
        return record
    return replace(record, document=_linked(record.document, file, record, site_url))


def _linked(document: Document, file: HeldFile, record: RecordView, site_url: str) -> Document:
    name = (record.source, record.identifier)
    kept = [link for link in document.links if link.url != record.identifier]
    own = [Link(site_url + document_path("original", *name), LinkKind.FULLTEXT, None, file.media_type)]
    if has_picture(file):
        url = site_url + document_path("picture", *name, size=SMALL)
        own.append(Link(url, LinkKind.THUMBNAIL))
    return replace(document, links=(*own, *kept))


def _contents(file: HeldFile, name: tuple[str, str], frame: Frame) -> Iterator[Chapter]:
    pages = len(file.text) if file.is_paged else 0
    for heading in file.headings[:MOST_HEADINGS]:
        is_there = heading.page is not None and 1 <= heading.page <= pages
        path = document_path("text", *name, page=heading.page) if is_there else ""
        level = min(max(heading.level, 1), DEEPEST_LEVEL)
        yield Chapter(cut(heading.title, _LONGEST_HEADING), level, frame.link(path) if path else "")
