"""Pictures: their size, and metadata from XMP, IPTC and EXIF, in this order of precedence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, BinaryIO

from windrow.extract.picture_files import is_too_large, open_picture
from windrow.extract.reading_job import Job, NotInstalled, Unreadable
from windrow.extract.signatures import DOUBTFUL_PICTURES
from windrow.extract.text_decoding import decode
from windrow.extract.xml_packages import MAX_PART_BYTES, element_text, local_name, parse_xml
from windrow.extract.xmp import find_packet, read_xmp
from windrow.model.file_content import MEASURED_FACTS, UNREAD, Extract

if TYPE_CHECKING:
    from PIL.ImageFile import ImageFile as Image

# EXIF, as cameras write it: creator, date, place and camera.

_IFD_EXIF, _IFD_GPS = 0x8769, 0x8825
_DESCRIPTION, _MAKE, _MODEL, _SOFTWARE, _CHANGED, _ARTIST, _COPYRIGHT = (
    0x010E,
    0x010F,
    0x0110,
    0x0131,
    0x0132,
    0x013B,
    0x8298,
)
_TAKEN, _DIGITIZED, _ZONE, _TAKEN_ZONE, _DIGITIZED_ZONE, _COMMENT = (
    0x9003,
    0x9004,
    0x9010,
    0x9011,
    0x9012,
    0x9286,
)
# Windows writes these as UTF-16.
_WINDOWS = {
    0x9C9B: "title",
    0x9C9D: "creator",
    0x9C9E: "subject",
    0x9C9F: "description",
    0x9C9C: "description",
}
_EXIF_DATE = re.compile(r"(\d{4})[:/-](\d\d)[:/-](\d\d)(?:[ T](\d\d):(\d\d):(\d\d))?")
_OFFSET = re.compile(r"[+-]\d\d:\d\d|Z")
_CHARSETS = {
    b"ASCII\0\0\0": "latin-1",
    b"UNICODE\0": "utf-16",
    b"JIS\0\0\0\0\0": "iso2022_jp",
    bytes(8): "utf-8",
}
# Default texts of cameras and programs.
_EMPTY_WORDS = frozenset(
    {"OLYMPUS DIGITAL CAMERA", "SONY DSC", "KONICA MINOLTA DIGITAL CAMERA", "DIGITAL CAMERA", "ASCII"}
)

Pairs = list[tuple[str, str]]


def read_exif(exif: Any) -> tuple[Pairs, Pairs]:
    """Return the stated and the measured facts in Pillow's EXIF data."""
    main: Mapping[int, Any] = dict(exif)
    inner, place = _part(exif, _IFD_EXIF), _part(exif, _IFD_GPS)
    said = [(name, value) for name, value in _said(main, inner) if value]
    camera = _camera(_words(main.get(_MAKE)), _words(main.get(_MODEL)))
    measured = [("camera", camera), ("software", _words(main.get(_SOFTWARE))), *_position(place)]
    return list(dict.fromkeys(said)), [(name, value) for name, value in measured if value]


def read_date(text: str, zone: str = "") -> str:
    """Return an EXIF date in ISO 8601; "" if it is invalid, or all zeros."""
    found = _EXIF_DATE.match(text.strip())
    if found is None or found[1] == "0000" or not "01" <= found[2] <= "12" or not "01" <= found[3] <= "31":
        return ""
    date = f"{found[1]}-{found[2]}-{found[3]}"
    if found[4] is None or found[4] > "23" or found[5] > "59" or found[6] > "60":
        return date
    return f"{date}T{found[4]}:{found[5]}:{found[6]}{zone if _OFFSET.fullmatch(zone) else ''}"


def _part(exif: Any, number: int) -> Mapping[int, Any]:
    try:
        return dict(exif.get_ifd(number))
    except Exception:  # noqa: BLE001 - a broken directory makes the library raise anything
        return {}


def _said(main: Mapping[int, Any], inner: Mapping[int, Any]) -> Iterator[tuple[str, str]]:
    title = _words(main.get(_DESCRIPTION))
    yield "description", "" if title.upper() in _EMPTY_WORDS else title
    yield "creator", _words(main.get(_ARTIST))
    yield "rights", _words(main.get(_COPYRIGHT))
    zones = {name: _words(inner.get(name)) for name in (_ZONE, _TAKEN_ZONE, _DIGITIZED_ZONE)}
    taken = read_date(_words(inner.get(_TAKEN)), zones[_TAKEN_ZONE])
    yield "date", taken or read_date(_words(inner.get(_DIGITIZED)), zones[_DIGITIZED_ZONE])
    yield "modified", read_date(_words(main.get(_CHANGED)), zones[_ZONE])
    yield "description", _comment(inner.get(_COMMENT))
    for number, name in _WINDOWS.items():
        words = _wide(main.get(number))
        if name == "subject":
            yield from (("subject", word.strip()) for word in words.split(";"))
        else:
            yield name, words


