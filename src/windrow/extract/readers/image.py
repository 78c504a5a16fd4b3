"""Pictures: their size, and what XMP, IPTC and EXIF in them say, believed in this order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, BinaryIO

from windrow.extract.exif import read_exif
from windrow.extract.iptc import read_iptc
from windrow.extract.job import Job
from windrow.extract.picture_files import is_too_large, opened_picture
from windrow.extract.refusing import NotInstalled, Unreadable
from windrow.extract.signatures import DOUBTFUL_PICTURES
from windrow.extract.svg import read_svg
from windrow.extract.xmp import find_packet, read_xmp
from windrow.model.extract import MEASURED, UNREAD, Extract

if TYPE_CHECKING:
    from PIL.ImageFile import ImageFile as Image

_SEARCHED_BYTES = 4_000_000  # for XMP, where Pillow does not tell
_TEXTS = {"title": "title", "author": "creator", "artist": "creator", "description": "description"}
_TEXTS |= {"copyright": "rights", "comment": "description", "creation time": "date", "software": "software"}
_KINDS = {
    "JPEG": "image/jpeg",
    "MPO": "image/jpeg",
    "PNG": "image/png",
    "GIF": "image/gif",
    "TIFF": "image/tiff",
    "WEBP": "image/webp",
    "BMP": "image/bmp",
    "ICO": "image/x-icon",
    "PSD": "image/vnd.adobe.photoshop",
    "JPEG2000": "image/jp2",
    "AVIF": "image/avif",
}
_SVG = b"<svg"
_HEIC = (b"heic", b"heix", b"mif1", b"heim", b"heis", b"hevc")
# The sizes of its images, the whole and its tiles.
_EXTENTS = re.compile(rb"ispe\0{4}(.{4})(.{4})", re.DOTALL)

Pairs = list[tuple[str, str]]


def read(file: BinaryIO, job: Job) -> Extract:
    """Read one file."""
    if job.declared not in DOUBTFUL_PICTURES:
        return _read(file, job)
    try:
        return _read(file, job)
    except NotInstalled:
        raise
    except Unreadable as exc:
        note = f"It was not read: it begins as {job.declared} does, but {exc.reason}."
        return Extract(job.declared, measured=(UNREAD,), notes=(note,))


def _read(file: BinaryIO, job: Job) -> Extract:
    file.seek(0)
    beginning = file.read(4096)
    if _SVG in beginning and not beginning.startswith((b"\x89PNG", b"\xff\xd8")):
        return read_svg(file)
    if beginning[4:8] == b"ftyp" and beginning[8:12] in _HEIC:
        return _of_heic(file)
    with opened_picture(file) as image:
        exif_said, measured = _exif(image)
        taken = [pair for pair in exif_said if pair[0] == "date"]  # the camera knows best when it was
        sources = [taken, _xmp(image, file), _iptc(image), exif_said, _texts(image)]
        notes = ("it has too many pixels to be shown",) if is_too_large(image) else ()
        size = [("width", str(image.width)), ("height", str(image.height))]
        kind = _KINDS.get(image.format or "") or job.declared
    said = merged(sources)
    measured = [*size, *measured, *(pair for pair in said if pair[0] in MEASURED)]
    return Extract(
        kind,
        said=tuple(pair for pair in said if pair[0] not in MEASURED),
        measured=tuple(dict(reversed(measured)).items()),
        notes=notes,
    )


def merged(sources: list[Pairs]) -> Pairs:
    """Of each name what the first source says that says something of it."""
    told: dict[str, list[str]] = {}
    for source in sources:
        names = {name for name, _ in source} - set(told)
        for name, value in source:
            if name in names and value not in told.setdefault(name, []):
                told[name].append(value)
    return [(name, value) for name, values in told.items() for value in values]


def _xmp(image: Image, file: BinaryIO) -> Pairs:
    packet = image.info.get("xmp") or image.info.get("XML:com.adobe.xmp") or b""
    if isinstance(packet, str):
        packet = packet.encode("utf-8", "replace")
    if not packet:
        place = file.tell()
        file.seek(0)
        packet = file.read(_SEARCHED_BYTES)
        file.seek(place)
    return read_xmp(find_packet(packet))


def _iptc(image: Image) -> Pairs:
    from PIL import IptcImagePlugin  # noqa: PLC0415

    try:
        records: Any = IptcImagePlugin.getiptcinfo(image)
    except Exception:  # noqa: BLE001 - whatever broken records make the library raise
        return []
    return read_iptc(records) if records else []


def _exif(image: Image) -> tuple[Pairs, Pairs]:
    try:
        return read_exif(image.getexif())
    except Exception:  # noqa: BLE001 - whatever broken directories make the library raise
        return [], []


def _texts(image: Image) -> Pairs:
    """Texts beside the picture, as PNG and GIF have them."""
    found = []
    for key, value in image.info.items():
        name = _TEXTS.get(str(key).lower())
        text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
        if name and isinstance(text, str) and text.strip():
            found.append((name, " ".join(text.split())[:20_000]))
    return found


def _of_heic(file: BinaryIO) -> Extract:
    """What can be said of a picture that is not unpacked: its size, its XMP, and a note."""
    file.seek(0)
    data = file.read(_SEARCHED_BYTES)
    sizes = [(int.from_bytes(each[1]), int.from_bytes(each[2])) for each in _EXTENTS.finditer(data)]
    width, height = max(sizes, key=lambda size: size[0] * size[1], default=(0, 0))
    return Extract(
        "image/heic",
        said=tuple(pair for pair in read_xmp(find_packet(data)) if pair[0] not in MEASURED),
        measured=(("width", str(width)), ("height", str(height))) if width and height else (),
        notes=("pictures of this kind cannot be shown here",),
    )
