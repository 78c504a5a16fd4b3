"""The file of a document on its record page: facts, a picture or player, links to text and download.

All facts come from untrusted files: numbers are checked and texts are cut. The text itself is never shown
here; it has pages of its own under `/document`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate

from windrow.model.document import Document, HeldFile, Link, LinkKind
from windrow.model.file_content import family_of, has_picture
from windrow.model.query import Word
from windrow.search.record_addresses import document_path, record_path
from windrow.search.record_view import RecordView
from windrow.search.request import read_request
from windrow.web.i18n.translation import Translator, message
from windrow.web.i18n.value_labels import coordinates_label, duration_label, file_size_label, file_type_label
from windrow.web.layout.page_layout import PageLayout
from windrow.web.layout.page_text import Fact, LinkedText, truncate
from windrow.web.portal.portal_context import PortalLinks

MAX_FOLDERS = 20
MAX_NOTES = 10
_MAX_VALUE_LENGTH = 200
_MAX_SECONDS = 10**7
_MAX_NUMBER_DIGITS = 12
_MAP = "https://www.openstreetmap.org/?mlat={0:.5f}&mlon={1:.5f}#map=15/{0:.5f}/{1:.5f}"
_GEO = "geo:{0:.5f},{1:.5f}"

FILE_LABEL, FOLDER_LABEL, MEMBERS_LABEL = message("File"), message("Folder"), message("In this archive")
PICTURE_LABEL, LENGTH_LABEL, PLACE_LABEL = (
    message("Size of the picture"),
    message("Length"),
    message("Where it was made"),
)
CAMERA_LABEL, SOFTWARE_LABEL, ENCODING_LABEL = message("Camera"), message("Made with"), message("Encoding")
TEXT_LAYER_LABEL = message("Text layer")
_TEXT_LAYERS = {
    "none": message("None: the pages are pictures, and their words cannot be searched"),
    "some pages": message("Not on all pages: some are pictures, and their words cannot be searched"),
}
NOTES_LABEL = message("What could not be read")
FILE_LABELS = {
    "camera": CAMERA_LABEL,
    "software": SOFTWARE_LABEL,
    "encoding": ENCODING_LABEL,
}  # of facts that can be browsed


def file_facts(file: HeldFile, identifier: str, tongue: Translator, ways: PortalLinks) -> Iterator[Fact]:
    for label, values in _gather_facts(file, identifier, tongue, ways):
        found = tuple(values)
        if found:
            yield Fact(tongue.say(label), found)


def _gather_facts(
    file: HeldFile, identifier: str, tongue: Translator, ways: PortalLinks
) -> Iterator[tuple[str, Iterator[LinkedText]]]:
    yield FILE_LABEL, _describe_file(file, tongue, ways)
    yield FOLDER_LABEL, _describe_folders(file, ways)
    yield PICTURE_LABEL, _describe_pixels(file, tongue)
    yield LENGTH_LABEL, _describe_length(file)
    yield PLACE_LABEL, _describe_place(file, tongue)
    yield CAMERA_LABEL, _describe_value(file, "camera")
    yield SOFTWARE_LABEL, _describe_value(file, "software")
    yield ENCODING_LABEL, _describe_value(file, "encoding")
    yield TEXT_LAYER_LABEL, _describe_text_layer(file, tongue)
    yield MEMBERS_LABEL, _describe_members(file, identifier, tongue, ways)
    yield NOTES_LABEL, _describe_notes(file, tongue)


def _describe_file(file: HeldFile, tongue: Translator, ways: PortalLinks) -> Iterator[LinkedText]:
    yield LinkedText(truncate(file.name, _MAX_VALUE_LENGTH))
    yield LinkedText(file_type_label(file.media_type, tongue), ways.find("media", file.media_type))
    yield LinkedText(file_size_label(file.size, tongue))


def _describe_folders(file: HeldFile, ways: PortalLinks) -> Iterator[LinkedText]:
    """Yield the folder and its parents, outermost first, each with a link to all documents in it."""
    names = file.folder.split("/")[:MAX_FOLDERS] if file.folder else []
    for name, path in zip(names, accumulate(names, "{}/{}".format), strict=True):
        yield LinkedText(truncate(name, _MAX_VALUE_LENGTH), ways.find("folder", path))


def _describe_pixels(file: HeldFile, tongue: Translator) -> Iterator[LinkedText]:
    width, height = _parse_positive(file.fact("width")), _parse_positive(file.fact("height"))
    if width and height:
        yield LinkedText(tongue.say("{width} × {height} pixels", width=int(width), height=int(height)))


def _describe_length(file: HeldFile) -> Iterator[LinkedText]:
    seconds = _parse_positive(file.fact("seconds"))
    if seconds and seconds < _MAX_SECONDS:
        yield LinkedText(duration_label(seconds))


def _describe_place(file: HeldFile, tongue: Translator) -> Iterator[LinkedText]:
    """Yield coordinates and a link to a map: nothing is loaded from the map's server."""
    place = parse_coordinates(file)
    if place is None:
        return
    yield LinkedText(coordinates_label(*place, tongue))
    yield LinkedText(tongue.say("Show on OpenStreetMap"), _MAP.format(*place), is_outside=True)
    yield LinkedText(tongue.say("Open in a map application"), _GEO.format(*place), is_outside=True)


