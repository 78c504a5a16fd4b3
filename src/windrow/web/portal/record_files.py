"""What the record page says of the file behind a document: kind, size, length, place and the like, in words.

All of it was read out of strangers' files: numbers are checked, words are cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from windrow.faces.portal.room import Ways
from windrow.faces.portal.said import Fact, Said
from windrow.faces.shared.catalogues import message
from windrow.faces.shared.file_words import kind_words, length_words, place_words, size_words
from windrow.faces.shared.tongue import Tongue
from windrow.faces.shared.wording import cut
from windrow.finding.question import read_question
from windrow.model.held_file import HeldFile
from windrow.model.query import Word

MOST_FOLDERS = 20
MOST_NOTES = 10
_LONGEST = 200
_MOST_SECONDS = 10**7
_MOST_DIGITS = 12
_MAP = "https://www.openstreetmap.org/?mlat={0:.5f}&mlon={1:.5f}#map=15/{0:.5f}/{1:.5f}"
_GEO = "geo:{0:.5f},{1:.5f}"

FILE, FOLDER, MEMBERS = message("File"), message("Folder"), message("In this archive")
PICTURE, LENGTH, PLACE = message("Size of the picture"), message("Length"), message("Where it was made")
CAMERA, SOFTWARE, ENCODING = message("Camera"), message("Made with"), message("Encoding")
TEXT_LAYER = message("Text layer")
_TEXT_LAYERS = {
    "none": message("None: the pages are pictures, and their words cannot be searched"),
    "some pages": message("Not on all pages: some are pictures, and their words cannot be searched"),
}
NOTES = message("What could not be read")
LABELS = {"camera": CAMERA, "software": SOFTWARE, "encoding": ENCODING}  # of facts that people browse by


def file_facts(file: HeldFile, identifier: str, tongue: Tongue, ways: Ways) -> Iterator[Fact]:
    """Give what there is to say of the file of a record, in the order in which people ask."""
    for label, values in _told(file, identifier, tongue, ways):
        found = tuple(values)
        if found:
            yield Fact(tongue.say(label), found)


def _told(
    file: HeldFile, identifier: str, tongue: Tongue, ways: Ways
) -> Iterator[tuple[str, Iterator[Said]]]:
    yield FILE, _file(file, tongue, ways)
    yield FOLDER, _folders(file, ways)
    yield PICTURE, _pixels(file, tongue)
    yield LENGTH, _length(file)
    yield PLACE, _place(file, tongue)
    yield CAMERA, _words(file, "camera")
    yield SOFTWARE, _words(file, "software")
    yield ENCODING, _words(file, "encoding")
    yield TEXT_LAYER, _text_layer(file, tongue)
    yield MEMBERS, _members(file, identifier, tongue, ways)
    yield NOTES, _notes(file, tongue)


def _file(file: HeldFile, tongue: Tongue, ways: Ways) -> Iterator[Said]:
    yield Said(cut(file.name, _LONGEST))
    yield Said(kind_words(file.media_type, tongue), ways.find("media", file.media_type))
    yield Said(size_words(file.size, tongue))


def _folders(file: HeldFile, ways: Ways) -> Iterator[Said]:
    """The folder and those around it, the outermost first, each with all that lies in it behind it."""
    names = file.folder.split("/")[:MOST_FOLDERS] if file.folder else []
    for name, path in zip(names, accumulate(names, "{}/{}".format), strict=True):
        yield Said(cut(name, _LONGEST), ways.find("folder", path))


def _pixels(file: HeldFile, tongue: Tongue) -> Iterator[Said]:
    width, height = _number(file.fact("width")), _number(file.fact("height"))
    if width and height:
        yield Said(tongue.say("{width} × {height} pixels", width=int(width), height=int(height)))


def _length(file: HeldFile) -> Iterator[Said]:
    seconds = _number(file.fact("seconds"))
    if seconds and seconds < _MOST_SECONDS:
        yield Said(length_words(seconds))


def _place(file: HeldFile, tongue: Tongue) -> Iterator[Said]:
    """Where on earth, and the way to a map: a link that is followed or not, nothing is loaded from there."""
    place = coordinates(file)
    if place is None:
        return
    yield Said(place_words(*place, tongue))
    yield Said(tongue.say("Show on OpenStreetMap"), _MAP.format(*place), is_outside=True)
    yield Said(tongue.say("Open in a map application"), _GEO.format(*place), is_outside=True)


def _words(file: HeldFile, name: str) -> Iterator[Said]:
    found = cut(file.fact(name), _LONGEST)
    if found.strip():
        yield Said(found)


def _text_layer(file: HeldFile, tongue: Tongue) -> Iterator[Said]:
    words = _TEXT_LAYERS.get(file.fact("text-layer"))
    if words:
        yield Said(tongue.say(words))


def _members(file: HeldFile, identifier: str, tongue: Tongue, ways: Ways) -> Iterator[Said]:
    """How many files are in an archive, with the search that finds those that are documents."""
    count = _number(file.fact("members"))
    if count:
        inside = Word(f"{identifier}#*", "identifier", is_pattern=True)
        address = ways.frame.link(read_question([("q", str(inside))]).address())
        yield Said(tongue.several("{count} file", "{count} files", int(count)), address)


def _notes(file: HeldFile, tongue: Tongue) -> Iterator[Said]:
    english = "" if tongue.code == "en" else "en"
    for note in [value for name, value in file.facts if name == "note"][:MOST_NOTES]:
        yield Said(cut(note, _LONGEST), language=english)


def coordinates(file: HeldFile) -> tuple[float, float] | None:
    """Give latitude and longitude where both are some on earth."""
    latitude, longitude = _signed(file.fact("latitude")), _signed(file.fact("longitude"))
    if latitude is None or longitude is None or latitude > 90 or longitude > 180:
        return None
    return (latitude, longitude) if latitude >= -90 and longitude >= -180 else None


def _number(text: str) -> float | None:
    found = _signed(text)
    return found if found is not None and found > 0 else None


def _signed(text: str) -> float | None:
    """A number of few digits; None for all else that Python takes for one."""
    digits = text.removeprefix("-").replace(".", "", 1)
    is_number = digits.isascii() and digits.isdecimal() and len(digits) <= 2 * _MOST_DIGITS
    return float(text) if is_number and len(text.partition(".")[0]) <= _MOST_DIGITS else None
