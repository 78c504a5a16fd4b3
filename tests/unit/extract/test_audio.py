"""Sound and film: tags and lengths."""

from __future__ import annotations

import io
import struct
import wave

import pytest

from windrow.extract.readers.audio import read
from windrow.extract.reading_job import Job, Unreadable


def _wave(seconds: float) -> bytes:
    made = io.BytesIO()
    with wave.open(made, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(int(16000 * seconds)))
    return made.getvalue()


def _frame(name: bytes, text: str) -> bytes:
    body = b"\x03" + text.encode()
    return name + struct.pack(">I", len(body)) + b"\0\0" + body


def _id3(*frames: bytes) -> bytes:
    body = b"".join(frames)
    size = bytes((len(body) >> shift) & 0x7F for shift in (21, 14, 7, 0))
    return b"ID3\x03\0\0" + size + body


def _box(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body) + 8) + name + body


def test_a_recording_has_its_length() -> None:
    found = read(io.BytesIO(_wave(1.5)), Job("a.wav", declared="audio/wav"))
    assert dict(found.measured) == {"seconds": "1.500", "codec": "WAV"}


def test_tags_say_who_and_what() -> None:
    tags = _id3(
        _frame(b"TIT2", "Höskörd"),
        _frame(b"TPE1", "Ann Reed"),
        _frame(b"TALB", "Fields"),
        _frame(b"TCOM", "Bo Ek"),
        _frame(b"TYER", "2004"),
        _frame(b"TCON", "Folk"),
    )
    said = dict(read(io.BytesIO(tags + bytes(2000)), Job("a.mp3", declared="audio/mpeg")).said)
    assert (said["title"], said["creator"], said["contributor"]) == ("Höskörd", "Ann Reed", "Bo Ek")
    assert (said["source"], said["date"], said["subject"]) == ("Fields", "2004", "Folk")


def test_a_film_tells_how_long_and_how_large_it_is() -> None:
    times = bytes(12) + struct.pack(">II", 600, 1500)
    track = bytes(76) + struct.pack(">II", 640 << 16, 360 << 16)
    inner = _box(b"mvhd", times + bytes(80)) + _box(b"trak", _box(b"tkhd", track))
    film = _box(b"ftyp", b"isom\0\0\0\0") + _box(b"moov", inner)
    found = read(io.BytesIO(film), Job("a.mp4", declared="video/mp4"))
    assert {("seconds", "2.500"), ("width", "640"), ("height", "360")} <= set(found.measured)


def test_boxes_without_a_size_end() -> None:
    film = _box(b"ftyp", b"isom") + struct.pack(">I", 4) + b"moov" + bytes(100)
    assert read(io.BytesIO(film), Job("a.mp4", declared="video/mp4")).media_type == "video/mp4"


@pytest.mark.parametrize("data", [b"", b"no sound at all"])
def test_what_is_no_sound_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable):
        read(io.BytesIO(data), Job("a.bin", declared="audio/x-unheard-of"))