def _words(value: Any) -> str:
    if isinstance(value, tuple):
        value = value[0] if value else ""
    if isinstance(value, bytes):
        try:
            value = value.decode()
        except UnicodeDecodeError:
            value = value.decode("latin-1")
    elif isinstance(value, str) and not value.isascii():
        value = _fix_encoding(value)
    return " ".join(str("" if value is None else value).partition("\0")[0].split())


def _fix_encoding(value: str) -> str:
    """Decode as UTF-8, which most programs write, what Pillow has read as Latin-1."""
    try:
        return value.encode("latin-1").decode()
    except UnicodeError:
        return value


def _wide(value: Any) -> str:
    if isinstance(value, tuple):
        value = bytes(each & 0xFF for each in value if isinstance(each, int))
    if not isinstance(value, bytes):
        return ""
    return " ".join(value.decode("utf-16-le", "ignore").replace("\0", " ").split())


def _comment(value: Any) -> str:
    if not isinstance(value, bytes) or len(value) <= 8:
        return ""
    encoding, text = _CHARSETS.get(value[:8]), value[8:]
    if encoding == "utf-16" and not text.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16-le" if text[1:2] == b"\0" else "utf-16-be"
    words = text.decode(encoding or "utf-8", "ignore").replace("\0", " ")
    return " ".join(words.split()) if words.isprintable() or "\n" in words else ""


def _camera(make: str, model: str) -> str:
    """Name the maker once; many repeat it in the model."""
    return (
        model
        if make and model.lower().startswith(make.partition(" ")[0].lower())
        else f"{make} {model}".strip()
    )


def _position(place: Mapping[int, Any]) -> Iterator[tuple[str, str]]:
    latitude = _degrees(place.get(2), _words(place.get(1)) == "S", 90)
    longitude = _degrees(place.get(4), _words(place.get(3)) == "W", 180)
    if latitude and longitude:
        yield "latitude", latitude
        yield "longitude", longitude
        height = _number(place.get(6))
        if height is not None:
            below = place.get(5) in (1, b"\x01")
            yield "altitude", f"{float(-height if below else height):.1f}"


def _degrees(parts: Any, is_negative: bool, most: int) -> str:
    numbers = [_number(part) for part in parts] if isinstance(parts, tuple | list) else []
    whole = [number for number in numbers[:3] if number is not None]
    if not whole or len(whole) < len(numbers[:3]):
        return ""
    found = sum((number / 60**place for place, number in enumerate(whole)), Fraction(0))
    return f"{float(-found if is_negative else found):.6f}" if 0 <= found <= most else ""


def _number(value: Any) -> Fraction | None:
    """Return an EXIF rational, whose denominator may be zero."""
    try:
        top, bottom = getattr(value, "numerator", value), getattr(value, "denominator", 1)
        return Fraction(int(top), int(bottom))
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        return None


# IPTC-IIM, as news agencies write it into pictures: captions, names, keywords, places.

_UTF_8 = b"\x1b%G"
_CHARSET = (1, 90)
_TITLES = ((2, 5), (2, 105))
_NAMES = {
    (2, 80): "creator",
    (2, 25): "subject",
    (2, 15): "subject",
    (2, 120): "description",
    (2, 116): "rights",
    (2, 92): "coverage",
    (2, 90): "coverage",
    (2, 95): "coverage",
    (2, 101): "coverage",
    (2, 115): "source",
}
_IPTC_DATE, _TIME = (2, 55), (2, 60)
MAX_IPTC_VALUES = 200


def read_iptc(records: Mapping[tuple[int, int], Any]) -> list[tuple[str, str]]:
    is_utf_8 = records.get(_CHARSET) == _UTF_8
    said: list[tuple[str, str]] = []
    titles = [words for key in _TITLES for words in _values(records, key, is_utf_8)]
    said += [("title", titles[0])] if titles else []
    for key, name in _NAMES.items():
        said += [(name, words) for words in _values(records, key, is_utf_8)]
    date = _date(*(" ".join(_values(records, key, is_utf_8)[:1]) for key in (_IPTC_DATE, _TIME)))
    return list(dict.fromkeys([*said, *([("date", date)] if date else [])]))


def _values(records: Mapping[tuple[int, int], Any], key: tuple[int, int], is_utf_8: bool) -> list[str]:
    found = records.get(key, [])
    values = found if isinstance(found, list) else [found]
    texts = (
        value.decode("utf-8", "replace") if is_utf_8 else decode(value)[0]
        for value in values[:MAX_IPTC_VALUES]
    )
    return [words for text in texts if (words := " ".join(text.replace("\0", " ").split()))]


