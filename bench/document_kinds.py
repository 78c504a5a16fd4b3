"""The bytes of one document of each kind, as programs write them: real PDF, JPEG with EXIF, Word, WAV.

After `words`, before `documents`. Each is made of a number alone and is another for each number, so that no
two files are the same to whoever goes by checksums. Text is drawn from the bench's own vocabulary.
"""

from __future__ import annotations

import io
import math
import struct
import wave
import zipfile
import zlib
from functools import cache
from random import Random
from xml.sax.saxutils import escape

from bench import words

LINES, LETTERS = 46, 82  # of a PDF's page
SCENES = 16  # different pictures; what they say of themselves differs for each file
PICTURE_SIZE = (1600, 1200)
PICTURE_QUALITY = 85
HERTZ = 16_000
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
CORE = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DC = "http://purl.org/dc/elements/1.1/"


def pdf(number: int) -> bytes:
    """A paper of two to twelve pages of text, compressed, with a title, an author and a date."""
    random = Random(number)
    pages = random.randint(2, 12)
    contents = [_stream(_page(random)) for _ in range(pages)]
    kids = " ".join(f"{5 + 2 * page} 0 R" for page in range(pages))
    title = _title(random).replace("(", "").replace(")", "")
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {pages}/Kids[{kids}]>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        f"<</Title({title})/Author(Author {number})/CreationDate(D:20200101120000Z)>>".encode(),
    ]
    for page, content in enumerate(contents):
        box = "/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>"
        objects.append(f"<</Type/Page/Parent 2 0 R{box}/Contents {6 + 2 * page} 0 R>>".encode())
        objects.append(content)
    return _pdf_file(objects)


def jpeg(number: int) -> bytes:
    """A picture of two million pixels, with a camera, a date and a place in its EXIF."""
    scene = _scene(number % SCENES)
    exif = _exif(number)
    return scene[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + scene[2:]


def text(number: int) -> bytes:
    """Two to twenty thousand letters."""
    random = Random(number)
    return "\n\n".join(_paragraph(random) for _ in range(random.randint(4, 40))).encode()


def note(number: int) -> bytes:
    """A few hundred letters."""
    return f"Note {number}: {_paragraph(Random(number))}\n".encode()


def html(number: int) -> bytes:
    """A page with a title, a description, a menu and five to forty paragraphs."""
    random = Random(number)
    title, paragraphs = _title(random), random.randint(5, 40)
    menu = "".join(f'<li><a href="{page}.html">{escape(_title(random))}</a></li>' for page in range(12))
    body = "".join(f"<p>{escape(_paragraph(random))}</p>\n" for _ in range(paragraphs))
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="description" content="{escape(_title(random))}">'
        "<style>p { margin: 1em }</style></head>"
        f"<body><nav><ul>{menu}</ul></nav><main><h1>{escape(title)}</h1>{body}</main></body></html>\n"
    ).encode()


def docx(number: int) -> bytes:
    """A Word file of ten to eighty paragraphs, with a title and an author."""
    random = Random(number)
    runs = (_paragraph(random) for _ in range(random.randint(10, 80)))
    body = "".join(f"<w:p><w:r><w:t>{escape(run)}</w:t></w:r></w:p>" for run in runs)
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    core = "application/vnd.openxmlformats-package.core-properties+xml"
    relations = "application/vnd.openxmlformats-package.relationships+xml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="{relations}"/>'
        f'<Override PartName="/word/document.xml" ContentType="{main}"/>'
        f'<Override PartName="/docProps/core.xml" ContentType="{core}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="a" Type="{OFFICE}/officeDocument" Target="word/document.xml"/>'
        f'<Relationship Id="b" Type="{PACKAGE}/relationships/metadata/core-properties" '
        'Target="docProps/core.xml"/></Relationships>',
        "docProps/core.xml": f'<cp:coreProperties xmlns:cp="{CORE}" xmlns:dc="{DC}">'
        f"<dc:title>{escape(_title(random))}</dc:title><dc:creator>Author {number}</dc:creator>"
        "</cp:coreProperties>",
        "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for name, part in parts.items():
            package.writestr(zipfile.ZipInfo(name), '<?xml version="1.0" encoding="UTF-8"?>\n' + part)
    return file.getvalue()


def wav(number: int) -> bytes:
    """Two to ten seconds of one note, in mono."""
    seconds = 2 + number % 9
    note = 220 + number % 440
    wave_length = [round(9_000 * math.sin(2 * math.pi * note * at / HERTZ)) for at in range(HERTZ)]
    second = struct.pack(f"<{HERTZ}h", *wave_length)
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(HERTZ)
        sound.writeframes(second * seconds + struct.pack("<h", number % 30_000))
    return file.getvalue()


@cache
def _vocabulary() -> words.Words:
    return words.english()


def _title(random: Random) -> str:
    return " ".join(_vocabulary().draw(random, 7)).capitalize()


def _paragraph(random: Random) -> str:
    return " ".join(_vocabulary().draw(random, random.randint(50, 90))).capitalize() + "."


def _page(random: Random) -> bytes:
    drawn = " ".join(_vocabulary().draw(random, LINES * LETTERS // 6))
    lines = [drawn[start : start + LETTERS] for start in range(0, LINES * LETTERS, LETTERS)]
    shown = "\n".join(f"({line}) Tj T*" for line in lines if line.strip())
    return f"BT /F 10 Tf 14 TL 60 780 Td\n{shown}\nET".encode()


def _stream(content: bytes) -> bytes:
    packed = zlib.compress(content)
    return b"<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(packed), packed)


def _pdf_file(objects: list[bytes]) -> bytes:
    file, places = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), []
    for number, content in enumerate(objects, start=1):
        places.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start, count = len(file), len(objects) + 1
    file += b"xref\n0 %d\n0000000000 65535 f \n%s" % (count, table)
    file += b"trailer\n<</Size %d/Root 1 0 R/Info 4 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (count, start)
    return bytes(file)


@cache
def _scene(number: int) -> bytes:
    """A sky, some hills and grain, so that it packs about as well as a photograph."""
    from PIL import Image, ImageDraw, ImageFilter  # noqa: PLC0415 - only who makes pictures needs it

    random, (width, height) = Random(number), PICTURE_SIZE
    picture = Image.linear_gradient("L").resize(PICTURE_SIZE)
    coloured = Image.merge("RGB", [picture.point(lambda value, k=k: value // k) for k in (3, 2, 1)])
    pencil = ImageDraw.Draw(coloured)
    for _ in range(60):
        x, y, r = random.randrange(width), random.randrange(height), random.randint(20, 260)
        pencil.ellipse((x - r, y - r, x + r, y + r), fill=tuple(random.randbytes(3)))
    grain = Image.frombytes("L", PICTURE_SIZE, random.randbytes(width * height)).convert("RGB")
    file = io.BytesIO()
    blended = Image.blend(coloured.filter(ImageFilter.BoxBlur(3)), grain, 0.05)
    blended.save(file, "JPEG", quality=PICTURE_QUALITY)
    return file.getvalue()


def _exif(number: int) -> bytes:
    from PIL import Image  # noqa: PLC0415 - likewise

    exif = Image.Exif()
    exif[0x010F], exif[0x0110] = "Bench", f"Camera {number}"
    exif[0x013B] = f"Author {number}"
    exif.get_ifd(0x8769)[0x9003] = f"2020:01:{1 + number % 28:02} 12:00:00"
    place = exif.get_ifd(0x8825)
    place[1], place[2] = "N", (60.0, float(number % 60), 0.0)
    place[3], place[4] = "E", (24.0, float(number % 60), 0.0)
    return exif.tobytes()
