"""A folder of files of many kinds, made on the spot: what other tools read from them is what we must read."""

from __future__ import annotations

import io
import struct
import wave
from pathlib import Path

from PIL import Image

from tests.unit.extract.encoding_samples import long_samples
from tests.unit.extract.samples import docx, jpeg, package, pdf

ENCRYPTED_PART = (
    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
    '<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry>'
    "</manifest:manifest>"
)
REFUSED = {
    "broken/nothing.pdf": "it is no PDF that can be read",
    "broken/cut.docx": "it is broken",
    "broken/locked.odt": "it is encrypted",
}


def make_files(folder: Path) -> Path:
    """Fill a folder with documents, pictures, sound and text; some of them cannot be read."""
    for number in range(1, 9):
        info = f"/Title (Report {number}) /Author (Mower, Ann) /CreationDate (D:2014050{number}120000Z)"
        _write(folder, f"pdf/{number}.pdf", pdf([f"Page {page}" for page in range(number)], info=info))
    _write(folder, "broken/nothing.pdf", b"%PDF-1.4 and nothing more")
    _write(folder, "broken/cut.docx", docx()[:-40])
    _write(folder, "broken/locked.odt", _locked())
    _write(folder, "office/hay.docx", docx())
    for number in range(6):
        latitude = (60.0, 10.0 + number, 30.0)
        exif = {0x9003: f"2014:05:0{number + 1} 12:00:00", 315: "Rake, Bo"}
        place = {1: "N", 2: latitude, 3: "E", 4: (24.0, 56.0, 6.0)}
        _write(folder, f"pictures/{number}.jpg", jpeg((40 + number, 30), exif={**exif, **place}))
        for kind in ("PNG", "GIF", "TIFF"):
            _write(folder, f"pictures/{number}.{kind.lower()}", _picture(kind, (20 + number, 10)))
    for number in range(1, 5):
        _write(folder, f"sound/{number}.wav", _sound(seconds=number))
    for number, (text, codec) in enumerate(long_samples()):
        _write(folder, f"encodings/{codec}/{number}.txt", text.encode(codec))
    for codec in ("utf-8-sig", "utf-16", "utf-32"):
        _write(folder, f"encodings/{codec}/marked.txt", ("Höbärgning på holmar. " * 20).encode(codec))
    return folder


def _write(folder: Path, path: str, data: bytes) -> None:
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)


def _locked() -> bytes:
    parts: dict[str, str | bytes] = {"mimetype": "application/vnd.oasis.opendocument.text"}
    return package({**parts, "content.xml": b"\x00\x01", "META-INF/manifest.xml": ENCRYPTED_PART})


def _picture(kind: str, size: tuple[int, int]) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", size, "olive").save(made, kind)
    return made.getvalue()


def _sound(*, seconds: int) -> bytes:
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(struct.pack("<h", 0) * 8000 * seconds)
    return made.getvalue()