def _describe_value(file: HeldFile, name: str) -> Iterator[LinkedText]:
    found = truncate(file.fact(name), _MAX_VALUE_LENGTH)
    if found.strip():
        yield LinkedText(found)


def _describe_text_layer(file: HeldFile, tongue: Translator) -> Iterator[LinkedText]:
    words = _TEXT_LAYERS.get(file.fact("text-layer"))
    if words:
        yield LinkedText(tongue.say(words))


def _describe_members(
    file: HeldFile, identifier: str, tongue: Translator, ways: PortalLinks
) -> Iterator[LinkedText]:
    count = _parse_positive(file.fact("members"))
    if count:
        inside = Word(f"{identifier}#*", "identifier", is_pattern=True)
        address = ways.frame.link(read_request([("q", str(inside))]).address())
        yield LinkedText(tongue.several("{count} file", "{count} files", int(count)), address)


def _describe_notes(file: HeldFile, tongue: Translator) -> Iterator[LinkedText]:
    english = "" if tongue.code == "en" else "en"
    for note in [value for name, value in file.facts if name == "note"][:MAX_NOTES]:
        yield LinkedText(truncate(note, _MAX_VALUE_LENGTH), language=english)


def parse_coordinates(file: HeldFile) -> tuple[float, float] | None:
    """Return latitude and longitude if both are valid."""
    latitude, longitude = _parse_signed(file.fact("latitude")), _parse_signed(file.fact("longitude"))
    if latitude is None or longitude is None or latitude > 90 or longitude > 180:
        return None
    return (latitude, longitude) if latitude >= -90 and longitude >= -180 else None


def _parse_positive(text: str) -> float | None:
    found = _parse_signed(text)
    return found if found is not None and found > 0 else None


def _parse_signed(text: str) -> float | None:
    """Parse a short decimal number; None for anything else that `float` would accept."""
    digits = text.removeprefix("-").replace(".", "", 1)
    is_number = digits.isascii() and digits.isdecimal() and len(digits) <= 2 * _MAX_NUMBER_DIGITS
    return float(text) if is_number and len(text.partition(".")[0]) <= _MAX_NUMBER_DIGITS else None


MAX_HEADINGS = 100
MAX_CHAPTER_LEVEL = 6
SMALL_PIXELS, LARGE_PIXELS = 320, 1600  # pixels of pictures
_MAX_HEADING_LENGTH = 200
_PLAYED = ("audio", "video")
_A4_MILLIMETRES = (210, 297)  # the size of most pages
_MAX_SIDE_DIGITS = 10  # of a side

HasCover = Callable[[str, str], bool]  # by source and identifier: whether a recording has a picture


