"""A folder of documents: what the library knows of them, and the files as the faces ask for them."""

from __future__ import annotations

import hashlib
import io
import threading
import wave
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image, ImageDraw

from tests.unit.search.catalogue import Catalogue
from windrow.formats.windrow_document import PREFIX, DocumentLocation, write_extracted
from windrow.model.file_content import Extract
from windrow.web.documents.document_files import OriginalFile

SOURCE = "barn"
ROOT = "https://barn.example/"
COLOURS = ("#7a5c2e", "#2e5c7a", "#5c7a2e", "#7a2e5c", "#2e7a5c")


@dataclass
class Folder:
    """Files that lie somewhere, and their descriptions in a catalogue. It is what `Holdings` asks for."""

    path: Path
    catalogue: Catalogue
    types: dict[str, str] = field(default_factory=dict)
    made: list[tuple[str, int, int]] = field(default_factory=list)  # pictures, with their size and page
    kept: dict[tuple[str, int, int], bytes] = field(default_factory=dict)
    gate: threading.Event | None = None  # what the making of a picture waits for

    def add(
        self, name: str, content: bytes, extract: Extract, *, member: str = "", sets: tuple[str, ...] = ()
    ) -> str:
        """Put a file into the folder and its description into the library; give its identifier."""
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).write_bytes(content)
        identifier = f"{ROOT}{name}#{member}" if member else ROOT + name
        digest = hashlib.sha256(content).hexdigest()
        place = DocumentLocation(ROOT + name, name, len(content), "2024-05-17T10:20:30Z", digest, member)
        payload = write_extracted(place, extract, reader="test", version="1")
        self.catalogue.add(identifier, source=SOURCE, prefix=PREFIX, payload=payload, sets=sets)
        self.types[identifier] = extract.media_type
        return identifier

    def original(self, source: str, identifier: str) -> OriginalFile | None:
        path = self.path / identifier.removeprefix(ROOT)
        if source != SOURCE or identifier not in self.types or not path.is_file():
            return None
        file = path.open("rb")
        status = path.stat()
        kind = self.types[identifier]
        return OriginalFile(file, status.st_size, int(status.st_mtime), kind, path.name, charset="utf-8")

    def kept_picture(self, source: str, identifier: str, *, size: int, page: int) -> bytes | None:
        assert source == SOURCE
        return self.kept.get((identifier, size, page))

    def make_picture(self, source: str, identifier: str, *, size: int, page: int) -> bytes | None:
        assert source == SOURCE
        if self.gate is not None:
            self.gate.wait(30)
        self.made.append((identifier, size, page))
        if not self.types[identifier].startswith(("image/", "application/pdf")):
            return None
        kind = self.types[identifier]
        found = jpeg(size, size * 3 // 4, page) if kind != "application/pdf" else sheet(size, page)
        self.kept[identifier, size, page] = found
        return found


def jpeg(width: int = 64, height: int = 48, shade: int = 0) -> bytes:
    """A small picture."""
    picture = Image.new("RGB", (width, height), COLOURS[shade % len(COLOURS)])
    ImageDraw.Draw(picture).ellipse((width // 4, height // 4, width // 2, height // 2), fill="#f0e0a0")
    written = io.BytesIO()
    picture.save(written, "JPEG")
    return written.getvalue()


def sheet(size: int, page: int) -> bytes:
    """A page with lines on it."""
    picture = Image.new("RGB", (size * 7 // 10, size), "white")
    draw = ImageDraw.Draw(picture)
    for line in range(6, 40):
        draw.line((size // 12, line * size // 45, size * 6 // 10, line * size // 45), fill="#888")
    draw.text((size // 12, size // 20), f"Page {page}", fill="black")
    written = io.BytesIO()
    picture.save(written, "PNG")
    return written.getvalue()


def tone(seconds: float = 0.5) -> bytes:
    """A sound recording of silence."""
    written = io.BytesIO()
    with wave.open(written, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"\0\0" * int(8000 * seconds))
    return written.getvalue()


def pdf(pages: Sequence[str]) -> bytes:
    """A PDF with a line of text on each page."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    kids = []
    for words in pages:
        stream = f"BT /F1 18 Tf 60 760 Td ({words}) Tj ET".encode("ascii")
        kids.append(f"{len(objects) + 1} 0 R")
        font = "<< /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects) + 2} 0 R"
            f" /Resources << /Font {font} >> >>".encode("ascii")
        )
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream))
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode("ascii")
    written, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%b\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(written)
    count = len(objects) + 1
    written += b"xref\n0 %d\n0000000000 65535 f \n%b" % (count, table)
    return written + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (count, start)