def _date(day: str, time: str) -> str:
    found = re.match(r"(\d{4})(\d\d)(\d\d)$", day)
    if found is None or found[1] == "0000":
        return ""
    parts = [part for part in found.groups() if part != "00"]
    clock = re.match(r"(\d\d)(\d\d)(\d\d)([+-]\d\d)(\d\d)$", time)
    if clock is None or len(parts) < 3:
        return "-".join(parts)
    hour, minute, second, ahead, minutes = clock.groups()
    return f"{'-'.join(parts)}T{hour}:{minute}:{second}{ahead}:{minutes}"


# SVG: title, description, size and text. Nothing is executed or followed.

MAX_SVG_CHARACTERS = 1_000_000
_PIXELS = re.compile(r"\s*(\d{1,6}(?:\.\d+)?)(?:px)?\s*$")


def read_svg(file: BinaryIO) -> Extract:
    file.seek(0)
    data = file.read(MAX_PART_BYTES)
    root = parse_xml(data)
    if root is None or local_name(root) != "svg":
        raise Unreadable("it is no drawing that can be read")
    said = [
        (name, element_text(each))
        for name, tag in (("title", "title"), ("description", "desc"))
        for each in root
        if local_name(each) == tag
    ]
    said += [pair for pair in read_xmp(find_packet(data)) if pair[0] not in MEASURED_FACTS]
    text = "\n".join(filter(None, (element_text(each) for each in root.iter() if local_name(each) == "text")))
    return Extract(
        "image/svg+xml",
        said=tuple(dict.fromkeys(pair for pair in said if pair[1])),
        measured=tuple(_drawing_size(root.get("width"), root.get("height"), root.get("viewBox"))),
        text=(text[:MAX_SVG_CHARACTERS],) if text else (),
    )


def _drawing_size(width: str | None, height: str | None, box: str | None) -> list[tuple[str, str]]:
    parts = re.split(r"[\s,]+", (box or "").strip())
    wide, high = (parts[2], parts[3]) if len(parts) == 4 else ("", "")
    found = []
    for name, told, other in (("width", width, wide), ("height", height, high)):
        number = _PIXELS.match(told or "") or _PIXELS.match(other)
        if number:
            found.append((name, str(round(float(number[1])))))
    return found


_SEARCHED_BYTES = 4_000_000  # searched for XMP if Pillow does not report it
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


def read(file: BinaryIO, job: Job) -> Extract:
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
    with open_picture(file) as image:
        exif_said, measured = _exif(image)
        taken = [pair for pair in exif_said if pair[0] == "date"]  # the camera's date is the most reliable
        sources = [taken, _xmp(image, file), _iptc(image), exif_said, _texts(image)]
        notes = ("it has too many pixels to be shown",) if is_too_large(image) else ()
        size = [("width", str(image.width)), ("height", str(image.height))]
        kind = _KINDS.get(image.format or "") or job.declared
    said = merged(sources)
    measured = [*size, *measured, *(pair for pair in said if pair[0] in MEASURED_FACTS)]
    return Extract(
        kind,
        said=tuple(pair for pair in said if pair[0] not in MEASURED_FACTS),
        measured=tuple(dict(reversed(measured)).items()),
        notes=notes,
    )


def merged(sources: list[Pairs]) -> Pairs:
    """Merge facts: each name comes from the first source that has it."""
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
    except Exception:  # noqa: BLE001 - broken records make the library raise anything
        return []
    return read_iptc(records) if records else []


def _exif(image: Image) -> tuple[Pairs, Pairs]:
    try:
        return read_exif(image.getexif())
    except Exception:  # noqa: BLE001 - broken directories make the library raise anything
        return [], []


def _texts(image: Image) -> Pairs:
    found = []
    for key, value in image.info.items():
        name = _TEXTS.get(str(key).lower())
        text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
        if name and isinstance(text, str) and text.strip():
            found.append((name, " ".join(text.split())[:20_000]))
    return found


def _of_heic(file: BinaryIO) -> Extract:
    """Describe a picture that is not decoded: its size, its XMP, and a note."""
    file.seek(0)
    data = file.read(_SEARCHED_BYTES)
    sizes = [(int.from_bytes(each[1]), int.from_bytes(each[2])) for each in _EXTENTS.finditer(data)]
    width, height = max(sizes, key=lambda size: size[0] * size[1], default=(0, 0))
    return Extract(
        "image/heic",
        said=tuple(pair for pair in read_xmp(find_packet(data)) if pair[0] not in MEASURED_FACTS),
        measured=(("width", str(width)), ("height", str(height))) if width and height else (),
        notes=("pictures of this kind cannot be shown here",),
    )