@dataclass(frozen=True, slots=True)
class FileChapter:
    """An entry of the file's table of contents."""

    words: str
    level: int
    address: str  # empty where it has no target


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A file as the record page shows it."""

    kind: str  # PDF, Picture (JPEG)
    icon: str  # name of its icon
    size: str
    original: str
    player: str  # audio, video, or empty
    picture: str  # small; empty where there is none
    large: str  # empty where it shows no more than the small one
    widths: tuple[int, int]  # pixels of the two
    leads_to: str  # what a click on the picture opens
    text: str  # empty where there is none
    archive: str  # of which it is a part
    facts: tuple[Fact, ...]
    contents: tuple[FileChapter, ...]
    is_longer: bool  # the table of contents has more entries than these


def show_file(
    record: RecordView, frame: PageLayout, ways: PortalLinks, has_cover: HasCover
) -> ShownFile | None:
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
        kind=file_type_label(file.media_type, frame.tongue),
        icon=family if family in (*_PLAYED, "image", "text") else "file",
        size=file_size_label(file.size, frame.tongue),
        original=original,
        player=family if family in _PLAYED else "",
        picture=frame.link(document_path("picture", *name, size=SMALL_PIXELS)) if is_seen else "",
        large=frame.link(document_path("picture", *name, size=LARGE_PIXELS))
        if is_seen and is_enlargeable(file)
        else "",
        widths=(_picture_width(file, SMALL_PIXELS), _picture_width(file, LARGE_PIXELS)),
        leads_to=original if family == "image" else text or original,
        text=text,
        archive=frame.link(record_path(record.source, archive)) if archive else "",
        facts=tuple(file_facts(file, record.identifier, frame.tongue, ways)),
        contents=tuple(_file_chapters(file, name, frame)),
        is_longer=len(file.headings) > MAX_HEADINGS,
    )


def is_enlargeable(file: HeldFile) -> bool:
    """Return whether a larger picture shows more than the small one: small pictures are not enlarged."""
    sides = _picture_sides(file)
    return sides is None or max(sides) > SMALL_PIXELS


def _picture_width(file: HeldFile, size: int) -> int:
    """Return the width of a picture of this size, which browsers need for `srcset`; approximate for pages."""
    width, height = _picture_sides(file) or _A4_MILLIMETRES
    longest = max(width, height, size if _picture_sides(file) else 0)
    return max(round(width * size / longest), 1)


def _picture_sides(file: HeldFile) -> tuple[int, int] | None:
    width, height = (file.fact(name) for name in ("width", "height"))
    is_told = all(
        side.isascii() and side.isdecimal() and len(side) < _MAX_SIDE_DIGITS for side in (width, height)
    )
    return (int(width), int(height)) if is_told and int(width) and int(height) else None


def with_file_addresses(record: RecordView, site_url: str) -> RecordView:
    """Return the record with the addresses of its file and picture here, for metadata in the page's head."""
    file = record.document.file
    if file is None:
        return record
    return replace(record, document=_link_files(record.document, file, record, site_url))


def _link_files(document: Document, file: HeldFile, record: RecordView, site_url: str) -> Document:
    name = (record.source, record.identifier)
    kept = [link for link in document.links if link.url != record.identifier]
    own = [Link(site_url + document_path("original", *name), LinkKind.FULLTEXT, None, file.media_type)]
    if has_picture(file):
        url = site_url + document_path("picture", *name, size=SMALL_PIXELS)
        own.append(Link(url, LinkKind.THUMBNAIL))
    return replace(document, links=(*own, *kept))


def _file_chapters(file: HeldFile, name: tuple[str, str], frame: PageLayout) -> Iterator[FileChapter]:
    pages = len(file.text) if file.is_paged else 0
    for heading in file.headings[:MAX_HEADINGS]:
        is_there = heading.page is not None and 1 <= heading.page <= pages
        path = document_path("text", *name, page=heading.page) if is_there else ""
        level = min(max(heading.level, 1), MAX_CHAPTER_LEVEL)
        yield FileChapter(
            truncate(heading.title, _MAX_HEADING_LENGTH), level, frame.link(path) if path else ""
        )
