"""Sound and film: tags and lengths by tinytag; for film also the size from its container."""

from __future__ import annotations

import re
import struct
import warnings
from collections.abc import Iterator
from typing import Any, BinaryIO

from windrow.extract.reading_job import Job, NotInstalled, Unreadable
from windrow.model.file_content import Extract

# MP4 and QuickTime: length and size from their boxes.

MAX_BOXES = 10_000
MAX_HEADER_BYTES = 200
_INNER = frozenset({b"moov", b"trak", b"mdia"})


def read_mp4(file: BinaryIO) -> tuple[tuple[str, str], ...]:
    file.seek(0, 2)
    measured: dict[str, str] = {}
    for name, start, end in _boxes(file, file.tell()):
        file.seek(start)
        data = file.read(min(end - start, MAX_HEADER_BYTES))
        if name == b"mvhd":
            seconds = _seconds(data)
            measured |= {"seconds": f"{seconds:.3f}"} if seconds else {}
        elif name == b"tkhd" and len(data) >= 84:
            width, height = (
                each >> 16
                for each in struct.unpack(">II", data[-8:] if len(data) in (84, 96) else data[76:84])
            )
            if width and height and "width" not in measured:
                measured |= {"width": str(width), "height": str(height)}
    return tuple(measured.items())


def _boxes(file: BinaryIO, length: int) -> Iterator[tuple[bytes, int, int]]:
    """Yield name, start and end of the boxes, nested ones included."""
    waiting, count = [(0, length)], 0
    while waiting and count < MAX_BOXES:
        start, end = waiting.pop()
        while start + 8 <= end and count < MAX_BOXES:
            count += 1
            file.seek(start)
            header = file.read(16)
            if len(header) < 8:
                break
            size, name = int.from_bytes(header[:4]), header[4:8]
            body = start + 8
            if size == 1 and len(header) == 16:
                size, body = int.from_bytes(header[8:16]), start + 16
            size = end - start if size == 0 else size
            if size < body - start or start + size > end:
                break
            if name in _INNER:
                waiting.append((body, start + size))
            yield name, body, start + size
            start += size


def _seconds(data: bytes) -> float:
    try:
        if data[:1] == b"\x01":
            scale, length = struct.unpack_from(">IQ", data, 20)
        else:
            scale, length = struct.unpack_from(">II", data, 12)
    except struct.error:
        return 0.0
    return length / scale if scale and length < 1 << 60 else 0.0


_SAID = (
    ("title", "title"),
    ("creator", "artist"),
    ("source", "album"),
    ("subject", "genre"),
    ("description", "comment"),
    ("contributor", "composer"),
    ("date", "year"),
)
_CONTRIBUTORS = ("albumartist", "conductor", "lyricist", "remixer", "performer")
_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")
_NUMBERED_GENRE = re.compile(r"\(?\d{1,3}\)?")
_CODECS = {
    "audio/mpeg": "MP3",
    "audio/flac": "FLAC",
    "audio/wav": "WAV",
    "audio/aiff": "AIFF",
    "audio/aac": "AAC",
}
LONGEST_VALUE = 20_000


def read(file: BinaryIO, job: Job) -> Extract:
    beginning = file.read(64)
    file.seek(0)
    media_type = job.declared
    is_film = media_type.startswith("video/")
    film = read_mp4(file) if beginning[4:8] == b"ftyp" else ()
    file.seek(0)
    try:
        tag = _tag(file, job)
    except Unreadable:
        if not is_film and not film:
            raise
        notes = () if film else ("its length and tags are not read",)
        return Extract(media_type, measured=film, notes=notes)
    measured = list(film)
    if tag.duration:
        measured.append(("seconds", f"{float(tag.duration):.3f}"))
    codec = "Opus" if b"OpusHead" in beginning else _CODECS.get(media_type)
    measured += [("codec", codec)] if codec else []
    said = tuple((name, value) for name, value in _said(tag) if value)
    return Extract(media_type, said=said, measured=tuple(dict(measured).items()))


def _tag(file: BinaryIO, job: Job) -> Any:
    try:
        from tinytag import TinyTag, UnsupportedFormatError  # noqa: PLC0415
    except ImportError as exc:
        raise NotInstalled("tinytag") from exc
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return TinyTag.get(job.name, file_obj=file, tags=True, duration=True)
        except UnsupportedFormatError:
            raise Unreadable("it is no sound that can be read") from None
        except Exception as exc:
            raise Unreadable("it is broken: neither its tags nor its sound can be read") from exc


def _said(tag: Any) -> list[tuple[str, str]]:
    found = [(name, _words(getattr(tag, field, None))) for name, field in _SAID]
    for field in _CONTRIBUTORS:
        value = getattr(tag, field, None) or (getattr(tag, "other", None) or {}).get(field)
        for each in value if isinstance(value, list) else [value]:
            words = _words(each)
            if words and ("creator", words) not in found:
                found.append(("contributor", words))
    date = _DATE.match(dict(found)["date"])
    found = [(name, (date[0] if date else "") if name == "date" else value) for name, value in found]
    return [
        pair
        for pair in dict.fromkeys(found)
        if pair[0] != "subject" or not _NUMBERED_GENRE.fullmatch(pair[1])
    ]


def _words(value: Any) -> str:
    return " ".join(str("" if value is None else value).replace("\0", " ").split())[:LONGEST_VALUE]
